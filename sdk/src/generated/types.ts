// Made by `npm run generate`; edit the definitions, not this file.
import type { Change, FollowedList, Keyed, List, Nothing, Open, Read, ReadFile, ReadVersion, Versioned } from '../shapes.ts'

/** Every operation of the service, by its id. */
export interface Methods {
  amendments: {
    /**
     * Draft an amendment of a contract.
     *
     * It takes effect when both parties have signed and its date has come.
     *
     * `amendments.create` takes `contracts:write`.
     */
    create: Change<AmendmentsCreateInput, Amendment, Keyed & Versioned>
    /**
     * Get an amendment.
     *
     * `amendments.get` takes `contracts:read`.
     */
    get: ReadVersion<AmendmentsGetInput, Amendment>
    /**
     * List the amendments of a contract.
     *
     * Amendments are also called work statements.
     *
     * `amendments.list` takes `contracts:read` or `contracts:write`.
     */
    list: List<AmendmentsListInput, Amendment>
    /**
     * Sign an amendment for the client.
     *
     * From then on the worker can read it and sign or decline it.
     *
     * `amendments.sign` takes `contracts:write`.
     */
    sign: Change<AmendmentsSignInput, Amendment, Keyed & Versioned>
    /**
     * Change the draft of an amendment.
     *
     * Only before the client has signed. `terms` are replaced as a whole.
     *
     * `amendments.update` takes `contracts:write`.
     */
    update: Change<AmendmentsUpdateInput, Amendment, Keyed & Versioned>
    /**
     * Withdraw an amendment.
     *
     * Only before the worker has signed.
     *
     * `amendments.withdraw` takes `contracts:write`.
     */
    withdraw: Change<AmendmentsWithdrawInput, Amendment, Keyed & Versioned>
  }
  api_tokens: {
    /**
     * Create an API token.
     *
     * The value is in this answer and in no other. A token never has more rights or a later end than its maker.
     *
     * `api_tokens.create` takes `tokens:write`.
     */
    create: Change<ApiTokensCreateInput, ApiTokensCreate, Keyed>
    /**
     * Revoke an API token and what was created with it.
     *
     * Takes effect for every request that begins afterwards. A token may always revoke itself, and a user its own ones; an app needs `tokens:write` for those.
     *
     * `api_tokens.delete` takes any valid credential, `tokens:write` for more than its own.
     */
    delete: Change<ApiTokensDeleteInput, void, Versioned>
    /**
     * Get an API token, without its value.
     *
     * Takes `tokens:read`. Without it, a user sees their own personal tokens; an app sees none.
     *
     * `api_tokens.get` takes any valid credential, `tokens:read` for more than its own.
     */
    get: ReadVersion<ApiTokensGetInput, ApiToken>
    /**
     * List API tokens.
     *
     * Takes `tokens:read`. Without it, a user sees their own personal tokens; an app sees none.
     *
     * `api_tokens.list` takes any valid credential, `tokens:read` for more than its own.
     */
    list: List<ApiTokensListInput, ApiToken>
    /**
     * Replace an API token by a successor with the same rights.
     *
     * Both work until the overlap ends, so an integration can change over without a gap.
     *
     * `api_tokens.rotate` takes any valid credential, `tokens:write` for more than its own.
     */
    rotate: Change<ApiTokensRotateInput, ApiTokensCreate, Keyed & Versioned>
  }
  audit: {
    /**
     * Get the seal of the audit log.
     *
     * The number and the hash of the newest batch. Kept elsewhere, it shows later that no entry up to it was changed, removed, added or moved: `stint audit verify --against`.
     *
     * `audit.get_seal` takes `organizations:read`.
     */
    get_seal: ReadVersion<Nothing, AuditSeal>
    /**
     * List the audit log.
     *
     * One entry for each change, the newest first. `updated_after` asks for entries after that time. Within a minute each is in a sealed batch.
     *
     * `audit.list` takes `organizations:read`.
     */
    list: List<AuditListInput, AuditEntry>
    /**
     * List the sealed batches of the audit log.
     *
     * The oldest first. The hash of a batch is made of the hashes of its entries and of the hash of the batch before, so a batch vouches for all before it. `updated_after` asks for batches sealed after that time.
     *
     * `audit.list_batches` takes `organizations:read`.
     */
    list_batches: List<AuditListBatchesInput, AuditBatch>
  }
  contracts: {
    /**
     * Put an ended contract into the archive.
     *
     * `contracts.archive` takes `contracts:write`.
     */
    archive: Change<ContractsArchiveInput, Contract, Keyed & Versioned>
    /**
     * Withdraw a contract that is not active yet.
     *
     * `contracts.cancel` takes `contracts:write`.
     */
    cancel: Change<ContractsCancelInput, Contract, Keyed & Versioned>
    /**
     * Withdraw the termination of an active contract.
     *
     * `contracts.cancel_termination` takes `contracts:write`.
     */
    cancel_termination: Change<ContractsCancelTerminationInput, Contract, Keyed & Versioned>
    /**
     * Create a contract.
     *
     * The contract is pending and binds nobody until both parties have signed. The worker is named by `worker_id` or described in `worker`; a described worker whose e-mail is known is that person, unchanged.
     *
     * `contracts.create` takes `contracts:write`.
     */
    create: Change<ContractsCreateInput, Contract, Keyed>
    /**
     * Get a contract.
     *
     * `contracts.get` takes `contracts:read`.
     */
    get: ReadVersion<ContractsGetInput, Contract>
    /**
     * Read the link of the open invitation.
     *
     * For handing it to the worker by another way. Whoever has the link can take the worker’s place. It works once: after that there is none, while the invitation stays open until the worker signs.
     *
     * `contracts.get_invitation_link` takes `contracts:write`.
     */
    get_invitation_link: Read<ContractsGetInvitationLinkInput, ContractsGetInvitationLink>
    /**
     * Invite the worker to review and sign a pending contract.
     *
     * The invitation lives 14 days and takes the place of an open one. The service sends no mail: hand over the link of `contracts.get_invitation_link` yourself. Behind it the worker makes a login of its own, once, and then reads and signs.
     *
     * `contracts.invite` takes `contracts:write`.
     */
    invite: Change<ContractsInviteInput, Contract, Keyed & Versioned>
    /**
     * List contracts.
     *
     * `contracts.list` takes `contracts:read`.
     */
    list: List<ContractsListInput, Contract>
    /**
     * Take back the open invitation.
     *
     * `contracts.revoke_invitation` takes `contracts:write`.
     */
    revoke_invitation: Change<ContractsRevokeInvitationInput, Contract, Keyed & Versioned>
    /**
     * Sign a contract for the client.
     *
     * The parties sign in either order; with the second signature the contract is active.
     *
     * `contracts.sign` takes `contracts:write`.
     */
    sign: Change<ContractsSignInput, Contract, Keyed & Versioned>
    /**
     * End an active contract, on a date or at once.
     *
     * `contracts.terminate` takes `contracts:write`.
     */
    terminate: Change<ContractsTerminateInput, Contract, Keyed & Versioned>
    /**
     * Take a contract out of the archive.
     *
     * `contracts.unarchive` takes `contracts:write`.
     */
    unarchive: Change<ContractsUnarchiveInput, Contract, Keyed & Versioned>
    /**
     * Change a contract.
     *
     * Title, team, region, tax, custom_fields and external_id change at any time. Terms change only while the contract is pending, and a change of terms clears the signatures already given; afterwards an amendment changes them.
     *
     * `contracts.update` takes `contracts:write`.
     */
    update: Change<ContractsUpdateInput, Contract, Keyed & Versioned>
  }
  custom_fields: {
    /**
     * Create a custom field.
     *
     * A field of people or of contracts; at most 100 of each.
     *
     * `custom_fields.create` takes `organizations:write`.
     */
    create: Change<CustomFieldsCreateInput, CustomField, Keyed>
    /**
     * Delete a custom field.
     *
     * Its values are shown no more, also if a new field takes its key.
     *
     * `custom_fields.delete` takes `organizations:write`.
     */
    delete: Change<CustomFieldsDeleteInput, void, Versioned>
    /**
     * Get a custom field.
     *
     * `custom_fields.get` takes `organizations:read`.
     */
    get: ReadVersion<CustomFieldsGetInput, CustomField>
    /**
     * List custom fields.
     *
     * `custom_fields.list` takes `organizations:read`.
     */
    list: List<CustomFieldsListInput, CustomField>
    /**
     * Change a custom field.
     *
     * An option that a person or contract still has cannot be taken away.
     *
     * `custom_fields.update` takes `organizations:write`.
     */
    update: Change<CustomFieldsUpdateInput, CustomField, Keyed & Versioned>
  }
  departments: {
    /**
     * Create a department.
     *
     * A name is used once below a department, and once at the top. At most 10 levels.
     *
     * `departments.create` takes `organizations:write`.
     */
    create: Change<DepartmentsCreateInput, Department, Keyed>
    /**
     * Delete a department.
     *
     * Only without people and without departments below it.
     *
     * `departments.delete` takes `organizations:write`.
     */
    delete: Change<DepartmentsDeleteInput, void, Versioned>
    /**
     * Get a department.
     *
     * `departments.get` takes `organizations:read`.
     */
    get: ReadVersion<DepartmentsGetInput, Department>
    /**
     * List departments.
     *
     * `departments.list` takes `organizations:read`.
     */
    list: List<DepartmentsListInput, Department>
    /**
     * Change a department.
     *
     * `departments.update` takes `organizations:write`.
     */
    update: Change<DepartmentsUpdateInput, Department, Keyed & Versioned>
  }
  events: {
    /**
     * Get an event and what became of it at each subscription.
     *
     * Every subscription of the organization is named: with its deliveries, or with the reason for none.
     *
     * `events.get` takes `webhooks:read`.
     */
    get: ReadVersion<EventsGetInput, Event>
    /**
     * Read the events of the organization in order.
     *
     * The same objects that webhooks deliver, without simulations, oldest first; each appears once, within a second of its change. Keep the cursor of every page: it leads on, also from an empty page.
     *
     * `events.list` takes `webhooks:read`.
     */
    list: FollowedList<EventsListInput, EventsGetEvent>
  }
  invoice_adjustments: {
    /**
     * Create an adjustment.
     *
     * It is approved at once, unless `auto_approve` is false.
     *
     * `invoice_adjustments.create` takes `invoice-adjustments:write`.
     */
    create: Change<InvoiceAdjustmentsCreateInput, InvoiceAdjustment, Keyed>
    /**
     * Delete an adjustment.
     *
     * One that is on no invoice.
     *
     * `invoice_adjustments.delete` takes `invoice-adjustments:write`.
     */
    delete: Change<InvoiceAdjustmentsDeleteInput, void, Versioned>
    /**
     * Get an adjustment.
     *
     * `invoice_adjustments.get` takes `invoice-adjustments:read`.
     */
    get: ReadVersion<InvoiceAdjustmentsGetInput, InvoiceAdjustment>
    /**
     * List adjustments.
     *
     * `invoice_adjustments.list` takes `invoice-adjustments:read`.
     */
    list: List<InvoiceAdjustmentsListInput, InvoiceAdjustment>
    /**
     * Approve or decline an adjustment.
     *
     * `invoice_adjustments.review` takes `invoice-adjustments:write`.
     */
    review: Change<InvoiceAdjustmentsReviewInput, InvoiceAdjustment, Keyed & Versioned>
    /**
     * Approve or decline several adjustments.
     *
     * All of them or none; they are answered in the order of the ids.
     *
     * `invoice_adjustments.review_many` takes `invoice-adjustments:write`.
     */
    review_many: Change<InvoiceAdjustmentsReviewManyInput, InvoiceAdjustmentsList, Keyed>
    /**
     * Change an adjustment.
     *
     * Only while it is pending, but for external_id.
     *
     * `invoice_adjustments.update` takes `invoice-adjustments:write`.
     */
    update: Change<InvoiceAdjustmentsUpdateInput, InvoiceAdjustment, Keyed & Versioned>
  }
  invoices: {
    /**
     * Take an invoice back.
     *
     * What it collected is approved again, and its cycle can be invoiced anew.
     *
     * `invoices.cancel` takes `accounting:write`.
     */
    cancel: Change<InvoicesCancelInput, Invoice, Keyed & Versioned>
    /**
     * Issue an invoice outside the payment cycles.
     *
     * It holds exactly the approved timesheets and adjustments that are named, at least one.
     *
     * `invoices.create` takes `accounting:write`.
     */
    create: Change<InvoicesCreateInput, Invoice, Keyed>
    /**
     * Export invoices as CSV.
     *
     * One row per line of every invoice that was issued from `from` to `to`, cancelled ones included.
     *
     * `invoices.export` takes `accounting:read`.
     */
    export: ReadFile<InvoicesExportInput>
    /**
     * Get an invoice with its lines.
     *
     * `invoices.get` takes `accounting:read`.
     */
    get: ReadVersion<InvoicesGetInput, Invoice>
    /**
     * Get an invoice as a PDF.
     *
     * As it was issued, whatever became of it; the same bytes each time. What the credential may not see is a dash. An organization has at most four printed at once.
     *
     * `invoices.get_pdf` takes `accounting:read`.
     */
    get_pdf: ReadFile<InvoicesGetPdfInput>
    /**
     * List invoices.
     *
     * Without their lines.
     *
     * `invoices.list` takes `accounting:read`.
     */
    list: List<InvoicesListInput, InvoiceWithoutLines>
  }
  ledger: {
    /**
     * Export the ledger as CSV.
     *
     * One row per entry of all that took effect from `from` to `to`, in the order of booking.
     *
     * `ledger.export` takes `accounting:read`.
     */
    export: ReadFile<LedgerExportInput>
    /**
     * Get a transaction of the ledger.
     *
     * `ledger.get_transaction` takes `accounting:read`.
     */
    get_transaction: ReadVersion<LedgerGetTransactionInput, LedgerTransaction>
    /**
     * Get the trial balance of a day.
     *
     * The sums of each account of all that took effect up to that day, its balance on its normal side.
     *
     * `ledger.get_trial_balance` takes `accounting:read`.
     */
    get_trial_balance: ReadVersion<LedgerGetTrialBalanceInput, LedgerGetTrialBalance>
    /**
     * List the accounts of the ledger.
     *
     * `ledger.list_accounts` takes `accounting:read`.
     */
    list_accounts: List<LedgerListAccountsInput, LedgerAccount>
    /**
     * List the transactions of the ledger, the newest first.
     *
     * `ledger.list_transactions` takes `accounting:read`.
     */
    list_transactions: List<LedgerListTransactionsInput, LedgerTransaction>
  }
  legal_entities: {
    /**
     * Create a legal entity.
     *
     * A `bank_account` also needs the category bank_details.
     *
     * `legal_entities.create` takes `organizations:write`.
     */
    create: Change<LegalEntitiesCreateInput, LegalEntity, Keyed>
    /**
     * Delete a legal entity.
     *
     * Neither the default one nor one that a pending or active contract names.
     *
     * `legal_entities.delete` takes `organizations:write`.
     */
    delete: Change<LegalEntitiesDeleteInput, void, Versioned>
    /**
     * Get a legal entity.
     *
     * `legal_entities.get` takes `organizations:read`.
     */
    get: ReadVersion<LegalEntitiesGetInput, LegalEntity>
    /**
     * List legal entities.
     *
     * `legal_entities.list` takes `organizations:read`.
     */
    list: List<LegalEntitiesListInput, LegalEntity>
    /**
     * Change a legal entity.
     *
     * A `bank_account` also needs the category bank_details. The mark of the default is moved, never taken away.
     *
     * `legal_entities.update` takes `organizations:write`.
     */
    update: Change<LegalEntitiesUpdateInput, LegalEntity, Keyed & Versioned>
  }
  lookups: {
    /**
     * List the countries that fields take.
     *
     * `lookups.countries` takes any valid credential.
     */
    countries: List<LookupsCountriesInput, LookupsCountries>
    /**
     * List the currencies that fields take.
     *
     * `lookups.currencies` takes any valid credential.
     */
    currencies: List<LookupsCurrenciesInput, LookupsCurrencies>
    /**
     * List the time zones that fields take.
     *
     * The current names; fields also take their older spellings.
     *
     * `lookups.time_zones` takes any valid credential.
     */
    time_zones: List<LookupsTimeZonesInput, {
      /** IANA time zone, such as Europe/Berlin. */
      name: string
    }>
  }
  member_invitations: {
    /**
     * Invite somebody to become a member.
     *
     * The service sends no mail: hand over the link, which is in this answer and in no other. It lives seven days and serves once, for a new account or for one that the person has already.
     *
     * `member_invitations.create` takes `organizations:write`.
     */
    create: Change<MemberInvitationsCreateInput, MemberInvitation, Keyed>
    /**
     * List open invitations of members.
     *
     * Those that were neither accepted nor taken back, the newest first; one behind its end can be sent again.
     *
     * `member_invitations.list` takes `organizations:read`.
     */
    list: List<MemberInvitationsListInput, MemberInvitationsList>
    /**
     * Make a new link for an invitation.
     *
     * The link before ends, and the seven days begin anew.
     *
     * `member_invitations.resend` takes `organizations:write`.
     */
    resend: Change<MemberInvitationsResendInput, MemberInvitation, Keyed>
    /**
     * Take an invitation back.
     *
     * Its link opens nothing any more.
     *
     * `member_invitations.revoke` takes `organizations:write`.
     */
    revoke: Change<MemberInvitationsRevokeInput, void, Keyed>
  }
  members: {
    /**
     * Remove a member.
     *
     * Ends the sessions, personal tokens and app permissions of the person here. What the person did stays, with the name; the account stays for other organizations.
     *
     * `members.delete` takes `organizations:write`.
     */
    delete: Change<MembersDeleteInput, void, Versioned>
    /**
     * Sign a member out.
     *
     * In every browser. The person signs in anew; personal tokens and apps go on, and so does what the account opens in other organizations.
     *
     * `members.end_sessions` takes `organizations:write`.
     */
    end_sessions: Change<MembersEndSessionsInput, void, Keyed & Versioned>
    /**
     * Get a member.
     *
     * `members.get` takes `organizations:read`.
     */
    get: ReadVersion<MembersGetInput, Member>
    /**
     * List members.
     *
     * The people with an account here and what they may do, the newest first; open invitations are a list of their own.
     *
     * `members.list` takes `organizations:read`.
     */
    list: List<MembersListInput, Member>
    /**
     * Take the second factor off a member.
     *
     * For a person who lost phone, passkeys and recovery codes: signs the person out, and the password alone signs in again. Refused for an account that is in another organization too; the operator of the service resets it then.
     *
     * `members.reset_second_factor` takes `organizations:write`.
     */
    reset_second_factor: Change<MembersResetSecondFactorInput, void, Keyed & Versioned>
    /**
     * Change the role of a member, disable or enable it.
     *
     * Counts from the next request on. Disabling also ends the sessions, personal tokens and app permissions of the person, for good. Nobody hands out more than the own role has.
     *
     * `members.update` takes `organizations:write`.
     */
    update: Change<MembersUpdateInput, Member, Keyed & Versioned>
  }
  oauth_clients: {
    /**
     * Create an OAuth client of this organization.
     *
     * The secret is in this answer and in no other. A client never has more rights or a later end than its maker; what a person makes in the console stays.
     *
     * `oauth_clients.create` takes `tokens:write`.
     */
    create: Change<OauthClientsCreateInput, OauthClientsCreate, Keyed>
    /**
     * Delete an OAuth client of this organization, with every permission it has.
     *
     * `oauth_clients.delete` takes `tokens:write`.
     */
    delete: Change<OauthClientsDeleteInput, void, Versioned>
    /**
     * Get an OAuth client, without its secrets.
     *
     * One of others is found once it was given a permission or a verdict here.
     *
     * `oauth_clients.get` takes `tokens:read`.
     */
    get: ReadVersion<OauthClientsGetInput, OauthClient>
    /**
     * List OAuth clients.
     *
     * Those of this organization, and those of others that were given a permission or a verdict here.
     *
     * `oauth_clients.list` takes `tokens:read`.
     */
    list: List<OauthClientsListInput, OauthClient>
    /**
     * Replace the secret of an OAuth client.
     *
     * Both work until the overlap ends, so that the client can change over without a gap.
     *
     * `oauth_clients.rotate_secret` takes `tokens:write`.
     */
    rotate_secret: Change<OauthClientsRotateSecretInput, OauthClientsCreate, Keyed & Versioned>
    /**
     * Change an OAuth client of this organization, or decide about one of others.
     *
     * A verdict counts for this organization only. Blocking ends every permission that the client has here, for good; taking scopes or resources from a client ends those beyond what is left.
     *
     * `oauth_clients.update` takes `tokens:write`.
     */
    update: Change<OauthClientsUpdateInput, OauthClient, Keyed & Versioned>
  }
  oauth_grants: {
    /**
     * Disconnect an app.
     *
     * Ends the permission with every token of it and what was created with them, for every request that begins afterwards. A user may always end the own ones, and an app its own; others of the user with `tokens:write`.
     *
     * `oauth_grants.delete` takes any valid credential, `tokens:write` for more than its own.
     */
    delete: Change<OauthGrantsDeleteInput, void>
    /**
     * List connected apps.
     *
     * Each is one permission that a user or the organization gave to a client. Takes `tokens:read`. Without it, a user sees their own; an app sees none.
     *
     * `oauth_grants.list` takes any valid credential, `tokens:read` for more than its own.
     */
    list: List<OauthGrantsListInput, OauthGrant>
  }
  organizations: {
    /**
     * Get the organization of the credential.
     *
     * `organizations.get` takes `organizations:read`.
     */
    get: ReadVersion<OrganizationsGetInput, Organization>
    /**
     * List the organizations this credential reaches.
     *
     * One for an organization token: the call that verifies that a token works.
     *
     * `organizations.list` takes any valid credential.
     */
    list: List<OrganizationsListInput, Organization>
    /**
     * Change the settings of the organization.
     *
     * Currency and time zone are defaults of what is made later; prefixes are those of numbers given later. Lowering `payment_approval` or `second_factor` takes a user who may pay; payments go on to need a second person for a day.
     *
     * `organizations.update` takes `organizations:write`.
     */
    update: Change<OrganizationsUpdateInput, Organization, Keyed & Versioned>
  }
  overview: {
    /**
     * Get the figures of the last 24 hours.
     *
     * Each part is null where the credential may not read what it counts: webhooks takes webhooks:read, tokens and requests take tokens:read.
     *
     * `overview.get` takes any valid credential.
     */
    get: ReadVersion<Nothing, Overview>
  }
  payment_cycles: {
    /**
     * Get a payment cycle.
     *
     * `payment_cycles.get` takes `contracts:read` or `accounting:read`.
     */
    get: ReadVersion<PaymentCyclesGetInput, PaymentCycle>
    /**
     * Invoice a payment cycle that was skipped.
     *
     * With everything that is approved by now, dated today; one whose invoice was cancelled is skipped too.
     *
     * `payment_cycles.invoice` takes `accounting:write`.
     */
    invoice: Change<PaymentCyclesInvoiceInput, Invoice, Keyed & Versioned>
    /**
     * List the payment cycles of a contract.
     *
     * By their first day: those that are over, the active one and the upcoming one.
     *
     * `payment_cycles.list` takes `contracts:read` or `accounting:read`.
     */
    list: List<PaymentCyclesListInput, PaymentCycle>
    /**
     * Show what the invoice of a payment cycle would contain now.
     *
     * As if the cycle closed now, with amendments that are signed for a day of it. Deductions that find no room wait for the next invoice.
     *
     * `payment_cycles.preview` takes `contracts:read` or `accounting:read`.
     */
    preview: ReadVersion<PaymentCyclesPreviewInput, PaymentCyclesPreview>
  }
  payments: {
    /**
     * Approve a payment as the second person.
     *
     * The maker of a payment, or of the token that made it, does not approve it, nor does somebody whom the maker invited in the last seven days. Refused where the account of a payee is another one by now.
     *
     * `payments.approve` takes `accounting:write`.
     */
    approve: Change<PaymentsApproveInput, Payment, Keyed & Versioned>
    /**
     * Withdraw a payment before its approval.
     *
     * `payments.cancel` takes `accounting:write`.
     */
    cancel: Change<PaymentsCancelInput, Payment, Keyed & Versioned>
    /**
     * Pay invoices.
     *
     * Pending invoices of one currency. With the setting `payment_approval` = `second_person` another user has to approve it before it is on its way; so it is for a day after that was lowered.
     *
     * `payments.create` takes `accounting:write`.
     */
    create: Change<PaymentsCreateInput, Payment, Keyed>
    /**
     * Tell that a payment does not arrive.
     *
     * For the provider `manual`, and in a sandbox. Its invoices can be paid anew.
     *
     * `payments.fail` takes `accounting:write`.
     */
    fail: Change<PaymentsFailInput, Payment, Keyed & Versioned>
    /**
     * Get a payment.
     *
     * `payments.get` takes `accounting:read`.
     */
    get: ReadVersion<PaymentsGetInput, Payment>
    /**
     * Explain a payment by invoice and kind of amount.
     *
     * Deductions are negative; the total is the sum of all kinds and the VAT. The bank account is the one that the worker has now.
     *
     * `payments.get_breakdown` takes `accounting:read`.
     */
    get_breakdown: List<PaymentsGetBreakdownInput, PaymentShare>
    /**
     * List payments.
     *
     * `payments.list` takes `accounting:read`.
     */
    list: List<PaymentsListInput, Payment>
    /**
     * Tell that a payment has arrived.
     *
     * For the provider `manual`, and in a sandbox. Its invoices are paid, and all that they collected with them.
     *
     * `payments.settle` takes `accounting:write`.
     */
    settle: Change<PaymentsSettleInput, Payment, Keyed & Versioned>
  }
  people: {
    /**
     * Block the access of a person.
     *
     * Sessions, tokens and grants of the person end at once. Provisioning can give access again.
     *
     * `people.block_access` takes `people:write`.
     */
    block_access: Change<PeopleBlockAccessInput, Person, Keyed & Versioned>
    /**
     * Create a person.
     *
     * `people.create` takes `people:write`.
     */
    create: Change<PeopleCreateInput, Person, Keyed>
    /**
     * Mint a token that acts as one worker.
     *
     * Only a credential of the organization mints one, no user’s. It lives 24 hours, replaces the person’s previous one and sees the sensitive categories of the credential that mints it. In a live organization it cannot sign or reject anything.
     *
     * `people.create_worker_token` takes `tokens:write`.
     */
    create_worker_token: Change<PeopleCreateWorkerTokenInput, PeopleCreateWorkerToken, Keyed & Versioned>
    /**
     * Delete a person.
     *
     * Only without a pending or active contract and without direct reports. The teams lose a member; sessions, tokens and grants of the person end at once.
     *
     * `people.delete` takes `people:write`.
     */
    delete: Change<PeopleDeleteInput, void, Versioned>
    /**
     * Erase the personal data of a person.
     *
     * For good, and a removal where the person is not removed yet. Only with nothing left to pay. What the law keeps stays: contracts and amounts under the name "Erased person", invoices as they were issued, the audit log.
     *
     * `people.erase` takes `people:write`.
     */
    erase: Change<PeopleEraseInput, void, Keyed & Versioned>
    /**
     * Export the personal data of a person.
     *
     * All that is kept about one person in one document, oldest first, also of somebody who was removed. Fields whose category you have not are null: a copy for the person needs all of them. Of each kind the first 2000 rows are in it; `incomplete` names the kinds that have more, to be read by their lists.
     *
     * `people.export` takes `people:read` or `contracts:read` or `timesheets:read` or `invoice-adjustments:read` or `accounting:read` or `time-off:read`.
     */
    export: ReadVersion<PeopleExportInput, PeopleExport>
    /**
     * Get a person.
     *
     * `people.get` takes `people:read`.
     */
    get: ReadVersion<PeopleGetInput, Person>
    /**
     * Get the person linked to the calling user.
     *
     * Not found for a credential without a user and for a user that no person is linked to.
     *
     * `people.get_self` takes `people:read`.
     */
    get_self: ReadVersion<Nothing, Person>
    /**
     * List people.
     *
     * `people.list` takes `people:read`.
     */
    list: List<PeopleListInput, Person>
    /**
     * Remove the bank account of a person.
     *
     * `people.remove_bank_account` takes `people:write`.
     */
    remove_bank_account: Change<PeopleRemoveBankAccountInput, void, Versioned>
    /**
     * Set the bank account of a person.
     *
     * Replaces the one that is there. Needs bank_details, as whoever writes it decides where money goes.
     *
     * `people.set_bank_account` takes `people:write`.
     */
    set_bank_account: Change<PeopleSetBankAccountInput, Person, Versioned>
    /**
     * Change a person.
     *
     * An object is merged into what is there, field by field; without its category it has to be given whole.
     *
     * `people.update` takes `people:write`.
     */
    update: Change<PeopleUpdateInput, Person, Keyed & Versioned>
  }
  provisioning: {
    /**
     * Get the state of provisioning.
     *
     * The connection of an identity provider, how it fares, and the teams that give a role. The times reach back 30 days; each request is in `GET /request-logs` with `surfaces` set to `scim`.
     *
     * `provisioning.get` takes `scim:read`.
     */
    get: ReadVersion<Nothing, Provisioning>
    /**
     * Set which teams give a role.
     *
     * Members of the team with an account have the role from the next request on, in place of one given by hand, until they leave it; of several teams the strongest counts: admin, finance, developer, viewer. Owners stay owners. Nobody sets a role beyond the own one. Teams that are not named stay as they are.
     *
     * `provisioning.update` takes `scim:write`.
     */
    update: Change<ProvisioningUpdateInput, Provisioning, Keyed & Versioned>
  }
  request_logs: {
    /**
     * Get a request with its headers and bodies.
     *
     * Without secrets and sensitive data, whoever reads it. Query and body are shown to those who may call the operation themselves. The body of a success is not kept.
     *
     * `request_logs.get` takes `tokens:read`.
     */
    get: ReadVersion<RequestLogsGetInput, RequestLog>
    /**
     * List the requests of tokens and apps.
     *
     * The newest first, each within a second of its answer, kept for 30 days. Not among them: requests whose credential is not known, those of people in the console, and reading this log. Where an organization sends very many, some are only counted, see GET /overview. `updated_after` asks for requests answered after that time.
     *
     * `request_logs.list` takes `tokens:read`.
     */
    list: FollowedList<RequestLogsListInput, RequestLogsList>
  }
  sandbox: {
    /**
     * Advance the test clock.
     *
     * Fires every timer on the way, each at its own time, and then stands at the target. Other changes are refused meanwhile. An advance that was cut off goes on by itself; the next one first waits for it.
     *
     * `sandbox.advance_clock` takes `organizations:write`.
     */
    advance_clock: Change<SandboxAdvanceClockInput, SandboxAdvanceClock, Keyed & Versioned>
    /**
     * Read the test clock.
     *
     * Until it is advanced for the first time, the clock of a sandbox runs with real time; from then on it stands.
     *
     * `sandbox.get_clock` takes `organizations:read`.
     */
    get_clock: ReadVersion<Nothing, SandboxGetClock>
    /**
     * Empty the sandbox.
     *
     * Drops people, contracts and whatever came of them, and lets the test clock run with real time again. Tokens, webhooks, events and the audit log stay; credentials of workers go with their people. Nothing is told. Other changes, and a second reset, are refused meanwhile.
     *
     * `sandbox.reset` takes `organizations:write`.
     */
    reset: Change<SandboxResetInput, Organization, Keyed>
    /**
     * Sign an amendment in the place of the worker.
     *
     * In sandbox organizations only: for trying out what the second signature brings about.
     *
     * `sandbox.sign_amendment` takes `contracts:write`.
     */
    sign_amendment: Change<SandboxSignAmendmentInput, Amendment, Keyed & Versioned>
    /**
     * Sign a contract as its worker, in a sandbox.
     *
     * So that an integration can be tried to its end without a second person.
     *
     * `sandbox.sign_contract` takes `contracts:write`.
     */
    sign_contract: Change<SandboxSignContractInput, Contract, Keyed & Versioned>
  }
  teams: {
    /**
     * Create a team.
     *
     * `teams.create` takes `organizations:write`.
     */
    create: Change<TeamsCreateInput, Team, Keyed>
    /**
     * Delete a team.
     *
     * Its members are members no more. A team that a pending or active contract names stays.
     *
     * `teams.delete` takes `organizations:write`.
     */
    delete: Change<TeamsDeleteInput, void, Versioned>
    /**
     * Get a team.
     *
     * `teams.get` takes `organizations:read`.
     */
    get: ReadVersion<TeamsGetInput, Team>
    /**
     * List teams.
     *
     * `teams.list` takes `organizations:read`.
     */
    list: List<TeamsListInput, Team>
    /**
     * Change a team.
     *
     * `teams.update` takes `organizations:write`.
     */
    update: Change<TeamsUpdateInput, Team, Keyed & Versioned>
  }
  time_off_policies: {
    /**
     * Create a time-off policy.
     *
     * `time_off_policies.create` takes `time-off:write`.
     */
    create: Change<TimeOffPoliciesCreateInput, TimeOffPolicy, Keyed>
    /**
     * Delete a time-off policy.
     *
     * A policy with requested or approved time off stays. Balances show it no more.
     *
     * `time_off_policies.delete` takes `time-off:write`.
     */
    delete: Change<TimeOffPoliciesDeleteInput, void, Versioned>
    /**
     * Get a time-off policy.
     *
     * `time_off_policies.get` takes `time-off:read`.
     */
    get: ReadVersion<TimeOffPoliciesGetInput, TimeOffPolicy>
    /**
     * List time off policies.
     *
     * `time_off_policies.list` takes `time-off:read`.
     */
    list: List<TimeOffPoliciesListInput, TimeOffPolicy>
    /**
     * Change a time-off policy.
     *
     * Days that were requested before stay as they were counted.
     *
     * `time_off_policies.update` takes `time-off:write`.
     */
    update: Change<TimeOffPoliciesUpdateInput, TimeOffPolicy, Keyed & Versioned>
  }
  time_offs: {
    /**
     * Cancel time off that is requested or approved.
     *
     * `time_offs.cancel` takes `time-off:write`.
     */
    cancel: Change<TimeOffsCancelInput, TimeOff, Keyed & Versioned>
    /**
     * Request time off for a person.
     *
     * Approved at once where the policy asks for no approval, or with `auto_approve`.
     *
     * `time_offs.create` takes `time-off:write`.
     */
    create: Change<TimeOffsCreateInput, TimeOff, Keyed>
    /**
     * Get time off.
     *
     * `time_offs.get` takes `time-off:read`.
     */
    get: ReadVersion<TimeOffsGetInput, TimeOff>
    /**
     * List time off.
     *
     * `date_from` and `date_to` find what lies at least partly between them.
     *
     * `time_offs.list` takes `time-off:read`.
     */
    list: List<TimeOffsListInput, TimeOff>
    /**
     * List the balances of a person.
     *
     * One for each policy, for a calendar year. `allowance` and `available` are null where there is no limit.
     *
     * `time_offs.list_entitlements` takes `time-off:read`.
     */
    list_entitlements: List<TimeOffsListEntitlementsInput, Entitlement>
    /**
     * Approve or reject a request for time off.
     *
     * An approval asks for the category health_and_leave, since it depends on the days that are left.
     *
     * `time_offs.review` takes `time-off:write`.
     */
    review: Change<TimeOffsReviewInput, TimeOff, Keyed & Versioned>
    /**
     * Change a request for time off.
     *
     * Only before it is approved or rejected.
     *
     * `time_offs.update` takes `time-off:write`.
     */
    update: Change<TimeOffsUpdateInput, TimeOff, Keyed & Versioned>
  }
  timesheets: {
    /**
     * Create a timesheet.
     *
     * It is approved at once, unless `auto_approve` is false.
     *
     * `timesheets.create` takes `timesheets:write`.
     */
    create: Change<TimesheetsCreateInput, Timesheet, Keyed>
    /**
     * Delete a timesheet.
     *
     * One that is on no invoice.
     *
     * `timesheets.delete` takes `timesheets:write`.
     */
    delete: Change<TimesheetsDeleteInput, void, Versioned>
    /**
     * Get a timesheet.
     *
     * `timesheets.get` takes `timesheets:read`.
     */
    get: ReadVersion<TimesheetsGetInput, Timesheet>
    /**
     * List timesheets.
     *
     * `timesheets.list` takes `timesheets:read`.
     */
    list: List<TimesheetsListInput, Timesheet>
    /**
     * Approve or decline a timesheet.
     *
     * `timesheets.review` takes `timesheets:write`.
     */
    review: Change<TimesheetsReviewInput, Timesheet, Keyed & Versioned>
    /**
     * Approve or decline several timesheets.
     *
     * All of them or none; they are answered in the order of the ids.
     *
     * `timesheets.review_many` takes `timesheets:write`.
     */
    review_many: Change<TimesheetsReviewManyInput, TimesheetsList, Keyed>
    /**
     * Change a timesheet.
     *
     * Only while it is pending, but for external_id.
     *
     * `timesheets.update` takes `timesheets:write`.
     */
    update: Change<TimesheetsUpdateInput, Timesheet, Keyed & Versioned>
  }
  webhooks: {
    /**
     * Cancel a replay.
     *
     * No further deliveries are made, and those not sent yet are cancelled; a running attempt ends.
     *
     * `webhooks.cancel_replay` takes `webhooks:write`.
     */
    cancel_replay: Change<WebhooksCancelReplayInput, WebhooksReplay, Keyed & Versioned>
    /**
     * Subscribe a receiver to event types.
     *
     * The signing key is in this answer and in no other. A host name that does not resolve yet is accepted with a warning.
     *
     * `webhooks.create` takes `webhooks:write`.
     */
    create: Change<WebhooksCreateInput, WebhooksCreate, Keyed>
    /**
     * Delete a webhook subscription.
     *
     * Unsent deliveries are cancelled and the signing key is destroyed; the lists of deliveries stay readable.
     *
     * `webhooks.delete` takes `webhooks:write`.
     */
    delete: Change<WebhooksDeleteInput, void, Versioned>
    /**
     * Retire a signing key at once.
     *
     * For a key that is next or previous: its value is destroyed. Without its successor the primary key stays primary. A retired key stays in the list.
     *
     * `webhooks.delete_signing_key` takes `webhooks:write`.
     */
    delete_signing_key: Change<WebhooksDeleteSigningKeyInput, void, Versioned>
    /**
     * Enable a disabled subscription.
     *
     * Deliveries held meanwhile start in the order of their events, each with a whole retry schedule, or discarded. An active subscription stays as it is.
     *
     * `webhooks.enable` takes `webhooks:write`.
     */
    enable: Change<WebhooksEnableInput, Webhook, Keyed & Versioned>
    /**
     * Get a webhook subscription, without its signing key.
     *
     * `webhooks.get` takes `webhooks:read`.
     */
    get: ReadVersion<WebhooksGetInput, Webhook>
    /**
     * Get a delivery with its body and all attempts.
     *
     * `webhooks.get_delivery` takes `webhooks:read`.
     */
    get_delivery: ReadVersion<WebhooksGetDeliveryInput, WebhooksGetDelivery>
    /**
     * Get a replay with its progress.
     *
     * `webhooks.get_replay` takes `webhooks:read`.
     */
    get_replay: ReadVersion<WebhooksGetReplayInput, WebhooksReplay>
    /**
     * List webhook subscriptions.
     *
     * `webhooks.list` takes `webhooks:read`.
     */
    list: List<WebhooksListInput, Webhook>
    /**
     * List the deliveries of a subscription.
     *
     * Also those of a deleted subscription, until they are older than the retention.
     *
     * `webhooks.list_deliveries` takes `webhooks:read`.
     */
    list_deliveries: FollowedList<WebhooksListDeliveriesInput, EventsGetDeliveries>
    /**
     * List the event types that webhooks can receive.
     *
     * `webhooks.list_event_types` takes `webhooks:read`.
     */
    list_event_types: List<WebhooksListEventTypesInput, WebhooksListEventTypes>
    /**
     * List the replays of a subscription.
     *
     * `webhooks.list_replays` takes `webhooks:read`.
     */
    list_replays: List<WebhooksListReplaysInput, WebhooksReplay>
    /**
     * List the signing keys of a subscription, without their values.
     *
     * Newest first, retired ones included. The state follows from the times.
     *
     * `webhooks.list_signing_keys` takes `webhooks:read`.
     */
    list_signing_keys: List<WebhooksListSigningKeysInput, WebhooksGetSigningKeys>
    /**
     * Send an event to a subscription once more.
     *
     * One attempt, or with `retry` the whole schedule; it neither raises nor resets the counter of failures. The body is the stored one as long as `payload` and the granted categories are the same.
     *
     * `webhooks.redeliver` takes `webhooks:write`.
     */
    redeliver: Change<WebhooksRedeliverInput, EventsGetDeliveries, Keyed & Versioned>
    /**
     * Send the events of a time span to a subscription once more.
     *
     * Starts a job that makes a new delivery, with the whole retry schedule, for each delivery of the time span that ended in one of the statuses; those recovered since and those of event types the subscription lists no more are skipped. Deliveries are made in order at the release rate, never more than 200 unsent at once, and neither raise nor reset the counter of failures. A subscription has one open replay at a time.
     *
     * `webhooks.replay` takes `webhooks:write`.
     */
    replay: Change<WebhooksReplayInput, WebhooksReplay, Keyed & Versioned>
    /**
     * Give a subscription a new signing key.
     *
     * The key is in this answer and in no other. From now until the old key retires `webhook-signature` carries the signatures of both; the `x-service-*` pair changes to the new key when it becomes active.
     *
     * `webhooks.rotate_signing_key` takes `webhooks:write`.
     */
    rotate_signing_key: Change<WebhooksRotateSigningKeyInput, WebhooksRotateSigningKey, Keyed & Versioned>
    /**
     * Send a simulated event to a subscription.
     *
     * The example of the catalogue with `meta.is_simulation`, signed and retried like a real event. 10 per rolling hour and subscription.
     *
     * `webhooks.simulate` takes `webhooks:write`.
     */
    simulate: Change<WebhooksSimulateInput, EventsGetDeliveries, Keyed & Versioned>
    /**
     * Change a webhook subscription.
     *
     * A new url applies to every attempt that begins afterwards, other changes to events recorded afterwards; so it asks for every sensitive category that the subscription has or had. Unsent deliveries of event types taken away are cancelled.
     *
     * `webhooks.update` takes `webhooks:write`.
     */
    update: Change<WebhooksUpdateInput, WebhooksUpdate, Keyed & Versioned>
  }
  worker: {
    /**
     * Cancel own time off that is requested, or approved and not begun.
     *
     * `worker.cancel_time_off` takes `worker:write`.
     */
    cancel_time_off: Change<WorkerCancelTimeOffInput, TimeOff, Keyed>
    /**
     * Submit an adjustment for review.
     *
     * `worker.create_invoice_adjustment` takes `worker:write`.
     */
    create_invoice_adjustment: Change<WorkerCreateInvoiceAdjustmentInput, InvoiceAdjustment, Keyed>
    /**
     * Submit a timesheet for review.
     *
     * `worker.create_timesheet` takes `worker:write`.
     */
    create_timesheet: Change<WorkerCreateTimesheetInput, Timesheet, Keyed>
    /**
     * Decline an amendment as the worker.
     *
     * `worker.decline_amendment` takes `worker:write`.
     */
    decline_amendment: Change<WorkerDeclineAmendmentInput, Amendment, Keyed & Versioned>
    /**
     * Delete an adjustment that the calling worker submitted.
     *
     * A pending one.
     *
     * `worker.delete_invoice_adjustment` takes `worker:write`.
     */
    delete_invoice_adjustment: Change<WorkerDeleteInvoiceAdjustmentInput, void, Versioned>
    /**
     * Delete a timesheet that the calling worker submitted.
     *
     * A pending one.
     *
     * `worker.delete_timesheet` takes `worker:write`.
     */
    delete_timesheet: Change<WorkerDeleteTimesheetInput, void, Versioned>
    /**
     * Get an amendment of an own contract.
     *
     * From the signature of the client on; its drafts are not found.
     *
     * `worker.get_amendment` takes `worker:read`.
     */
    get_amendment: ReadVersion<WorkerGetAmendmentInput, Amendment>
    /**
     * Get one of the calling worker’s contracts.
     *
     * `worker.get_contract` takes `worker:read`.
     */
    get_contract: ReadVersion<WorkerGetContractInput, Contract>
    /**
     * Get one of the calling worker’s invoices with its lines.
     *
     * `worker.get_invoice` takes `worker:read`.
     */
    get_invoice: ReadVersion<WorkerGetInvoiceInput, Invoice>
    /**
     * Get an adjustment of the calling worker.
     *
     * `worker.get_invoice_adjustment` takes `worker:read`.
     */
    get_invoice_adjustment: ReadVersion<WorkerGetInvoiceAdjustmentInput, InvoiceAdjustment>
    /**
     * Get one of the calling worker’s invoices as a PDF.
     *
     * As it was issued, whatever became of it; the same bytes each time. What the credential may not see is a dash. An organization has at most four printed at once.
     *
     * `worker.get_invoice_pdf` takes `worker:read`.
     */
    get_invoice_pdf: ReadFile<WorkerGetInvoicePdfInput>
    /**
     * Get your own data.
     *
     * `worker.get_profile` takes `worker:read`.
     */
    get_profile: ReadVersion<Nothing, Person>
    /**
     * Get a timesheet of the calling worker.
     *
     * `worker.get_timesheet` takes `worker:read`.
     */
    get_timesheet: ReadVersion<WorkerGetTimesheetInput, Timesheet>
    /**
     * List the amendments of an own contract.
     *
     * From the signature of the client on; its drafts are left out.
     *
     * `worker.list_amendments` takes `worker:read`.
     */
    list_amendments: List<WorkerListAmendmentsInput, Amendment>
    /**
     * List the calling worker’s contracts.
     *
     * `worker.list_contracts` takes `worker:read`.
     */
    list_contracts: List<WorkerListContractsInput, Contract>
    /**
     * List the calling worker’s adjustments.
     *
     * `worker.list_invoice_adjustments` takes `worker:read`.
     */
    list_invoice_adjustments: List<WorkerListInvoiceAdjustmentsInput, InvoiceAdjustment>
    /**
     * List the calling worker’s invoices.
     *
     * Without their lines.
     *
     * `worker.list_invoices` takes `worker:read`.
     */
    list_invoices: List<WorkerListInvoicesInput, InvoiceWithoutLines>
    /**
     * List own balances of time off.
     *
     * One for each policy, for a calendar year. `allowance` and `available` are null where there is no limit.
     *
     * `worker.list_time_off_entitlements` takes `worker:read`.
     */
    list_time_off_entitlements: List<WorkerListTimeOffEntitlementsInput, Entitlement>
    /**
     * List own time off.
     *
     * `worker.list_time_offs` takes `worker:read`.
     */
    list_time_offs: List<WorkerListTimeOffsInput, TimeOff>
    /**
     * List the calling worker’s timesheets.
     *
     * `worker.list_timesheets` takes `worker:read`.
     */
    list_timesheets: List<WorkerListTimesheetsInput, Timesheet>
    /**
     * Reject one of the calling worker’s pending contracts.
     *
     * `worker.reject_contract` takes `worker:write`.
     */
    reject_contract: Change<WorkerRejectContractInput, Contract, Keyed & Versioned>
    /**
     * Request time off for oneself.
     *
     * `worker.request_time_off` takes `worker:write`.
     */
    request_time_off: Change<WorkerRequestTimeOffInput, TimeOff, Keyed>
    /**
     * Set your own bank account.
     *
     * Replaces the one that is there. In the console it takes a password given in the last ten minutes.
     *
     * `worker.set_bank_account` takes `worker:write`.
     */
    set_bank_account: Change<WorkerSetBankAccountInput, Person, Versioned>
    /**
     * Sign an amendment as the worker.
     *
     * The second signature: the amendment takes effect on its date, or at once if that has come.
     *
     * `worker.sign_amendment` takes `worker:write`.
     */
    sign_amendment: Change<WorkerSignAmendmentInput, Amendment, Keyed & Versioned>
    /**
     * Sign one of the calling worker’s contracts.
     *
     * `worker.sign_contract` takes `worker:write`.
     */
    sign_contract: Change<WorkerSignContractInput, Contract, Keyed & Versioned>
    /**
     * Change an adjustment that the calling worker submitted.
     *
     * Only while it is pending.
     *
     * `worker.update_invoice_adjustment` takes `worker:write`.
     */
    update_invoice_adjustment: Change<WorkerUpdateInvoiceAdjustmentInput, InvoiceAdjustment, Keyed & Versioned>
    /**
     * Change your own data.
     *
     * `worker.update_profile` takes `worker:write`.
     */
    update_profile: Change<WorkerUpdateProfileInput, Person, Keyed & Versioned>
    /**
     * Change a timesheet that the calling worker submitted.
     *
     * Only while it is pending.
     *
     * `worker.update_timesheet` takes `worker:write`.
     */
    update_timesheet: Change<WorkerUpdateTimesheetInput, Timesheet, Keyed & Versioned>
  }
  working_locations: {
    /**
     * Create a working location.
     *
     * `working_locations.create` takes `organizations:write`.
     */
    create: Change<WorkingLocationsCreateInput, WorkingLocation, Keyed>
    /**
     * Delete a working location.
     *
     * Only without people who work there.
     *
     * `working_locations.delete` takes `organizations:write`.
     */
    delete: Change<WorkingLocationsDeleteInput, void, Versioned>
    /**
     * Get a working location.
     *
     * `working_locations.get` takes `organizations:read`.
     */
    get: ReadVersion<WorkingLocationsGetInput, WorkingLocation>
    /**
     * List working locations.
     *
     * `working_locations.list` takes `organizations:read`.
     */
    list: List<WorkingLocationsListInput, WorkingLocation>
    /**
     * Change a working location.
     *
     * `working_locations.update` takes `organizations:write`.
     */
    update: Change<WorkingLocationsUpdateInput, WorkingLocation, Keyed & Versioned>
  }
}

/** The entry of each type of event. */
export interface EventEntries {
  /** An API token was created. */
  'api-token.created': ApiTokenCreatedEntry
  /** An API token ends in 14 days, and again in one day. */
  'api-token.expiring': ApiTokenCreatedEntry
  /** An API token was ended before its time. */
  'api-token.revoked': ApiTokenCreatedEntry
  /** An amendment took effect. */
  'contract.amended': {
    /** Lower-case UUID. */
    contract_id: string
    worker_email: string
    status: Open<'pending' | 'active' | 'completed' | 'terminated' | 'cancelled' | 'rejected'>
    /** RFC 3339 time. */
    created_at: string
    type: Open<'fixed_rate' | 'pay_as_you_go' | 'milestone' | 'employee'>
    /** ISO 3166-1 alpha-2 code. */
    country: string
    title: string
    external_id: string | null
    /** Lower-case UUID. */
    worker_id: string
    /** Date, YYYY-MM-DD. */
    start_date: string
    end_date: string | null
    last_day: string | null
    /** Lower-case UUID. */
    amendment_id: string
    /** Date, YYYY-MM-DD. */
    effective_date: string
    changes: Array<{
      field: Open<'amount' | 'scale' | 'frequency' | 'cycle_end_type' | 'cycle_end' | 'payment_due_days' | 'pay_before_weekends' | 'proration' | 'end_date' | 'job_title' | 'seniority' | 'scope_of_work' | 'special_clause' | 'notice_period_days' | 'first_cycle_end'>
      /** Sensitive: `compensation`. */
      from: string | number | boolean | null
      /** Sensitive: `compensation`. */
      to: string | number | boolean | null
    }>
  }
  /** An amendment was drafted. */
  'contract.amendment.created': ContractAmendmentCreatedEntry
  /** The worker declined an amendment, the client withdrew it, or the contract ended. */
  'contract.amendment.declined': {
    /** Lower-case UUID. */
    contract_id: string
    worker_email: string
    type: Open<'fixed_rate' | 'pay_as_you_go' | 'milestone' | 'employee'>
    /** ISO 3166-1 alpha-2 code. */
    country: string
    /** Lower-case UUID. */
    amendment_id: string
    status: Open<'initial' | 'pending' | 'approved' | 'active' | 'outdated' | 'declined'>
    sign_status: Open<'pending' | 'waiting_for_approval' | 'approved' | 'declined'>
    /** RFC 3339 time. */
    created_at: string
    effective_date: string | null
    contract_status: Open<'pending' | 'active' | 'completed' | 'terminated' | 'cancelled' | 'rejected'>
    changes: Array<{
      field: Open<'amount' | 'scale' | 'frequency' | 'cycle_end_type' | 'cycle_end' | 'payment_due_days' | 'pay_before_weekends' | 'proration' | 'end_date' | 'job_title' | 'seniority' | 'scope_of_work' | 'special_clause' | 'notice_period_days' | 'first_cycle_end'>
      /** Sensitive: `compensation`. */
      from: string | number | boolean | null
      /** Sensitive: `compensation`. */
      to: string | number | boolean | null
    }>
    declined_by: Actor
    reason: string | null
  }
  /** One party signed an amendment. */
  'contract.amendment.signed': {
    /** Lower-case UUID. */
    contract_id: string
    worker_email: string
    type: Open<'fixed_rate' | 'pay_as_you_go' | 'milestone' | 'employee'>
    /** ISO 3166-1 alpha-2 code. */
    country: string
    /** Lower-case UUID. */
    amendment_id: string
    status: Open<'initial' | 'pending' | 'approved' | 'active' | 'outdated' | 'declined'>
    sign_status: Open<'pending' | 'waiting_for_approval' | 'approved' | 'declined'>
    /** RFC 3339 time. */
    created_at: string
    effective_date: string | null
    contract_status: Open<'pending' | 'active' | 'completed' | 'terminated' | 'cancelled' | 'rejected'>
    changes: Array<{
      field: Open<'amount' | 'scale' | 'frequency' | 'cycle_end_type' | 'cycle_end' | 'payment_due_days' | 'pay_before_weekends' | 'proration' | 'end_date' | 'job_title' | 'seniority' | 'scope_of_work' | 'special_clause' | 'notice_period_days' | 'first_cycle_end'>
      /** Sensitive: `compensation`. */
      from: string | number | boolean | null
      /** Sensitive: `compensation`. */
      to: string | number | boolean | null
    }>
    party: Open<'client' | 'worker'>
    /** RFC 3339 time. */
    signed_at: string
  }
  /** The status or the sign status of an amendment changed. */
  'contract.amendment.status.updated': {
    /** Lower-case UUID. */
    contract_id: string
    worker_email: string
    type: Open<'fixed_rate' | 'pay_as_you_go' | 'milestone' | 'employee'>
    /** ISO 3166-1 alpha-2 code. */
    country: string
    /** Lower-case UUID. */
    amendment_id: string
    status: Open<'initial' | 'pending' | 'approved' | 'active' | 'outdated' | 'declined'>
    sign_status: Open<'pending' | 'waiting_for_approval' | 'approved' | 'declined'>
    /** RFC 3339 time. */
    created_at: string
    effective_date: string | null
    contract_status: Open<'pending' | 'active' | 'completed' | 'terminated' | 'cancelled' | 'rejected'>
    changes: Array<{
      field: Open<'amount' | 'scale' | 'frequency' | 'cycle_end_type' | 'cycle_end' | 'payment_due_days' | 'pay_before_weekends' | 'proration' | 'end_date' | 'job_title' | 'seniority' | 'scope_of_work' | 'special_clause' | 'notice_period_days' | 'first_cycle_end'>
      /** Sensitive: `compensation`. */
      from: string | number | boolean | null
      /** Sensitive: `compensation`. */
      to: string | number | boolean | null
    }>
    previous_status: Open<'initial' | 'pending' | 'approved' | 'active' | 'outdated' | 'declined'>
    previous_sign_status: Open<'pending' | 'waiting_for_approval' | 'approved' | 'declined'>
  }
  /** The draft of an amendment changed. */
  'contract.amendment.updated': ContractAmendmentCreatedEntry
  /** An ended contract was put into the archive. */
  'contract.archived': ContractArchivedEntry
  /** The client withdrew a contract before it became active. */
  'contract.cancelled': ContractRejectedEntry
  /** A contract ended as planned. */
  'contract.completed': ContractTerminatedEntry
  /** A contract was stored. */
  'contract.created': {
    /** Lower-case UUID. */
    contract_id: string
    worker_email: string
    status: Open<'pending' | 'active' | 'completed' | 'terminated' | 'cancelled' | 'rejected'>
    /** RFC 3339 time. */
    created_at: string
    type: Open<'fixed_rate' | 'pay_as_you_go' | 'milestone' | 'employee'>
    /** ISO 3166-1 alpha-2 code. */
    country: string
    title: string
    external_id: string | null
    /** Lower-case UUID. */
    worker_id: string
    /** Date, YYYY-MM-DD. */
    start_date: string
    end_date: string | null
    last_day: string | null
  }
  /** The invitation to a contract ran out. */
  'contract.invitation.expired': ContractInvitationSentEntry
  /** The invitation to a contract was taken back. */
  'contract.invitation.revoked': ContractInvitationSentEntry
  /** The worker was invited to review and sign a contract. */
  'contract.invitation.sent': ContractInvitationSentEntry
  /** The worker refused a contract. */
  'contract.rejected': ContractRejectedEntry
  /** One party signed a contract. */
  'contract.signature.added': {
    /** Lower-case UUID. */
    contract_id: string
    worker_email: string
    status: Open<'pending' | 'active' | 'completed' | 'terminated' | 'cancelled' | 'rejected'>
    /** RFC 3339 time. */
    created_at: string
    type: Open<'fixed_rate' | 'pay_as_you_go' | 'milestone' | 'employee'>
    /** ISO 3166-1 alpha-2 code. */
    country: string
    title: string
    external_id: string | null
    /** Lower-case UUID. */
    worker_id: string
    /** Date, YYYY-MM-DD. */
    start_date: string
    end_date: string | null
    last_day: string | null
    party: Open<'client' | 'worker'>
    /** RFC 3339 time. */
    signed_at: string
  }
  /** Both signatures of a contract are present. */
  'contract.signed': {
    /** Lower-case UUID. */
    contract_id: string
    worker_email: string
    status: Open<'pending' | 'active' | 'completed' | 'terminated' | 'cancelled' | 'rejected'>
    /** RFC 3339 time. */
    created_at: string
    type: Open<'fixed_rate' | 'pay_as_you_go' | 'milestone' | 'employee'>
    /** ISO 3166-1 alpha-2 code. */
    country: string
    title: string
    external_id: string | null
    /** Lower-case UUID. */
    worker_id: string
    /** Date, YYYY-MM-DD. */
    start_date: string
    end_date: string | null
    last_day: string | null
    /** RFC 3339 time. */
    client_signed_at: string
    /** RFC 3339 time. */
    worker_signed_at: string
  }
  /** The status of a contract changed. */
  'contract.status.updated': {
    /** Lower-case UUID. */
    contract_id: string
    worker_email: string
    status: Open<'pending' | 'active' | 'completed' | 'terminated' | 'cancelled' | 'rejected'>
    /** RFC 3339 time. */
    created_at: string
    type: Open<'fixed_rate' | 'pay_as_you_go' | 'milestone' | 'employee'>
    /** ISO 3166-1 alpha-2 code. */
    country: string
    title: string
    external_id: string | null
    /** Lower-case UUID. */
    worker_id: string
    /** Date, YYYY-MM-DD. */
    start_date: string
    end_date: string | null
    last_day: string | null
    previous_status: Open<'pending' | 'active' | 'completed' | 'terminated' | 'cancelled' | 'rejected'>
  }
  /** A contract ended by resignation or termination. */
  'contract.terminated': ContractTerminatedEntry
  /** The termination of a contract was withdrawn. */
  'contract.termination.cancelled': ContractTerminationRequestedEntry
  /** A date was set on which a contract ends. */
  'contract.termination.requested': ContractTerminationRequestedEntry
  /** A contract was taken out of the archive. */
  'contract.unarchived': ContractArchivedEntry
  /** Fields of a contract were changed directly. */
  'contract.updated': {
    /** Lower-case UUID. */
    contract_id: string
    worker_email: string
    status: Open<'pending' | 'active' | 'completed' | 'terminated' | 'cancelled' | 'rejected'>
    /** RFC 3339 time. */
    created_at: string
    type: Open<'fixed_rate' | 'pay_as_you_go' | 'milestone' | 'employee'>
    /** ISO 3166-1 alpha-2 code. */
    country: string
    title: string
    external_id: string | null
    /** Lower-case UUID. */
    worker_id: string
    /** Date, YYYY-MM-DD. */
    start_date: string
    end_date: string | null
    last_day: string | null
    changed_fields: Array<string>
    signatures_cleared: boolean
  }
  /** The definition of a custom field was stored. */
  'custom-field.created': CustomFieldCreatedEntry
  /** The definition of a custom field was removed. */
  'custom-field.deleted': CustomFieldCreatedEntry
  /** The definition of a custom field changed. */
  'custom-field.updated': {
    /** Lower-case UUID. */
    custom_field_id: string
    name: string
    /** RFC 3339 time. */
    created_at: string
    key: string
    entity: Open<'person' | 'contract'>
    type: Open<'text' | 'number' | 'date' | 'boolean' | 'select' | 'multi_select'>
    category: Open<'compensation' | 'bank_details' | 'personal_identifiers' | 'home_address' | 'health_and_leave'> | null
    changed_fields: Array<string>
  }
  /** A department was stored. */
  'department.created': DepartmentCreatedEntry
  /** A department was removed. */
  'department.deleted': DepartmentCreatedEntry
  /** A department changed. */
  'department.updated': {
    /** Lower-case UUID. */
    department_id: string
    name: string
    /** RFC 3339 time. */
    created_at: string
    external_id: string | null
    parent_id: string | null
    changed_fields: Array<string>
  }
  /** An adjustment was stored. */
  'invoice-adjustment.created': {
    /** Lower-case UUID. */
    invoice_adjustment_id: string
    /** Lower-case UUID. */
    contract_id: string
    /** Lower-case UUID. */
    worker_id: string
    worker_email: string
    type: Open<'bonus' | 'commission' | 'deduction' | 'expense' | 'milestone' | 'overtime' | 'other'>
    status: Open<'pending' | 'approved' | 'declined' | 'invoiced' | 'paid' | 'not_payable'>
    /** Sensitive: `compensation`. */
    amount: string | null
    /** ISO 4217 code. */
    currency: string
    /** Date, YYYY-MM-DD. */
    date: string
    is_recurring: boolean
    recurred_from_id: string | null
    external_id: string | null
    /** RFC 3339 time. */
    created_at: string
  }
  /** An adjustment was removed. */
  'invoice-adjustment.deleted': {
    /** Lower-case UUID. */
    invoice_adjustment_id: string
    /** Lower-case UUID. */
    contract_id: string
    /** Lower-case UUID. */
    worker_id: string
    worker_email: string
    type: Open<'bonus' | 'commission' | 'deduction' | 'expense' | 'milestone' | 'overtime' | 'other'>
    status: Open<'pending' | 'approved' | 'declined' | 'invoiced' | 'paid' | 'not_payable'>
    /** Sensitive: `compensation`. */
    amount: string | null
    /** ISO 4217 code. */
    currency: string
    /** Date, YYYY-MM-DD. */
    date: string
    is_recurring: boolean
    recurred_from_id: string | null
    external_id: string | null
    /** RFC 3339 time. */
    created_at: string
    reason: string | null
  }
  /** An adjustment was approved or declined. */
  'invoice-adjustment.reviewed': {
    /** Lower-case UUID. */
    invoice_adjustment_id: string
    /** Lower-case UUID. */
    contract_id: string
    /** Lower-case UUID. */
    worker_id: string
    worker_email: string
    type: Open<'bonus' | 'commission' | 'deduction' | 'expense' | 'milestone' | 'overtime' | 'other'>
    status: Open<'pending' | 'approved' | 'declined' | 'invoiced' | 'paid' | 'not_payable'>
    /** Sensitive: `compensation`. */
    amount: string | null
    /** ISO 4217 code. */
    currency: string
    /** Date, YYYY-MM-DD. */
    date: string
    is_recurring: boolean
    recurred_from_id: string | null
    external_id: string | null
    /** RFC 3339 time. */
    created_at: string
    reviewed_by: Actor
    reason: string | null
  }
  /** An adjustment was invoiced, paid, freed or found not payable. */
  'invoice-adjustment.status.updated': {
    /** Lower-case UUID. */
    invoice_adjustment_id: string
    /** Lower-case UUID. */
    contract_id: string
    /** Lower-case UUID. */
    worker_id: string
    worker_email: string
    type: Open<'bonus' | 'commission' | 'deduction' | 'expense' | 'milestone' | 'overtime' | 'other'>
    status: Open<'pending' | 'approved' | 'declined' | 'invoiced' | 'paid' | 'not_payable'>
    /** Sensitive: `compensation`. */
    amount: string | null
    /** ISO 4217 code. */
    currency: string
    /** Date, YYYY-MM-DD. */
    date: string
    is_recurring: boolean
    recurred_from_id: string | null
    external_id: string | null
    /** RFC 3339 time. */
    created_at: string
    previous_status: Open<'pending' | 'approved' | 'declined' | 'invoiced' | 'paid' | 'not_payable'>
    invoice_id: string | null
  }
  /** An adjustment changed. */
  'invoice-adjustment.updated': {
    /** Lower-case UUID. */
    invoice_adjustment_id: string
    /** Lower-case UUID. */
    contract_id: string
    /** Lower-case UUID. */
    worker_id: string
    worker_email: string
    type: Open<'bonus' | 'commission' | 'deduction' | 'expense' | 'milestone' | 'overtime' | 'other'>
    status: Open<'pending' | 'approved' | 'declined' | 'invoiced' | 'paid' | 'not_payable'>
    /** Sensitive: `compensation`. */
    amount: string | null
    /** ISO 4217 code. */
    currency: string
    /** Date, YYYY-MM-DD. */
    date: string
    is_recurring: boolean
    recurred_from_id: string | null
    external_id: string | null
    /** RFC 3339 time. */
    created_at: string
    changed_fields: Array<string>
  }
  /** An invoice was taken back. */
  'invoice.cancelled': {
    /** Lower-case UUID. */
    invoice_id: string
    /** Counted per year. */
    number: string
    /** Lower-case UUID. */
    contract_id: string
    /** Lower-case UUID. */
    worker_id: string
    worker_email: string
    status: Open<'pending' | 'processing' | 'paid' | 'cancelled'>
    /** Of no payment cycle. */
    is_off_cycle: boolean
    /** ISO 4217 code. */
    currency: string
    /** Sensitive: `compensation`. */
    subtotal: string | null
    /** Sensitive: `compensation`. */
    vat_total: string | null
    /** Sensitive: `compensation`. */
    total: string | null
    /** Date, YYYY-MM-DD. */
    issue_date: string
    /** Date, YYYY-MM-DD. */
    due_date: string
    payment_id: string | null
    /** RFC 3339 time. */
    created_at: string
    reason: string
  }
  /** An invoice was issued. */
  'invoice.created': InvoiceCreatedEntry
  /** An invoice is unpaid after its due date. */
  'invoice.overdue': InvoiceCreatedEntry
  /** An invoice was settled. */
  'invoice.paid': {
    /** Lower-case UUID. */
    invoice_id: string
    /** Counted per year. */
    number: string
    /** Lower-case UUID. */
    contract_id: string
    /** Lower-case UUID. */
    worker_id: string
    worker_email: string
    status: Open<'pending' | 'processing' | 'paid' | 'cancelled'>
    /** Of no payment cycle. */
    is_off_cycle: boolean
    /** ISO 4217 code. */
    currency: string
    /** Sensitive: `compensation`. */
    subtotal: string | null
    /** Sensitive: `compensation`. */
    vat_total: string | null
    /** Sensitive: `compensation`. */
    total: string | null
    /** Date, YYYY-MM-DD. */
    issue_date: string
    /** Date, YYYY-MM-DD. */
    due_date: string
    payment_id: string | null
    /** RFC 3339 time. */
    created_at: string
    /** RFC 3339 time. */
    paid_at: string
  }
  /** The status of an invoice changed. */
  'invoice.status.updated': {
    /** Lower-case UUID. */
    invoice_id: string
    /** Counted per year. */
    number: string
    /** Lower-case UUID. */
    contract_id: string
    /** Lower-case UUID. */
    worker_id: string
    worker_email: string
    status: Open<'pending' | 'processing' | 'paid' | 'cancelled'>
    /** Of no payment cycle. */
    is_off_cycle: boolean
    /** ISO 4217 code. */
    currency: string
    /** Sensitive: `compensation`. */
    subtotal: string | null
    /** Sensitive: `compensation`. */
    vat_total: string | null
    /** Sensitive: `compensation`. */
    total: string | null
    /** Date, YYYY-MM-DD. */
    issue_date: string
    /** Date, YYYY-MM-DD. */
    due_date: string
    payment_id: string | null
    /** RFC 3339 time. */
    created_at: string
    previous_status: Open<'pending' | 'processing' | 'paid' | 'cancelled'>
  }
  /** A legal entity was stored. */
  'legal-entity.created': LegalEntityCreatedEntry
  /** A legal entity was removed. */
  'legal-entity.deleted': LegalEntityCreatedEntry
  /** A legal entity changed. */
  'legal-entity.updated': {
    /** Lower-case UUID. */
    legal_entity_id: string
    name: string
    /** RFC 3339 time. */
    created_at: string
    external_id: string | null
    country: string | null
    is_default: boolean
    changed_fields: Array<string>
  }
  /** The permission of an application was ended before its time. */
  'oauth-grant.revoked': ApiTokenCreatedEntry
  /** The test clock of a sandbox moved. */
  'organization.clock.advanced': {
    /** Lower-case UUID. */
    organization_id: string
    name: string
    /** RFC 3339 time. */
    previous_now: string
    /** RFC 3339 time. */
    now: string
  }
  /** Settings of the organization changed. */
  'organization.updated': {
    /** Lower-case UUID. */
    organization_id: string
    name: string
    changed_fields: Array<string>
  }
  /** A cycle ended, with or without an invoice. */
  'payment-cycle.closed': {
    /** Lower-case UUID. */
    payment_cycle_id: string
    /** Lower-case UUID. */
    contract_id: string
    status: Open<'upcoming' | 'active' | 'invoiced' | 'paid' | 'skipped' | 'cancelled'>
    /** Date, YYYY-MM-DD. */
    start_date: string
    /** Date, YYYY-MM-DD. */
    end_date: string
    invoice_id: string | null
    worker_email: string
  }
  /** A second person released a payment. */
  'payment.approved': {
    /** Lower-case UUID. */
    payment_id: string
    number: string
    status: Open<'pending_approval' | 'processing' | 'completed' | 'failed' | 'cancelled'>
    /** ISO 4217 code. */
    currency: string
    /** Sensitive: `compensation`. */
    total: string | null
    /** Sensitive: `compensation`. */
    fee: string | null
    provider: string
    reference: string | null
    external_id: string | null
    invoices: Array<{
      /** Lower-case UUID. */
      invoice_id: string
      number: string
      /** Lower-case UUID. */
      contract_id: string
      worker_email: string
      /** Sensitive: `compensation`. */
      total: string | null
    }>
    /** RFC 3339 time. */
    created_at: string
    approved_by: Actor
  }
  /** A payment was withdrawn before its approval. */
  'payment.cancelled': {
    /** Lower-case UUID. */
    payment_id: string
    number: string
    status: Open<'pending_approval' | 'processing' | 'completed' | 'failed' | 'cancelled'>
    /** ISO 4217 code. */
    currency: string
    /** Sensitive: `compensation`. */
    total: string | null
    /** Sensitive: `compensation`. */
    fee: string | null
    provider: string
    reference: string | null
    external_id: string | null
    invoices: Array<{
      /** Lower-case UUID. */
      invoice_id: string
      number: string
      /** Lower-case UUID. */
      contract_id: string
      worker_email: string
      /** Sensitive: `compensation`. */
      total: string | null
    }>
    /** RFC 3339 time. */
    created_at: string
    /** RFC 3339 time. */
    cancelled_at: string
    reason: string | null
  }
  /** The provider or the operator confirmed settlement. */
  'payment.completed': {
    /** Lower-case UUID. */
    payment_id: string
    number: string
    status: Open<'pending_approval' | 'processing' | 'completed' | 'failed' | 'cancelled'>
    /** ISO 4217 code. */
    currency: string
    /** Sensitive: `compensation`. */
    total: string | null
    /** Sensitive: `compensation`. */
    fee: string | null
    provider: string
    reference: string | null
    external_id: string | null
    invoices: Array<{
      /** Lower-case UUID. */
      invoice_id: string
      number: string
      /** Lower-case UUID. */
      contract_id: string
      worker_email: string
      /** Sensitive: `compensation`. */
      total: string | null
    }>
    /** RFC 3339 time. */
    created_at: string
    /** RFC 3339 time. */
    completed_at: string
  }
  /** A payment was stored. */
  'payment.created': {
    /** Lower-case UUID. */
    payment_id: string
    number: string
    status: Open<'pending_approval' | 'processing' | 'completed' | 'failed' | 'cancelled'>
    /** ISO 4217 code. */
    currency: string
    /** Sensitive: `compensation`. */
    total: string | null
    /** Sensitive: `compensation`. */
    fee: string | null
    provider: string
    reference: string | null
    external_id: string | null
    invoices: Array<{
      /** Lower-case UUID. */
      invoice_id: string
      number: string
      /** Lower-case UUID. */
      contract_id: string
      worker_email: string
      /** Sensitive: `compensation`. */
      total: string | null
    }>
    /** RFC 3339 time. */
    created_at: string
  }
  /** The settlement of a payment was refused. */
  'payment.failed': {
    /** Lower-case UUID. */
    payment_id: string
    number: string
    status: Open<'pending_approval' | 'processing' | 'completed' | 'failed' | 'cancelled'>
    /** ISO 4217 code. */
    currency: string
    /** Sensitive: `compensation`. */
    total: string | null
    /** Sensitive: `compensation`. */
    fee: string | null
    provider: string
    reference: string | null
    external_id: string | null
    invoices: Array<{
      /** Lower-case UUID. */
      invoice_id: string
      number: string
      /** Lower-case UUID. */
      contract_id: string
      worker_email: string
      /** Sensitive: `compensation`. */
      total: string | null
    }>
    /** RFC 3339 time. */
    created_at: string
    /** RFC 3339 time. */
    failed_at: string
    failure_reason: string
  }
  /** A payment was handed to its provider. */
  'payment.initiated': {
    /** Lower-case UUID. */
    payment_id: string
    number: string
    status: Open<'pending_approval' | 'processing' | 'completed' | 'failed' | 'cancelled'>
    /** ISO 4217 code. */
    currency: string
    /** Sensitive: `compensation`. */
    total: string | null
    /** Sensitive: `compensation`. */
    fee: string | null
    provider: string
    reference: string | null
    external_id: string | null
    invoices: Array<{
      /** Lower-case UUID. */
      invoice_id: string
      number: string
      /** Lower-case UUID. */
      contract_id: string
      worker_email: string
      /** Sensitive: `compensation`. */
      total: string | null
    }>
    /** RFC 3339 time. */
    created_at: string
    /** RFC 3339 time. */
    initiated_at: string
  }
  /** The payout details of a person were set or removed. */
  'person.bank-account.updated': PersonCreatedEntry
  /** A person was stored. */
  'person.created': PersonCreatedEntry
  /** A person was removed. */
  'person.deleted': PersonCreatedEntry
  /** Fields of a person changed, the status that follows from the contracts included. */
  'person.updated': {
    /** Lower-case UUID. */
    person_id: string
    external_id: string | null
    email: string | null
    /** Preferred or first name, then last name. */
    full_name: string
    worker_type: Open<'contractor' | 'employee'>
    status: Open<'pending' | 'active' | 'offboarding' | 'inactive'>
    access: Open<'none' | 'enabled' | 'disabled'>
    country: string | null
    /** RFC 3339 time. */
    created_at: string
    changed_fields: Array<string>
  }
  /** A team was stored. */
  'team.created': TeamCreatedEntry
  /** A team was removed. */
  'team.deleted': TeamCreatedEntry
  /** A team changed. */
  'team.updated': {
    /** Lower-case UUID. */
    team_id: string
    name: string
    /** RFC 3339 time. */
    created_at: string
    external_id: string | null
    changed_fields: Array<string>
  }
  /** A time-off policy was stored. */
  'time-off-policy.created': TimeOffPolicyCreatedEntry
  /** A time-off policy was removed. */
  'time-off-policy.deleted': TimeOffPolicyCreatedEntry
  /** A time-off policy changed. */
  'time-off-policy.updated': {
    /** Lower-case UUID. */
    time_off_policy_id: string
    name: string
    leave_type: Open<'vacation' | 'sick' | 'parental' | 'family' | 'public_duty' | 'unpaid' | 'other'>
    is_paid: boolean
    /** RFC 3339 time. */
    created_at: string
    changed_fields: Array<string>
  }
  /** Time off was cancelled by the client or the worker, or because the person left. */
  'time-off.cancelled': TimeOffCreatedEntry
  /** Time off was requested. */
  'time-off.created': TimeOffCreatedEntry
  /** Time off was approved or rejected. */
  'time-off.reviewed': {
    /** Lower-case UUID. */
    time_off_id: string
    /** Lower-case UUID. */
    person_id: string
    person_email: string | null
    status: Open<'requested' | 'approved' | 'rejected' | 'used' | 'cancelled'>
    /** Date, YYYY-MM-DD. */
    start_date: string
    /** Date, YYYY-MM-DD. */
    end_date: string
    /** Days: decimal string in steps of 0.5. */
    days: string
    /** Sensitive: `health_and_leave`. */
    policy: Ref | null
    /** Sensitive: `health_and_leave`. */
    leave_type: Open<'vacation' | 'sick' | 'parental' | 'family' | 'public_duty' | 'unpaid' | 'other'> | null
    /** RFC 3339 time. */
    created_at: string
    reviewed_by: Actor
  }
  /** Approved time off is over. */
  'time-off.status.updated': {
    /** Lower-case UUID. */
    time_off_id: string
    /** Lower-case UUID. */
    person_id: string
    person_email: string | null
    status: Open<'requested' | 'approved' | 'rejected' | 'used' | 'cancelled'>
    /** Date, YYYY-MM-DD. */
    start_date: string
    /** Date, YYYY-MM-DD. */
    end_date: string
    /** Days: decimal string in steps of 0.5. */
    days: string
    /** Sensitive: `health_and_leave`. */
    policy: Ref | null
    /** Sensitive: `health_and_leave`. */
    leave_type: Open<'vacation' | 'sick' | 'parental' | 'family' | 'public_duty' | 'unpaid' | 'other'> | null
    /** RFC 3339 time. */
    created_at: string
    previous_status: Open<'requested' | 'approved' | 'rejected' | 'used' | 'cancelled'>
  }
  /** A request for time off changed. */
  'time-off.updated': {
    /** Lower-case UUID. */
    time_off_id: string
    /** Lower-case UUID. */
    person_id: string
    person_email: string | null
    status: Open<'requested' | 'approved' | 'rejected' | 'used' | 'cancelled'>
    /** Date, YYYY-MM-DD. */
    start_date: string
    /** Date, YYYY-MM-DD. */
    end_date: string
    /** Days: decimal string in steps of 0.5. */
    days: string
    /** Sensitive: `health_and_leave`. */
    policy: Ref | null
    /** Sensitive: `health_and_leave`. */
    leave_type: Open<'vacation' | 'sick' | 'parental' | 'family' | 'public_duty' | 'unpaid' | 'other'> | null
    /** RFC 3339 time. */
    created_at: string
    changed_fields: Array<string>
  }
  /** A timesheet was stored. */
  'timesheet.created': {
    /** Lower-case UUID. */
    timesheet_id: string
    /** Lower-case UUID. */
    contract_id: string
    /** Lower-case UUID. */
    worker_id: string
    worker_email: string
    status: Open<'pending' | 'approved' | 'declined' | 'invoiced' | 'paid' | 'not_payable'>
    /** Date, YYYY-MM-DD. */
    start_date: string
    /** Date, YYYY-MM-DD. */
    end_date: string
    quantity: string
    scale: Open<'hourly' | 'daily'>
    /** Sensitive: `compensation`. */
    rate: string | null
    /** Sensitive: `compensation`. */
    total_amount: string | null
    /** ISO 4217 code. */
    currency: string
    external_id: string | null
    /** RFC 3339 time. */
    created_at: string
  }
  /** A timesheet was removed. */
  'timesheet.deleted': {
    /** Lower-case UUID. */
    timesheet_id: string
    /** Lower-case UUID. */
    contract_id: string
    /** Lower-case UUID. */
    worker_id: string
    worker_email: string
    status: Open<'pending' | 'approved' | 'declined' | 'invoiced' | 'paid' | 'not_payable'>
    /** Date, YYYY-MM-DD. */
    start_date: string
    /** Date, YYYY-MM-DD. */
    end_date: string
    quantity: string
    scale: Open<'hourly' | 'daily'>
    /** Sensitive: `compensation`. */
    rate: string | null
    /** Sensitive: `compensation`. */
    total_amount: string | null
    /** ISO 4217 code. */
    currency: string
    external_id: string | null
    /** RFC 3339 time. */
    created_at: string
    reason: string | null
  }
  /** A timesheet was approved or declined. */
  'timesheet.reviewed': {
    /** Lower-case UUID. */
    timesheet_id: string
    /** Lower-case UUID. */
    contract_id: string
    /** Lower-case UUID. */
    worker_id: string
    worker_email: string
    status: Open<'pending' | 'approved' | 'declined' | 'invoiced' | 'paid' | 'not_payable'>
    /** Date, YYYY-MM-DD. */
    start_date: string
    /** Date, YYYY-MM-DD. */
    end_date: string
    quantity: string
    scale: Open<'hourly' | 'daily'>
    /** Sensitive: `compensation`. */
    rate: string | null
    /** Sensitive: `compensation`. */
    total_amount: string | null
    /** ISO 4217 code. */
    currency: string
    external_id: string | null
    /** RFC 3339 time. */
    created_at: string
    reviewed_by: Actor
    reason: string | null
  }
  /** A timesheet was invoiced, paid, freed or found not payable. */
  'timesheet.status.updated': {
    /** Lower-case UUID. */
    timesheet_id: string
    /** Lower-case UUID. */
    contract_id: string
    /** Lower-case UUID. */
    worker_id: string
    worker_email: string
    status: Open<'pending' | 'approved' | 'declined' | 'invoiced' | 'paid' | 'not_payable'>
    /** Date, YYYY-MM-DD. */
    start_date: string
    /** Date, YYYY-MM-DD. */
    end_date: string
    quantity: string
    scale: Open<'hourly' | 'daily'>
    /** Sensitive: `compensation`. */
    rate: string | null
    /** Sensitive: `compensation`. */
    total_amount: string | null
    /** ISO 4217 code. */
    currency: string
    external_id: string | null
    /** RFC 3339 time. */
    created_at: string
    previous_status: Open<'pending' | 'approved' | 'declined' | 'invoiced' | 'paid' | 'not_payable'>
    invoice_id: string | null
  }
  /** A timesheet changed. */
  'timesheet.updated': {
    /** Lower-case UUID. */
    timesheet_id: string
    /** Lower-case UUID. */
    contract_id: string
    /** Lower-case UUID. */
    worker_id: string
    worker_email: string
    status: Open<'pending' | 'approved' | 'declined' | 'invoiced' | 'paid' | 'not_payable'>
    /** Date, YYYY-MM-DD. */
    start_date: string
    /** Date, YYYY-MM-DD. */
    end_date: string
    quantity: string
    scale: Open<'hourly' | 'daily'>
    /** Sensitive: `compensation`. */
    rate: string | null
    /** Sensitive: `compensation`. */
    total_amount: string | null
    /** ISO 4217 code. */
    currency: string
    external_id: string | null
    /** RFC 3339 time. */
    created_at: string
    changed_fields: Array<string>
  }
  /** The access of a person ended, with all its sessions, tokens and grants. */
  'user.deprovisioned': PersonCreatedEntry
  /** A person may sign in: an invitation was taken up. */
  'user.provisioned': PersonCreatedEntry
  /** A subscription was disabled: by a person, or because its receiver failed. */
  'webhook.disabled': WebhookFailingEntry
  /** A disabled subscription was enabled again; what was held is sent or discarded. */
  'webhook.enabled': WebhookFailingEntry
  /** Deliveries to a subscription have failed several times in a row; it is not disabled yet. */
  'webhook.failing': WebhookFailingEntry
  /** A token for one worker was minted. */
  'worker-token.created': ApiTokenCreatedEntry
  /** A working location was stored. */
  'working-location.created': WorkingLocationCreatedEntry
  /** A working location was removed. */
  'working-location.deleted': WorkingLocationCreatedEntry
  /** A working location changed. */
  'working-location.updated': {
    /** Lower-case UUID. */
    working_location_id: string
    name: string
    /** RFC 3339 time. */
    created_at: string
    external_id: string | null
    /** ISO 3166-1 alpha-2 code. */
    country: string
    changed_fields: Array<string>
  }
}

/** Codes of the problems that this version of the service answers with. */
export type ProblemCode =
| 'already_signed'
| 'amount_precision'
| 'approver_is_maker'
| 'body_too_large'
| 'clock_advancing'
| 'confirmation_outdated'
| 'contract_type_unsupported'
| 'currency_mismatch'
| 'cursor_expired'
| 'date_out_of_range'
| 'delivery_busy'
| 'dry_run_unsupported'
| 'effective_date_not_cycle_start'
| 'effective_date_taken'
| 'email_in_use'
| 'expectation_failed'
| 'external_id_in_use'
| 'foreign_origin'
| 'has_dependents'
| 'headers_too_large'
| 'hierarchy_cycle'
| 'host_forbidden'
| 'https_required'
| 'idempotency_in_progress'
| 'idempotency_key_reused'
| 'insufficient_entitlement'
| 'insufficient_scope'
| 'internal_error'
| 'invalid_cursor'
| 'invalid_state'
| 'invalid_terms'
| 'key_is_primary'
| 'label_in_use'
| 'last_owner'
| 'malformed_json'
| 'malformed_request'
| 'method_not_allowed'
| 'missing_value'
| 'mixed_currencies'
| 'name_in_use'
| 'negative_total'
| 'no_open_invitation'
| 'not_found'
| 'not_subscribed'
| 'nothing_to_change'
| 'nothing_to_invoice'
| 'open_amendment_exists'
| 'own_login_required'
| 'payee_account_changed'
| 'precondition_failed'
| 'provider_controlled'
| 'quantity_exceeds_period'
| 'range_outside_retention'
| 'rate_limited'
| 'reauthentication_required'
| 'reference_not_found'
| 'replay_finished'
| 'replay_running'
| 'request_timeout'
| 'rotation_open'
| 'sandbox_only'
| 'second_factor_required'
| 'sensitive_data_required'
| 'simulation_limit'
| 'subscription_disabled'
| 'subscription_limit_reached'
| 'terms_changed'
| 'terms_locked'
| 'time_off_overlap'
| 'unauthenticated'
| 'unavailable'
| 'unknown_event_type'
| 'unsupported_media_type'
| 'url_address_forbidden'
| 'url_credentials'
| 'url_fragment'
| 'url_host_forbidden'
| 'url_invalid'
| 'url_not_https'
| 'url_own_host'
| 'url_port_forbidden'
| 'user_required'
| 'validation_failed'

/** Input of `amendments.create`. */
export interface AmendmentsCreateInput {
  /** Lower-case UUID. */
  contract_id: string
  effective_date?: string | null | undefined
  reason?: string | null | undefined
  /** The terms that change; those left out stay as they are. */
  terms: TermsInput
}

/** Input of `amendments.get`. */
export interface AmendmentsGetInput {
  /** Lower-case UUID. */
  contract_id: string
  /** Lower-case UUID. */
  amendment_id: string
}

/** Input of `amendments.list`. */
export interface AmendmentsListInput {
  /** Lower-case UUID. */
  contract_id: string
  /** Rows per page. Default `20`. */
  limit?: number | undefined
  /** Cursor of the previous page. */
  cursor?: string | undefined
  /** Changed after this time. */
  updated_after?: string | undefined
  /** Any of these statuses. */
  statuses?: ReadonlyArray<'initial' | 'pending' | 'approved' | 'active' | 'outdated' | 'declined'> | undefined
  /** Any of these sign statuses. */
  sign_statuses?: ReadonlyArray<'pending' | 'waiting_for_approval' | 'approved' | 'declined'> | undefined
}

/** Input of `amendments.sign`. */
export interface AmendmentsSignInput {
  /** Lower-case UUID. */
  contract_id: string
  /** Lower-case UUID. */
  amendment_id: string
  /** The name that stands as signature. */
  signer_name: string
  /** The `terms_version` that was read; no other is signed. */
  terms_version?: number | undefined
}

/** Input of `amendments.update`. */
export interface AmendmentsUpdateInput {
  /** Lower-case UUID. */
  contract_id: string
  /** Lower-case UUID. */
  amendment_id: string
  effective_date?: string | null | undefined
  reason?: string | null | undefined
  /** The terms that change; those left out stay as they are. */
  terms?: TermsInput | undefined
}

/** Input of `amendments.withdraw`. */
export interface AmendmentsWithdrawInput {
  /** Lower-case UUID. */
  contract_id: string
  /** Lower-case UUID. */
  amendment_id: string
  reason?: string | null | undefined
}

/** Input of `api_tokens.create`. */
export interface ApiTokensCreateInput {
  name: string
  /** Default `"organization"`. */
  type?: 'organization' | 'personal' | undefined
  scopes: ReadonlyArray<'contracts:read' | 'contracts:write' | 'people:read' | 'people:write' | 'timesheets:read' | 'timesheets:write' | 'invoice-adjustments:read' | 'invoice-adjustments:write' | 'accounting:read' | 'accounting:write' | 'organizations:read' | 'organizations:write' | 'time-off:read' | 'time-off:write' | 'webhooks:read' | 'webhooks:write' | 'tokens:read' | 'tokens:write' | 'scim:read' | 'scim:write' | 'worker:read' | 'worker:write'>
  /** Default `[]`. */
  sensitive_data?: ReadonlyArray<'compensation' | 'bank_details' | 'personal_identifiers' | 'home_address' | 'health_and_leave'> | undefined
  expires_at?: string | null | undefined
}

/** Input of `api_tokens.delete`. */
export interface ApiTokensDeleteInput {
  /** Lower-case UUID. */
  api_token_id: string
}

/** Input of `api_tokens.get`. */
export interface ApiTokensGetInput {
  /** Lower-case UUID. */
  api_token_id: string
}

/** Input of `api_tokens.list`. */
export interface ApiTokensListInput {
  /** Rows per page. Default `20`. */
  limit?: number | undefined
  /** Cursor of the previous page. */
  cursor?: string | undefined
  /** Changed after this time. */
  updated_after?: string | undefined
  types?: ReadonlyArray<'organization' | 'personal'> | undefined
  /** RFC 3339 time. */
  expiring_before?: string | undefined
  /** RFC 3339 time. */
  unused_since?: string | undefined
}

/** Input of `api_tokens.rotate`. */
export interface ApiTokensRotateInput {
  /** Lower-case UUID. */
  api_token_id: string
  /** Seconds the old value stays valid. Default `3600`. */
  overlap_s?: number | undefined
}

/** Input of `audit.list`. */
export interface AuditListInput {
  /** Rows per page. Default `20`. */
  limit?: number | undefined
  /** Cursor of the previous page. */
  cursor?: string | undefined
  /** Changed after this time. */
  updated_after?: string | undefined
  /** Lower-case UUID. */
  actor_id?: string | undefined
  subject_kind?: string | undefined
  /** Id or name of it. */
  subject_id?: string | undefined
  /** Id of the operation, or kind of the timer. */
  action?: string | undefined
  /** RFC 3339 time. */
  from?: string | undefined
  /** RFC 3339 time. */
  to?: string | undefined
  /** The sealed batch that it is in; null for less than a minute. */
  batch_from?: number | undefined
  /** The sealed batch that it is in; null for less than a minute. */
  batch_to?: number | undefined
}

/** Input of `audit.list_batches`. */
export interface AuditListBatchesInput {
  /** Rows per page. Default `20`. */
  limit?: number | undefined
  /** Cursor of the previous page. */
  cursor?: string | undefined
  /** Changed after this time. */
  updated_after?: string | undefined
  /** Counted from 1 without a gap. */
  batch_from?: number | undefined
  /** Counted from 1 without a gap. */
  batch_to?: number | undefined
}

/** Input of `contracts.archive`. */
export interface ContractsArchiveInput {
  /** Lower-case UUID. */
  contract_id: string
}

/** Input of `contracts.cancel`. */
export interface ContractsCancelInput {
  /** Lower-case UUID. */
  contract_id: string
  reason?: string | null | undefined
}

/** Input of `contracts.cancel_termination`. */
export interface ContractsCancelTerminationInput {
  /** Lower-case UUID. */
  contract_id: string
}

/** Input of `contracts.create`. */
export interface ContractsCreateInput {
  /** What is paid: a fixed rate, reported work, milestones, a salary. */
  type: 'fixed_rate' | 'pay_as_you_go' | 'milestone' | 'employee'
  /** Name of the contract. */
  title: string
  external_id?: string | null | undefined
  /** Values by the keys of your custom fields; null clears one. */
  custom_fields?: Record<string, unknown> | undefined
  /** Lower-case UUID. */
  worker_id?: string | undefined
  /** Lower-case UUID. */
  legal_entity_id?: string | undefined
  team_id?: string | null | undefined
  /** ISO 3166-1 alpha-2 code. */
  country?: string | undefined
  region?: string | null | undefined
  /** IANA time zone, such as Europe/Berlin. */
  timezone?: string | undefined
  /** Date, YYYY-MM-DD. */
  start_date: string
  end_date?: string | null | undefined
  job_title?: string | null | undefined
  seniority?: string | null | undefined
  scope_of_work?: string | null | undefined
  special_clause?: string | null | undefined
  /** Days of notice; recorded, not enforced. */
  notice_period_days?: number | undefined
  /** What is paid, and when. */
  compensation: {
    amount?: string | null | undefined
    /** ISO 4217 code. */
    currency: string
    /** What the amount is for; has a default. */
    scale?: 'hourly' | 'daily' | 'weekly' | 'biweekly' | 'semimonthly' | 'monthly' | 'yearly' | undefined
    frequency?: 'weekly' | 'biweekly' | 'semimonthly' | 'monthly' | null | undefined
    cycle_end_type?: 'day_of_week' | 'day_of_month' | 'day_of_last_week' | null | undefined
    cycle_end?: number | null | undefined
    first_cycle_end?: string | null | undefined
    /** Days from the invoice to its due date; default 7. */
    payment_due_days?: number | undefined
    /** Weekend due dates move to Friday. */
    pay_before_weekends?: boolean | undefined
    /** Days that count in a part of a cycle. */
    proration?: 'calendar_days' | 'working_days' | undefined
  }
  /** For invoices that are issued later. */
  tax?: TaxInput | undefined
  /** Instead of worker_id: the person with this e-mail, made if there is none. */
  worker?: {
    /** First name. */
    first_name: string
    /** Last name. */
    last_name: string
    /** E-mail address. */
    email: string
    /** ISO 3166-1 alpha-2 code. */
    country: string
    region?: string | null | undefined
    external_id?: string | null | undefined
  } | undefined
}

/** Input of `contracts.get`. */
export interface ContractsGetInput {
  /** Lower-case UUID. */
  contract_id: string
}

/** Input of `contracts.get_invitation_link`. */
export interface ContractsGetInvitationLinkInput {
  /** Lower-case UUID. */
  contract_id: string
}

/** Input of `contracts.invite`. */
export interface ContractsInviteInput {
  /** Lower-case UUID. */
  contract_id: string
  /** Default: the worker’s e-mail address. */
  email?: string | undefined
  message?: string | null | undefined
  /** Default: the worker’s language. */
  locale?: string | undefined
}

/** Input of `contracts.list`. */
export interface ContractsListInput {
  /** Rows per page. Default `20`. */
  limit?: number | undefined
  /** Cursor of the previous page. */
  cursor?: string | undefined
  /** Changed after this time. */
  updated_after?: string | undefined
  /** Any of these statuses. */
  statuses?: ReadonlyArray<'pending' | 'active' | 'completed' | 'terminated' | 'cancelled' | 'rejected'> | undefined
  /** Any of these types. */
  types?: ReadonlyArray<'fixed_rate' | 'pay_as_you_go' | 'milestone' | 'employee'> | undefined
  /** Lower-case UUID. */
  worker_id?: string | undefined
  /** E-mail address. */
  worker_email?: string | undefined
  /** Lower-case UUID. */
  team_id?: string | undefined
  /** Lower-case UUID. */
  legal_entity_id?: string | undefined
  /** In any of these countries. */
  countries?: ReadonlyArray<string> | undefined
  /** Paid in any of these currencies. */
  currencies?: ReadonlyArray<string> | undefined
  /** Your own id of it; unique. */
  external_id?: string | undefined
  /** In the archive, or not. */
  is_archived?: boolean | undefined
  /** Date, YYYY-MM-DD. */
  start_date_from?: string | undefined
  /** Date, YYYY-MM-DD. */
  start_date_to?: string | undefined
  /** Beginnings of words of the title or of the worker’s name or e-mail. */
  search?: string | undefined
}

/** Input of `contracts.revoke_invitation`. */
export interface ContractsRevokeInvitationInput {
  /** Lower-case UUID. */
  contract_id: string
}

/** Input of `contracts.sign`. */
export interface ContractsSignInput {
  /** Lower-case UUID. */
  contract_id: string
  /** The name that stands as signature. */
  signer_name: string
  /** The `terms_version` that was read; no other is signed. */
  terms_version?: number | undefined
}

/** Input of `contracts.terminate`. */
export interface ContractsTerminateInput {
  /** Lower-case UUID. */
  contract_id: string
  /** Who ends it, or that its time is over. */
  type: 'resignation' | 'termination' | 'end_of_contract'
  completion_date?: string | null | undefined
  reason?: string | null | undefined
  message?: string | null | undefined
  eligible_for_rehire?: boolean | null | undefined
}

/** Input of `contracts.unarchive`. */
export interface ContractsUnarchiveInput {
  /** Lower-case UUID. */
  contract_id: string
}

/** Input of `contracts.update`. */
export interface ContractsUpdateInput {
  /** Lower-case UUID. */
  contract_id: string
  /** Name of the contract. */
  title?: string | undefined
  external_id?: string | null | undefined
  /** Values by the keys of your custom fields; null clears one. */
  custom_fields?: Record<string, unknown> | undefined
  team_id?: string | null | undefined
  region?: string | null | undefined
  /** Date, YYYY-MM-DD. */
  start_date?: string | undefined
  end_date?: string | null | undefined
  job_title?: string | null | undefined
  seniority?: string | null | undefined
  scope_of_work?: string | null | undefined
  special_clause?: string | null | undefined
  /** Days of notice; recorded, not enforced. */
  notice_period_days?: number | undefined
  /** What is paid, and when. */
  compensation?: {
    amount?: string | null | undefined
    /** What the amount is for; has a default. */
    scale?: 'hourly' | 'daily' | 'weekly' | 'biweekly' | 'semimonthly' | 'monthly' | 'yearly' | undefined
    frequency?: 'weekly' | 'biweekly' | 'semimonthly' | 'monthly' | null | undefined
    cycle_end_type?: 'day_of_week' | 'day_of_month' | 'day_of_last_week' | null | undefined
    cycle_end?: number | null | undefined
    first_cycle_end?: string | null | undefined
    /** Days from the invoice to its due date; default 7. */
    payment_due_days?: number | undefined
    /** Weekend due dates move to Friday. */
    pay_before_weekends?: boolean | undefined
    /** Days that count in a part of a cycle. */
    proration?: 'calendar_days' | 'working_days' | undefined
  } | undefined
  /** For invoices that are issued later. */
  tax?: TaxInput | undefined
}

/** Input of `custom_fields.create`. */
export interface CustomFieldsCreateInput {
  /** Names the value in custom_fields: 1 to 40 small letters, digits and _, a letter first. */
  key: string
  name: string
  entity: 'person' | 'contract'
  type: 'text' | 'number' | 'date' | 'boolean' | 'select' | 'multi_select'
  /** Of selects, and only of them. */
  options?: ReadonlyArray<string> | undefined
  category?: 'compensation' | 'bank_details' | 'personal_identifiers' | 'home_address' | 'health_and_leave' | null | undefined
}

/** Input of `custom_fields.delete`. */
export interface CustomFieldsDeleteInput {
  /** Lower-case UUID. */
  custom_field_id: string
}

/** Input of `custom_fields.get`. */
export interface CustomFieldsGetInput {
  /** Lower-case UUID. */
  custom_field_id: string
}

/** Input of `custom_fields.list`. */
export interface CustomFieldsListInput {
  /** Rows per page. Default `20`. */
  limit?: number | undefined
  /** Cursor of the previous page. */
  cursor?: string | undefined
  /** Changed after this time. */
  updated_after?: string | undefined
  entity?: 'person' | 'contract' | undefined
  /** Also those that were deleted. */
  include_deleted?: boolean | undefined
}

/** Input of `custom_fields.update`. */
export interface CustomFieldsUpdateInput {
  /** Lower-case UUID. */
  custom_field_id: string
  name?: string | undefined
  /** Of selects, and only of them. */
  options?: ReadonlyArray<string> | undefined
}

/** Input of `departments.create`. */
export interface DepartmentsCreateInput {
  name: string
  parent_id?: string | null | undefined
  external_id?: string | null | undefined
}

/** Input of `departments.delete`. */
export interface DepartmentsDeleteInput {
  /** Lower-case UUID. */
  department_id: string
}

/** Input of `departments.get`. */
export interface DepartmentsGetInput {
  /** Lower-case UUID. */
  department_id: string
}

/** Input of `departments.list`. */
export interface DepartmentsListInput {
  /** Rows per page. Default `20`. */
  limit?: number | undefined
  /** Cursor of the previous page. */
  cursor?: string | undefined
  /** Changed after this time. */
  updated_after?: string | undefined
  /** Beginnings of words of the name. */
  search?: string | undefined
  /** Lower-case UUID. */
  parent_id?: string | undefined
  /** Your own id of it; unique. */
  external_id?: string | undefined
  /** Also those that were deleted. */
  include_deleted?: boolean | undefined
}

/** Input of `departments.update`. */
export interface DepartmentsUpdateInput {
  /** Lower-case UUID. */
  department_id: string
  name?: string | undefined
  parent_id?: string | null | undefined
  external_id?: string | null | undefined
}

/** Input of `events.get`. */
export interface EventsGetInput {
  /** Lower-case UUID. */
  event_id: string
}

/** Input of `events.list`. */
export interface EventsListInput {
  /** Cursor of the previous page. */
  cursor?: string | undefined
  /** Events per page. Default `100`. */
  limit?: number | undefined
  event_types?: ReadonlyArray<string> | undefined
  /** Lower-case UUID. */
  resource_id?: string | undefined
  /** Where to begin without a cursor. Default `"oldest"`. */
  start?: 'oldest' | 'latest' | undefined
}

/** Input of `invoice_adjustments.create`. */
export interface InvoiceAdjustmentsCreateInput {
  /** Lower-case UUID. */
  contract_id: string
  /** Kind of amount; a deduction is taken off. */
  type: 'bonus' | 'commission' | 'deduction' | 'expense' | 'milestone' | 'overtime' | 'other'
  /** Decimal string, such as "4200.00". */
  amount: string
  /** That of the contract. */
  currency?: string | undefined
  /** The cycle of this date collects it; default: today. */
  date?: string | undefined
  /** VAT is added; default: all but expenses. */
  is_taxable?: boolean | undefined
  /** Each cycle makes a copy for the next. */
  is_recurring?: boolean | undefined
  recurring_until?: string | null | undefined
  /** Words for the invoice. */
  description: string
  external_id?: string | null | undefined
  /** False leaves it for a review. Default `true`. */
  auto_approve?: boolean | undefined
}

/** Input of `invoice_adjustments.delete`. */
export interface InvoiceAdjustmentsDeleteInput {
  /** Lower-case UUID. */
  invoice_adjustment_id: string
  /** Why it is removed. */
  reason?: string | undefined
}

/** Input of `invoice_adjustments.get`. */
export interface InvoiceAdjustmentsGetInput {
  /** Lower-case UUID. */
  invoice_adjustment_id: string
}

/** Input of `invoice_adjustments.list`. */
export interface InvoiceAdjustmentsListInput {
  /** Rows per page. Default `20`. */
  limit?: number | undefined
  /** Cursor of the previous page. */
  cursor?: string | undefined
  /** Changed after this time. */
  updated_after?: string | undefined
  /** Lower-case UUID. */
  contract_id?: string | undefined
  /** Lower-case UUID. */
  worker_id?: string | undefined
  /** Any of these statuses. */
  statuses?: ReadonlyArray<'pending' | 'approved' | 'declined' | 'invoiced' | 'paid' | 'not_payable'> | undefined
  /** Date, YYYY-MM-DD. */
  date_from?: string | undefined
  /** Date, YYYY-MM-DD. */
  date_to?: string | undefined
  /** Lower-case UUID. */
  invoice_id?: string | undefined
  /** Lower-case UUID. */
  payment_cycle_id?: string | undefined
  /** Your own id of it; unique. */
  external_id?: string | undefined
  /** Also those that were deleted. */
  include_deleted?: boolean | undefined
  /** Any of these types. */
  types?: ReadonlyArray<'bonus' | 'commission' | 'deduction' | 'expense' | 'milestone' | 'overtime' | 'other'> | undefined
  /** Each cycle makes a copy for the next. */
  is_recurring?: boolean | undefined
}

/** Input of `invoice_adjustments.review`. */
export interface InvoiceAdjustmentsReviewInput {
  /** Lower-case UUID. */
  invoice_adjustment_id: string
  /** The verdict; it stands. */
  status: 'approved' | 'declined'
  reason?: string | null | undefined
}

/** Input of `invoice_adjustments.review_many`. */
export interface InvoiceAdjustmentsReviewManyInput {
  /** Each of them is pending. */
  ids: ReadonlyArray<string>
  /** The verdict; it stands. */
  status: 'approved' | 'declined'
  reason?: string | null | undefined
}

/** Input of `invoice_adjustments.update`. */
export interface InvoiceAdjustmentsUpdateInput {
  /** Lower-case UUID. */
  invoice_adjustment_id: string
  /** Decimal string, such as "4200.00". */
  amount?: string | undefined
  /** The cycle of this date collects it; default: today. */
  date?: string | undefined
  /** VAT is added; default: all but expenses. */
  is_taxable?: boolean | undefined
  /** Each cycle makes a copy for the next. */
  is_recurring?: boolean | undefined
  recurring_until?: string | null | undefined
  /** Words for the invoice. */
  description?: string | undefined
  external_id?: string | null | undefined
}

/** Input of `invoices.cancel`. */
export interface InvoicesCancelInput {
  /** Lower-case UUID. */
  invoice_id: string
  /** Why it is taken back. */
  reason: string
}

/** Input of `invoices.create`. */
export interface InvoicesCreateInput {
  /** Lower-case UUID. */
  contract_id: string
  /** Approved timesheets of the contract. Default `[]`. */
  timesheet_ids?: ReadonlyArray<string> | undefined
  /** Approved adjustments of the contract. Default `[]`. */
  invoice_adjustment_ids?: ReadonlyArray<string> | undefined
}

/** Input of `invoices.export`. */
export interface InvoicesExportInput {
  /** First date of issue. */
  from: string
  /** Last date of issue, at most 366 days in all. */
  to: string
  /** In any of these currencies. */
  currencies?: ReadonlyArray<string> | undefined
  /** Lower-case UUID. */
  legal_entity_id?: string | undefined
}

/** Input of `invoices.get`. */
export interface InvoicesGetInput {
  /** Lower-case UUID. */
  invoice_id: string
}

/** Input of `invoices.get_pdf`. */
export interface InvoicesGetPdfInput {
  /** Lower-case UUID. */
  invoice_id: string
}

/** Input of `invoices.list`. */
export interface InvoicesListInput {
  /** Rows per page. Default `20`. */
  limit?: number | undefined
  /** Cursor of the previous page. */
  cursor?: string | undefined
  /** Changed after this time. */
  updated_after?: string | undefined
  /** Any of these statuses. */
  statuses?: ReadonlyArray<'pending' | 'processing' | 'paid' | 'cancelled'> | undefined
  /** Lower-case UUID. */
  contract_id?: string | undefined
  /** Lower-case UUID. */
  worker_id?: string | undefined
  /** Lower-case UUID. */
  legal_entity_id?: string | undefined
  /** In any of these currencies. */
  currencies?: ReadonlyArray<string> | undefined
  /** Date, YYYY-MM-DD. */
  issue_date_from?: string | undefined
  /** Date, YYYY-MM-DD. */
  issue_date_to?: string | undefined
  /** Date, YYYY-MM-DD. */
  due_date_from?: string | undefined
  /** Date, YYYY-MM-DD. */
  due_date_to?: string | undefined
  /** Unpaid after its due date. */
  is_overdue?: boolean | undefined
  /** Of no payment cycle. */
  is_off_cycle?: boolean | undefined
  /** Lower-case UUID. */
  payment_id?: string | undefined
  /** Counted per year. */
  number?: string | undefined
}

/** Input of `ledger.export`. */
export interface LedgerExportInput {
  /** First effective date. */
  from: string
  /** Last effective date, at most 366 days in all. */
  to: string
  /** In any of these currencies. */
  currencies?: ReadonlyArray<string> | undefined
}

/** Input of `ledger.get_transaction`. */
export interface LedgerGetTransactionInput {
  /** Lower-case UUID. */
  ledger_transaction_id: string
}

/** Input of `ledger.get_trial_balance`. */
export interface LedgerGetTrialBalanceInput {
  /** Default: today. */
  as_of?: string | undefined
}

/** Input of `ledger.list_accounts`. */
export interface LedgerListAccountsInput {
  /** Rows per page. Default `20`. */
  limit?: number | undefined
  /** Cursor of the previous page. */
  cursor?: string | undefined
  /** Changed after this time. */
  updated_after?: string | undefined
  /** Any of these accounts. */
  codes?: ReadonlyArray<'cash' | 'payments_in_transit' | 'vat_receivable' | 'worker_payable' | 'service_cost' | 'reimbursed_expenses' | 'payment_fees'> | undefined
  /** In any of these currencies. */
  currencies?: ReadonlyArray<string> | undefined
  /** Of worker_payable: the contract whose worker is owed. */
  contract_id?: string | undefined
}

/** Input of `ledger.list_transactions`. */
export interface LedgerListTransactionsInput {
  /** Rows per page. Default `20`. */
  limit?: number | undefined
  /** Cursor of the previous page. */
  cursor?: string | undefined
  /** Changed after this time. */
  updated_after?: string | undefined
  /** Of any of these kinds. */
  kinds?: ReadonlyArray<'invoice_issued' | 'payment_initiated' | 'payment_completed' | 'reversal'> | undefined
  /** Lower-case UUID. */
  account_id?: string | undefined
  /** Lower-case UUID. */
  contract_id?: string | undefined
  /** Lower-case UUID. */
  source_id?: string | undefined
  /** Date, YYYY-MM-DD. */
  effective_date_from?: string | undefined
  /** Date, YYYY-MM-DD. */
  effective_date_to?: string | undefined
}

/** Input of `legal_entities.create`. */
export interface LegalEntitiesCreateInput {
  name: string
  /** ISO 3166-1 alpha-2 code. */
  country: string
  kind?: 'company' | 'individual' | undefined
  registration_number?: string | null | undefined
  vat_id?: string | null | undefined
  address?: AddressInput | null | undefined
  bank_account?: BankAccountInput | null | undefined
  /** Taken where a contract names none; setting it takes it from the other. */
  is_default?: boolean | undefined
  external_id?: string | null | undefined
}

/** Input of `legal_entities.delete`. */
export interface LegalEntitiesDeleteInput {
  /** Lower-case UUID. */
  legal_entity_id: string
}

/** Input of `legal_entities.get`. */
export interface LegalEntitiesGetInput {
  /** Lower-case UUID. */
  legal_entity_id: string
}

/** Input of `legal_entities.list`. */
export interface LegalEntitiesListInput {
  /** Rows per page. Default `20`. */
  limit?: number | undefined
  /** Cursor of the previous page. */
  cursor?: string | undefined
  /** Changed after this time. */
  updated_after?: string | undefined
  /** In any of these countries. */
  countries?: ReadonlyArray<string> | undefined
  /** Your own id of it; unique. */
  external_id?: string | undefined
  /** Also those that were deleted. */
  include_deleted?: boolean | undefined
}

/** Input of `legal_entities.update`. */
export interface LegalEntitiesUpdateInput {
  /** Lower-case UUID. */
  legal_entity_id: string
  name?: string | undefined
  /** ISO 3166-1 alpha-2 code. */
  country?: string | undefined
  kind?: 'company' | 'individual' | undefined
  registration_number?: string | null | undefined
  vat_id?: string | null | undefined
  address?: LegalEntitiesUpdateInputAddress | null | undefined
  bank_account?: {
    holder_name?: string | undefined
    /** ISO 3166-1 alpha-2 code. */
    country?: string | undefined
    /** ISO 4217 code. */
    currency?: string | undefined
    bank_name?: string | null | undefined
    bic?: string | null | undefined
    routing_code?: string | null | undefined
    iban?: string | null | undefined
    account_number?: string | null | undefined
  } | null | undefined
  /** Taken where a contract names none; setting it takes it from the other. */
  is_default?: boolean | undefined
  external_id?: string | null | undefined
}

/** Input of `lookups.countries`. */
export interface LookupsCountriesInput {
  /** Rows per page. Default `20`. */
  limit?: number | undefined
  /** Cursor of the previous page. */
  cursor?: string | undefined
  /** Changed after this time. */
  updated_after?: string | undefined
}

/** Input of `lookups.currencies`. */
export interface LookupsCurrenciesInput {
  /** Rows per page. Default `20`. */
  limit?: number | undefined
  /** Cursor of the previous page. */
  cursor?: string | undefined
  /** Changed after this time. */
  updated_after?: string | undefined
}

/** Input of `lookups.time_zones`. */
export interface LookupsTimeZonesInput {
  /** Rows per page. Default `20`. */
  limit?: number | undefined
  /** Cursor of the previous page. */
  cursor?: string | undefined
  /** Changed after this time. */
  updated_after?: string | undefined
}

/** Input of `member_invitations.create`. */
export interface MemberInvitationsCreateInput {
  /** E-mail address. */
  email: string
  /** What the person may do here. */
  role: 'owner' | 'admin' | 'developer' | 'finance' | 'viewer'
}

/** Input of `member_invitations.list`. */
export interface MemberInvitationsListInput {
  /** Rows per page. Default `20`. */
  limit?: number | undefined
  /** Cursor of the previous page. */
  cursor?: string | undefined
  /** Changed after this time. */
  updated_after?: string | undefined
}

/** Input of `member_invitations.resend`. */
export interface MemberInvitationsResendInput {
  /** Lower-case UUID. */
  member_invitation_id: string
}

/** Input of `member_invitations.revoke`. */
export interface MemberInvitationsRevokeInput {
  /** Lower-case UUID. */
  member_invitation_id: string
}

/** Input of `members.delete`. */
export interface MembersDeleteInput {
  /** Lower-case UUID. */
  member_id: string
}

/** Input of `members.end_sessions`. */
export interface MembersEndSessionsInput {
  /** Lower-case UUID. */
  member_id: string
}

/** Input of `members.get`. */
export interface MembersGetInput {
  /** Lower-case UUID. */
  member_id: string
}

/** Input of `members.list`. */
export interface MembersListInput {
  /** Rows per page. Default `20`. */
  limit?: number | undefined
  /** Cursor of the previous page. */
  cursor?: string | undefined
  /** Changed after this time. */
  updated_after?: string | undefined
  roles?: ReadonlyArray<'owner' | 'admin' | 'developer' | 'finance' | 'viewer'> | undefined
  statuses?: ReadonlyArray<'active' | 'disabled'> | undefined
}

/** Input of `members.reset_second_factor`. */
export interface MembersResetSecondFactorInput {
  /** Lower-case UUID. */
  member_id: string
}

/** Input of `members.update`. */
export interface MembersUpdateInput {
  /** Lower-case UUID. */
  member_id: string
  /** What the person may do here. */
  role?: 'owner' | 'admin' | 'developer' | 'finance' | 'viewer' | undefined
  /** Disabled: neither session nor personal token nor app of this person has a right here. */
  status?: 'active' | 'disabled' | undefined
}

/** Input of `oauth_clients.create`. */
export interface OauthClientsCreateInput {
  /** Name that users see when they are asked. */
  name: string
  description?: string | null | undefined
  /** Where users are sent back to. Default `[]`. */
  redirect_uris?: ReadonlyArray<string> | undefined
  scopes: ReadonlyArray<'contracts:read' | 'contracts:write' | 'people:read' | 'people:write' | 'timesheets:read' | 'timesheets:write' | 'invoice-adjustments:read' | 'invoice-adjustments:write' | 'accounting:read' | 'accounting:write' | 'organizations:read' | 'organizations:write' | 'time-off:read' | 'time-off:write' | 'webhooks:read' | 'webhooks:write' | 'tokens:read' | 'tokens:write' | 'scim:read' | 'scim:write' | 'worker:read' | 'worker:write'>
  /** Default `[]`. */
  sensitive_data?: ReadonlyArray<'compensation' | 'bank_details' | 'personal_identifiers' | 'home_address' | 'health_and_leave'> | undefined
  /** What its tokens open: the REST API, the tool server. The first is the default. Default `["rest","mcp"]`. */
  resources?: ReadonlyArray<'rest' | 'mcp'> | undefined
  /** Public keys (RFC 7517), for private_key_jwt. */
  jwks?: KeySetInput | undefined
  /** Address of its public keys. */
  jwks_uri?: string | undefined
  /** Default `"web"`. */
  application_type?: 'web' | 'native' | undefined
  /** authorization_code acts for users who allow it, client_credentials for this organization. Default `["authorization_code"]`. */
  grant_types?: ReadonlyArray<'authorization_code' | 'client_credentials'> | undefined
  /** Default `"client_secret_basic"`. */
  token_endpoint_auth_method?: 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt' | undefined
}

/** Input of `oauth_clients.delete`. */
export interface OauthClientsDeleteInput {
  client_id: string
}

/** Input of `oauth_clients.get`. */
export interface OauthClientsGetInput {
  client_id: string
}

/** Input of `oauth_clients.list`. */
export interface OauthClientsListInput {
  /** Rows per page. Default `20`. */
  limit?: number | undefined
  /** Cursor of the previous page. */
  cursor?: string | undefined
  /** Changed after this time. */
  updated_after?: string | undefined
  /** Any of these kinds. */
  kinds?: ReadonlyArray<'dynamic' | 'document' | 'managed'> | undefined
  /** Any of these verdicts. */
  verdicts?: ReadonlyArray<'verified' | 'blocked' | 'none'> | undefined
}

/** Input of `oauth_clients.rotate_secret`. */
export interface OauthClientsRotateSecretInput {
  client_id: string
  /** Seconds the old secret stays valid. Default `3600`. */
  overlap_s?: number | undefined
}

/** Input of `oauth_clients.update`. */
export interface OauthClientsUpdateInput {
  client_id: string
  /** Name that users see when they are asked. */
  name?: string | undefined
  description?: string | null | undefined
  /** Where users are sent back to. */
  redirect_uris?: ReadonlyArray<string> | undefined
  scopes?: ReadonlyArray<'contracts:read' | 'contracts:write' | 'people:read' | 'people:write' | 'timesheets:read' | 'timesheets:write' | 'invoice-adjustments:read' | 'invoice-adjustments:write' | 'accounting:read' | 'accounting:write' | 'organizations:read' | 'organizations:write' | 'time-off:read' | 'time-off:write' | 'webhooks:read' | 'webhooks:write' | 'tokens:read' | 'tokens:write' | 'scim:read' | 'scim:write' | 'worker:read' | 'worker:write'> | undefined
  sensitive_data?: ReadonlyArray<'compensation' | 'bank_details' | 'personal_identifiers' | 'home_address' | 'health_and_leave'> | undefined
  /** What its tokens open: the REST API, the tool server. The first is the default. */
  resources?: ReadonlyArray<'rest' | 'mcp'> | undefined
  /** Public keys (RFC 7517), for private_key_jwt. */
  jwks?: KeySetInput | undefined
  /** Address of its public keys. */
  jwks_uri?: string | undefined
  /** Only for a client of others. */
  verdict?: 'verified' | 'blocked' | 'none' | undefined
}

/** Input of `oauth_grants.delete`. */
export interface OauthGrantsDeleteInput {
  /** Lower-case UUID. */
  grant_id: string
}

/** Input of `oauth_grants.list`. */
export interface OauthGrantsListInput {
  /** Rows per page. Default `20`. */
  limit?: number | undefined
  /** Cursor of the previous page. */
  cursor?: string | undefined
  /** Changed after this time. */
  updated_after?: string | undefined
}

/** Input of `organizations.get`. */
export interface OrganizationsGetInput {
  /** Lower-case UUID. */
  organization_id: string
}

/** Input of `organizations.list`. */
export interface OrganizationsListInput {
  /** Rows per page. Default `20`. */
  limit?: number | undefined
  /** Cursor of the previous page. */
  cursor?: string | undefined
  /** Changed after this time. */
  updated_after?: string | undefined
}

/** Input of `organizations.update`. */
export interface OrganizationsUpdateInput {
  /** Lower-case UUID. */
  organization_id: string
  name?: string | undefined
  legal_name?: string | null | undefined
  country?: string | null | undefined
  /** ISO 4217 code. */
  default_currency?: string | undefined
  /** IANA time zone, such as Europe/Berlin. */
  timezone?: string | undefined
  settings?: {
    payment_approval?: 'none' | 'second_person' | undefined
    /** The numbers of invoices begin with it: 1 to 10 capital letters and digits. */
    invoice_prefix?: string | undefined
    /** The numbers of payments begin with it: 1 to 10 capital letters and digits. */
    payment_prefix?: string | undefined
    final_settlement_days?: number | undefined
    second_factor?: 'optional' | 'required' | undefined
  } | undefined
}

/** Input of `payment_cycles.get`. */
export interface PaymentCyclesGetInput {
  /** Lower-case UUID. */
  contract_id: string
  /** Lower-case UUID. */
  payment_cycle_id: string
}

/** Input of `payment_cycles.invoice`. */
export interface PaymentCyclesInvoiceInput {
  /** Lower-case UUID. */
  contract_id: string
  /** Lower-case UUID. */
  payment_cycle_id: string
}

/** Input of `payment_cycles.list`. */
export interface PaymentCyclesListInput {
  /** Lower-case UUID. */
  contract_id: string
  /** Rows per page. Default `20`. */
  limit?: number | undefined
  /** Cursor of the previous page. */
  cursor?: string | undefined
  /** Changed after this time. */
  updated_after?: string | undefined
  /** Any of these statuses. */
  statuses?: ReadonlyArray<'upcoming' | 'active' | 'invoiced' | 'paid' | 'skipped' | 'cancelled'> | undefined
}

/** Input of `payment_cycles.preview`. */
export interface PaymentCyclesPreviewInput {
  /** Lower-case UUID. */
  contract_id: string
  /** Lower-case UUID. */
  payment_cycle_id: string
}

/** Input of `payments.approve`. */
export interface PaymentsApproveInput {
  /** Lower-case UUID. */
  payment_id: string
}

/** Input of `payments.cancel`. */
export interface PaymentsCancelInput {
  /** Lower-case UUID. */
  payment_id: string
  reason?: string | null | undefined
}

/** Input of `payments.create`. */
export interface PaymentsCreateInput {
  /** Pending invoices of one currency. */
  invoice_ids: ReadonlyArray<string>
  reference?: string | null | undefined
  value_date?: string | null | undefined
  external_id?: string | null | undefined
}

/** Input of `payments.fail`. */
export interface PaymentsFailInput {
  /** Lower-case UUID. */
  payment_id: string
  /** Why it does not arrive. */
  reason: string
}

/** Input of `payments.get`. */
export interface PaymentsGetInput {
  /** Lower-case UUID. */
  payment_id: string
}

/** Input of `payments.get_breakdown`. */
export interface PaymentsGetBreakdownInput {
  /** Lower-case UUID. */
  payment_id: string
  /** Rows per page. Default `20`. */
  limit?: number | undefined
  /** Cursor of the previous page. */
  cursor?: string | undefined
  /** Changed after this time. */
  updated_after?: string | undefined
}

/** Input of `payments.list`. */
export interface PaymentsListInput {
  /** Rows per page. Default `20`. */
  limit?: number | undefined
  /** Cursor of the previous page. */
  cursor?: string | undefined
  /** Changed after this time. */
  updated_after?: string | undefined
  /** Any of these statuses. */
  statuses?: ReadonlyArray<'pending_approval' | 'processing' | 'completed' | 'failed' | 'cancelled'> | undefined
  /** In any of these currencies. */
  currencies?: ReadonlyArray<string> | undefined
  /** Lower-case UUID. */
  invoice_id?: string | undefined
  /** Lower-case UUID. */
  contract_id?: string | undefined
  /** Date, YYYY-MM-DD. */
  created_from?: string | undefined
  /** Date, YYYY-MM-DD. */
  created_to?: string | undefined
  /** Your own id of it; unique. */
  external_id?: string | undefined
}

/** Input of `payments.settle`. */
export interface PaymentsSettleInput {
  /** Lower-case UUID. */
  payment_id: string
  /** Taken by the bank, in the currency of the payment, at most its total; default: 0. */
  fee?: string | undefined
  /** Default: today. */
  value_date?: string | undefined
  reference?: string | null | undefined
}

/** Input of `people.block_access`. */
export interface PeopleBlockAccessInput {
  /** Lower-case UUID. */
  person_id: string
}

/** Input of `people.create`. */
export interface PeopleCreateInput {
  first_name: string
  last_name: string
  preferred_name?: string | null | undefined
  /** E-mail address. */
  email: string
  personal_email?: string | null | undefined
  phone?: string | null | undefined
  /** BCP 47 language tag, such as de or pt-BR. */
  locale?: string | undefined
  external_id?: string | null | undefined
  country?: string | null | undefined
  region?: string | null | undefined
  timezone?: string | null | undefined
  home_address?: AddressInput | null | undefined
  emergency_contact?: EmergencyContactInput | null | undefined
  date_of_birth?: string | null | undefined
  nationality?: string | null | undefined
  government_ids?: ReadonlyArray<{
    type: 'passport' | 'national_id' | 'tax_id' | 'social_security' | 'other'
    /** ISO 3166-1 alpha-2 code. */
    country: string
    number: string
  }> | undefined
  vat_id?: string | null | undefined
  worker_type?: 'contractor' | 'employee' | undefined
  job_title?: string | null | undefined
  seniority?: string | null | undefined
  start_date?: string | null | undefined
  department_id?: string | null | undefined
  manager_id?: string | null | undefined
  working_location_id?: string | null | undefined
  legal_entity_id?: string | null | undefined
  team_ids?: ReadonlyArray<string> | undefined
  /** Values by the keys of your custom fields; null clears one. */
  custom_fields?: Record<string, unknown> | undefined
}

/** Input of `people.create_worker_token`. */
export interface PeopleCreateWorkerTokenInput {
  /** Lower-case UUID. */
  person_id: string
  /** Default `["worker:read","worker:write"]`. */
  scopes?: ReadonlyArray<'worker:read' | 'worker:write'> | undefined
}

/** Input of `people.delete`. */
export interface PeopleDeleteInput {
  /** Lower-case UUID. */
  person_id: string
}

/** Input of `people.erase`. */
export interface PeopleEraseInput {
  /** Lower-case UUID. */
  person_id: string
}

/** Input of `people.export`. */
export interface PeopleExportInput {
  /** Lower-case UUID. */
  person_id: string
}

/** Input of `people.get`. */
export interface PeopleGetInput {
  /** Lower-case UUID. */
  person_id: string
}

/** Input of `people.list`. */
export interface PeopleListInput {
  /** Rows per page. Default `20`. */
  limit?: number | undefined
  /** Cursor of the previous page. */
  cursor?: string | undefined
  /** Changed after this time. */
  updated_after?: string | undefined
  /** Beginnings of words of names, e-mail or external id. */
  search?: string | undefined
  /** Any of these statuses. */
  statuses?: ReadonlyArray<'pending' | 'active' | 'offboarding' | 'inactive'> | undefined
  /** Any of these kinds of worker. */
  worker_types?: ReadonlyArray<'contractor' | 'employee'> | undefined
  /** Lower-case UUID. */
  department_id?: string | undefined
  /** Lower-case UUID. */
  team_id?: string | undefined
  /** Lower-case UUID. */
  manager_id?: string | undefined
  /** Lower-case UUID. */
  legal_entity_id?: string | undefined
  /** Lower-case UUID. */
  working_location_id?: string | undefined
  /** In any of these countries. */
  countries?: ReadonlyArray<string> | undefined
  /** E-mail address. */
  email?: string | undefined
  /** Your own id of it; unique. */
  external_id?: string | undefined
  /** Kept by an identity provider. */
  is_provisioned?: boolean | undefined
  /** Also those that were deleted. */
  include_deleted?: boolean | undefined
}

/** Input of `people.remove_bank_account`. */
export interface PeopleRemoveBankAccountInput {
  /** Lower-case UUID. */
  person_id: string
}

/** Input of `people.set_bank_account`. */
export interface PeopleSetBankAccountInput {
  /** Lower-case UUID. */
  person_id: string
  holder_name: string
  /** ISO 3166-1 alpha-2 code. */
  country: string
  /** ISO 4217 code. */
  currency: string
  bank_name?: string | null | undefined
  bic?: string | null | undefined
  routing_code?: string | null | undefined
  iban?: string | null | undefined
  account_number?: string | null | undefined
}

/** Input of `people.update`. */
export interface PeopleUpdateInput {
  /** Lower-case UUID. */
  person_id: string
  first_name?: string | undefined
  last_name?: string | undefined
  preferred_name?: string | null | undefined
  /** E-mail address. */
  email?: string | undefined
  personal_email?: string | null | undefined
  phone?: string | null | undefined
  /** BCP 47 language tag, such as de or pt-BR. */
  locale?: string | undefined
  external_id?: string | null | undefined
  country?: string | null | undefined
  region?: string | null | undefined
  timezone?: string | null | undefined
  home_address?: LegalEntitiesUpdateInputAddress | null | undefined
  emergency_contact?: PeopleUpdateInputEmergencyContact | null | undefined
  date_of_birth?: string | null | undefined
  nationality?: string | null | undefined
  government_ids?: ReadonlyArray<{
    type: 'passport' | 'national_id' | 'tax_id' | 'social_security' | 'other'
    /** ISO 3166-1 alpha-2 code. */
    country: string
    number: string
  }> | undefined
  vat_id?: string | null | undefined
  worker_type?: 'contractor' | 'employee' | undefined
  job_title?: string | null | undefined
  seniority?: string | null | undefined
  start_date?: string | null | undefined
  department_id?: string | null | undefined
  manager_id?: string | null | undefined
  working_location_id?: string | null | undefined
  legal_entity_id?: string | null | undefined
  team_ids?: ReadonlyArray<string> | undefined
  /** Values by the keys of your custom fields; null clears one. */
  custom_fields?: Record<string, unknown> | undefined
}

/** Input of `provisioning.update`. */
export interface ProvisioningUpdateInput {
  team_roles: ReadonlyArray<{
    /** Lower-case UUID. */
    team_id: string
    role: 'admin' | 'finance' | 'developer' | 'viewer' | null
  }>
}

/** Input of `request_logs.get`. */
export interface RequestLogsGetInput {
  /** Lower-case UUID. */
  request_log_id: string
}

/** Input of `request_logs.list`. */
export interface RequestLogsListInput {
  /** Rows per page. Default `20`. */
  limit?: number | undefined
  /** Cursor of the previous page. */
  cursor?: string | undefined
  /** Changed after this time. */
  updated_after?: string | undefined
  /** Lower-case UUID. */
  credential_id?: string | undefined
  client_id?: string | undefined
  surfaces?: ReadonlyArray<'rest' | 'mcp' | 'scim'> | undefined
  /** Id of the operation. */
  operation?: string | undefined
  /** HTTP status of the answer. */
  status?: number | undefined
  outcomes?: ReadonlyArray<'succeeded' | 'refused' | 'failed'> | undefined
  /** Code of the problem; of provisioning the scimType, where the refusal has one. */
  error_code?: string | undefined
  request_id?: string | undefined
  /** Answered at this time or later. */
  from?: string | undefined
  /** Answered at this time or before. */
  to?: string | undefined
}

/** Input of `sandbox.advance_clock`. */
export interface SandboxAdvanceClockInput {
  /** RFC 3339 time. */
  to?: string | undefined
  /** ISO 8601 duration in place of `to`; days and months as they are in the zone of the organization. */
  by?: string | undefined
}

/** Input of `sandbox.reset`. */
export interface SandboxResetInput {
  /** Fill it with the demo data again. Default `true`. */
  demo_data?: boolean | undefined
}

/** Input of `sandbox.sign_amendment`. */
export interface SandboxSignAmendmentInput {
  /** Lower-case UUID. */
  contract_id: string
  /** Lower-case UUID. */
  amendment_id: string
  /** Default: the name of the worker. */
  signer_name?: string | undefined
  /** The `terms_version` that was read; no other is signed. */
  terms_version?: number | undefined
}

/** Input of `sandbox.sign_contract`. */
export interface SandboxSignContractInput {
  /** Lower-case UUID. */
  contract_id: string
  /** The name that stands as signature. */
  signer_name?: string | undefined
  /** The `terms_version` that was read; no other is signed. */
  terms_version?: number | undefined
}

/** Input of `teams.create`. */
export interface TeamsCreateInput {
  name: string
  external_id?: string | null | undefined
}

/** Input of `teams.delete`. */
export interface TeamsDeleteInput {
  /** Lower-case UUID. */
  team_id: string
}

/** Input of `teams.get`. */
export interface TeamsGetInput {
  /** Lower-case UUID. */
  team_id: string
}

/** Input of `teams.list`. */
export interface TeamsListInput {
  /** Rows per page. Default `20`. */
  limit?: number | undefined
  /** Cursor of the previous page. */
  cursor?: string | undefined
  /** Changed after this time. */
  updated_after?: string | undefined
  /** Beginnings of words of the name. */
  search?: string | undefined
  /** Your own id of it; unique. */
  external_id?: string | undefined
  /** Also those that were deleted. */
  include_deleted?: boolean | undefined
}

/** Input of `teams.update`. */
export interface TeamsUpdateInput {
  /** Lower-case UUID. */
  team_id: string
  name?: string | undefined
  external_id?: string | null | undefined
}

/** Input of `time_off_policies.create`. */
export interface TimeOffPoliciesCreateInput {
  name: string
  leave_type: 'vacation' | 'sick' | 'parental' | 'family' | 'public_duty' | 'unpaid' | 'other'
  /** Working days are Monday to Friday. A change counts for later requests. */
  counting?: 'working_days' | 'calendar_days' | undefined
  annual_allowance_days?: string | null | undefined
  /** Default: true. */
  is_paid?: boolean | undefined
  /** Default: true. */
  requires_approval?: boolean | undefined
  /** More than the allowance may be taken. */
  allow_negative?: boolean | undefined
}

/** Input of `time_off_policies.delete`. */
export interface TimeOffPoliciesDeleteInput {
  /** Lower-case UUID. */
  time_off_policy_id: string
}

/** Input of `time_off_policies.get`. */
export interface TimeOffPoliciesGetInput {
  /** Lower-case UUID. */
  time_off_policy_id: string
}

/** Input of `time_off_policies.list`. */
export interface TimeOffPoliciesListInput {
  /** Rows per page. Default `20`. */
  limit?: number | undefined
  /** Cursor of the previous page. */
  cursor?: string | undefined
  /** Changed after this time. */
  updated_after?: string | undefined
  /** Any of these kinds of leave. */
  leave_types?: ReadonlyArray<'vacation' | 'sick' | 'parental' | 'family' | 'public_duty' | 'unpaid' | 'other'> | undefined
  /** Also those that were deleted. */
  include_deleted?: boolean | undefined
}

/** Input of `time_off_policies.update`. */
export interface TimeOffPoliciesUpdateInput {
  /** Lower-case UUID. */
  time_off_policy_id: string
  name?: string | undefined
  /** Working days are Monday to Friday. A change counts for later requests. */
  counting?: 'working_days' | 'calendar_days' | undefined
  annual_allowance_days?: string | null | undefined
  /** Default: true. */
  is_paid?: boolean | undefined
  /** Default: true. */
  requires_approval?: boolean | undefined
  /** More than the allowance may be taken. */
  allow_negative?: boolean | undefined
}

/** Input of `time_offs.cancel`. */
export interface TimeOffsCancelInput {
  /** Lower-case UUID. */
  time_off_id: string
  reason?: string | null | undefined
}

/** Input of `time_offs.create`. */
export interface TimeOffsCreateInput {
  /** Lower-case UUID. */
  person_id: string
  /** Lower-case UUID. */
  policy_id: string
  /** Date, YYYY-MM-DD. */
  start_date: string
  /** Date, YYYY-MM-DD. */
  end_date: string
  /** It begins at noon of start_date. */
  start_half_day?: boolean | undefined
  /** It ends at noon of end_date. */
  end_half_day?: boolean | undefined
  reason?: string | null | undefined
  external_id?: string | null | undefined
  /** Approve it in the same call. Default `false`. */
  auto_approve?: boolean | undefined
}

/** Input of `time_offs.get`. */
export interface TimeOffsGetInput {
  /** Lower-case UUID. */
  time_off_id: string
}

/** Input of `time_offs.list`. */
export interface TimeOffsListInput {
  /** Rows per page. Default `20`. */
  limit?: number | undefined
  /** Cursor of the previous page. */
  cursor?: string | undefined
  /** Changed after this time. */
  updated_after?: string | undefined
  /** Lower-case UUID. */
  person_id?: string | undefined
  /** Any of these statuses. */
  statuses?: ReadonlyArray<'requested' | 'approved' | 'rejected' | 'used' | 'cancelled'> | undefined
  /** Date, YYYY-MM-DD. */
  date_from?: string | undefined
  /** Date, YYYY-MM-DD. */
  date_to?: string | undefined
  /** Lower-case UUID. */
  policy_id?: string | undefined
  /** Any of these kinds of leave. */
  leave_types?: ReadonlyArray<'vacation' | 'sick' | 'parental' | 'family' | 'public_duty' | 'unpaid' | 'other'> | undefined
  /** Your own id of it; unique. */
  external_id?: string | undefined
}

/** Input of `time_offs.list_entitlements`. */
export interface TimeOffsListEntitlementsInput {
  /** Lower-case UUID. */
  person_id: string
  /** Rows per page. Default `20`. */
  limit?: number | undefined
  /** Cursor of the previous page. */
  cursor?: string | undefined
  /** Changed after this time. */
  updated_after?: string | undefined
  /** Default: the current one. */
  year?: number | undefined
}

/** Input of `time_offs.review`. */
export interface TimeOffsReviewInput {
  /** Lower-case UUID. */
  time_off_id: string
  status: 'approved' | 'rejected'
  reason?: string | null | undefined
}

/** Input of `time_offs.update`. */
export interface TimeOffsUpdateInput {
  /** Lower-case UUID. */
  time_off_id: string
  /** Date, YYYY-MM-DD. */
  start_date?: string | undefined
  /** Date, YYYY-MM-DD. */
  end_date?: string | undefined
  /** It begins at noon of start_date. */
  start_half_day?: boolean | undefined
  /** It ends at noon of end_date. */
  end_half_day?: boolean | undefined
  reason?: string | null | undefined
  external_id?: string | null | undefined
}

/** Input of `timesheets.create`. */
export interface TimesheetsCreateInput {
  /** Lower-case UUID. */
  contract_id: string
  /** Date, YYYY-MM-DD. */
  start_date: string
  /** Default: start_date. */
  end_date?: string | undefined
  /** Hours or days: decimal string from 0.01 to 10000 with at most 4 decimals, such as "36.25". */
  quantity: string
  /** Words for the invoice. */
  description: string
  external_id?: string | null | undefined
  /** False leaves it for a review. Default `true`. */
  auto_approve?: boolean | undefined
}

/** Input of `timesheets.delete`. */
export interface TimesheetsDeleteInput {
  /** Lower-case UUID. */
  timesheet_id: string
  /** Why it is removed. */
  reason?: string | undefined
}

/** Input of `timesheets.get`. */
export interface TimesheetsGetInput {
  /** Lower-case UUID. */
  timesheet_id: string
}

/** Input of `timesheets.list`. */
export interface TimesheetsListInput {
  /** Rows per page. Default `20`. */
  limit?: number | undefined
  /** Cursor of the previous page. */
  cursor?: string | undefined
  /** Changed after this time. */
  updated_after?: string | undefined
  /** Lower-case UUID. */
  contract_id?: string | undefined
  /** Lower-case UUID. */
  worker_id?: string | undefined
  /** Any of these statuses. */
  statuses?: ReadonlyArray<'pending' | 'approved' | 'declined' | 'invoiced' | 'paid' | 'not_payable'> | undefined
  /** Date, YYYY-MM-DD. */
  date_from?: string | undefined
  /** Date, YYYY-MM-DD. */
  date_to?: string | undefined
  /** Lower-case UUID. */
  invoice_id?: string | undefined
  /** Lower-case UUID. */
  payment_cycle_id?: string | undefined
  /** Your own id of it; unique. */
  external_id?: string | undefined
  /** Also those that were deleted. */
  include_deleted?: boolean | undefined
}

/** Input of `timesheets.review`. */
export interface TimesheetsReviewInput {
  /** Lower-case UUID. */
  timesheet_id: string
  /** The verdict; it stands. */
  status: 'approved' | 'declined'
  reason?: string | null | undefined
}

/** Input of `timesheets.review_many`. */
export interface TimesheetsReviewManyInput {
  /** Each of them is pending. */
  ids: ReadonlyArray<string>
  /** The verdict; it stands. */
  status: 'approved' | 'declined'
  reason?: string | null | undefined
}

/** Input of `timesheets.update`. */
export interface TimesheetsUpdateInput {
  /** Lower-case UUID. */
  timesheet_id: string
  /** Date, YYYY-MM-DD. */
  start_date?: string | undefined
  /** Default: start_date. */
  end_date?: string | undefined
  /** Hours or days: decimal string from 0.01 to 10000 with at most 4 decimals, such as "36.25". */
  quantity?: string | undefined
  /** Words for the invoice. */
  description?: string | undefined
  external_id?: string | null | undefined
}

/** Input of `webhooks.cancel_replay`. */
export interface WebhooksCancelReplayInput {
  /** Lower-case UUID. */
  webhook_id: string
  /** Lower-case UUID. */
  replay_id: string
}

/** Input of `webhooks.create`. */
export interface WebhooksCreateInput {
  /** HTTPS address of the receiver. */
  url: string
  /** Names of event types, see GET /webhooks/events. */
  events: ReadonlyArray<string>
  description?: string | null | undefined
  name?: string | null | undefined
  /** Default `"active"`. */
  status?: 'active' | 'disabled' | undefined
  /** How much of each entry is sent. `thin`: identifiers (`…_id`), `status` and `created_at`. Default `"full"`. */
  payload?: 'full' | 'thin' | undefined
  /** Categories of sensitive data that payloads may hold; fields of others are null. Default `[]`. */
  sensitive_data?: ReadonlyArray<'compensation' | 'bank_details' | 'personal_identifiers' | 'home_address' | 'health_and_leave'> | undefined
  /** Label of a signing key, unique in the organization: letters, digits, dot, underscore and hyphen. */
  key_label?: string | undefined
}

/** Input of `webhooks.delete`. */
export interface WebhooksDeleteInput {
  /** Lower-case UUID. */
  webhook_id: string
}

/** Input of `webhooks.delete_signing_key`. */
export interface WebhooksDeleteSigningKeyInput {
  /** Lower-case UUID. */
  webhook_id: string
  /** Label of a signing key, unique in the organization: letters, digits, dot, underscore and hyphen. */
  label: string
}

/** Input of `webhooks.enable`. */
export interface WebhooksEnableInput {
  /** Lower-case UUID. */
  webhook_id: string
  /** Default `"resume"`. */
  held?: 'resume' | 'discard' | undefined
}

/** Input of `webhooks.get`. */
export interface WebhooksGetInput {
  /** Lower-case UUID. */
  webhook_id: string
}

/** Input of `webhooks.get_delivery`. */
export interface WebhooksGetDeliveryInput {
  /** Lower-case UUID. */
  webhook_id: string
  /** Lower-case UUID. */
  delivery_id: string
}

/** Input of `webhooks.get_replay`. */
export interface WebhooksGetReplayInput {
  /** Lower-case UUID. */
  webhook_id: string
  /** Lower-case UUID. */
  replay_id: string
}

/** Input of `webhooks.list`. */
export interface WebhooksListInput {
  /** Rows per page. Default `20`. */
  limit?: number | undefined
  /** Cursor of the previous page. */
  cursor?: string | undefined
  /** Changed after this time. */
  updated_after?: string | undefined
  /** Any of these statuses. */
  statuses?: ReadonlyArray<'active' | 'disabled'> | undefined
}

/** Input of `webhooks.list_deliveries`. */
export interface WebhooksListDeliveriesInput {
  /** Lower-case UUID. */
  webhook_id: string
  /** Rows per page. Default `20`. */
  limit?: number | undefined
  /** Cursor of the previous page. */
  cursor?: string | undefined
  /** Changed after this time. */
  updated_after?: string | undefined
  statuses?: ReadonlyArray<'pending' | 'sending' | 'held' | 'succeeded' | 'failed' | 'discarded' | 'cancelled' | 'expired'> | undefined
  event_types?: ReadonlyArray<string> | undefined
  origins?: ReadonlyArray<'event' | 'simulation' | 'redelivery' | 'replay'> | undefined
  /** Created at this time or later. */
  since?: string | undefined
  /** Created before this time. */
  until?: string | undefined
  /** Lower-case UUID. */
  resource_id?: string | undefined
  /** Lower-case UUID. */
  event_id?: string | undefined
  is_simulation?: boolean | undefined
}

/** Input of `webhooks.list_event_types`. */
export interface WebhooksListEventTypesInput {
  /** Rows per page. Default `200`. */
  limit?: number | undefined
  /** Cursor of the previous page. */
  cursor?: string | undefined
  /** Changed after this time. */
  updated_after?: string | undefined
  /** Of any of these modules, such as contracts. */
  modules?: ReadonlyArray<string> | undefined
}

/** Input of `webhooks.list_replays`. */
export interface WebhooksListReplaysInput {
  /** Lower-case UUID. */
  webhook_id: string
  /** Rows per page. Default `20`. */
  limit?: number | undefined
  /** Cursor of the previous page. */
  cursor?: string | undefined
  /** Changed after this time. */
  updated_after?: string | undefined
}

/** Input of `webhooks.list_signing_keys`. */
export interface WebhooksListSigningKeysInput {
  /** Lower-case UUID. */
  webhook_id: string
  /** Rows per page. Default `20`. */
  limit?: number | undefined
  /** Cursor of the previous page. */
  cursor?: string | undefined
  /** Changed after this time. */
  updated_after?: string | undefined
}

/** Input of `webhooks.redeliver`. */
export interface WebhooksRedeliverInput {
  /** Lower-case UUID. */
  webhook_id: string
  /** Lower-case UUID. */
  delivery_id: string
  /** Follow the retry schedule when the attempt fails. Default `false`. */
  retry?: boolean | undefined
}

/** Input of `webhooks.replay`. */
export interface WebhooksReplayInput {
  /** Lower-case UUID. */
  webhook_id: string
  /** Deliveries recorded at this time or later. */
  since: string
  /** Deliveries recorded before this time; not in the future. Left out: now. */
  until?: string | undefined
  /** Default `["failed","discarded","expired"]`. */
  statuses?: ReadonlyArray<'failed' | 'discarded' | 'expired' | 'succeeded'> | undefined
}

/** Input of `webhooks.rotate_signing_key`. */
export interface WebhooksRotateSigningKeyInput {
  /** Lower-case UUID. */
  webhook_id: string
  /** Label of a signing key, unique in the organization: letters, digits, dot, underscore and hyphen. */
  label?: string | undefined
  /** When the new key takes over, at most 7 days ahead. Default now. */
  activate_at?: string | undefined
  /** Hours that the old key goes on signing beside the new one, counted from the activation. Default `24`. */
  overlap_hours?: number | undefined
}

/** Input of `webhooks.simulate`. */
export interface WebhooksSimulateInput {
  /** Lower-case UUID. */
  webhook_id: string
  event_type: string
}

/** Input of `webhooks.update`. */
export interface WebhooksUpdateInput {
  /** Lower-case UUID. */
  webhook_id: string
  /** HTTPS address of the receiver. */
  url?: string | undefined
  /** Names of event types, see GET /webhooks/events. */
  events?: ReadonlyArray<string> | undefined
  description?: string | null | undefined
  name?: string | null | undefined
  status?: 'active' | 'disabled' | undefined
  /** How much of each entry is sent. `thin`: identifiers (`…_id`), `status` and `created_at`. */
  payload?: 'full' | 'thin' | undefined
  /** Categories of sensitive data that payloads may hold; fields of others are null. */
  sensitive_data?: ReadonlyArray<'compensation' | 'bank_details' | 'personal_identifiers' | 'home_address' | 'health_and_leave'> | undefined
  /** What becomes of held deliveries; only with status active. */
  held?: 'resume' | 'discard' | undefined
}

/** Input of `worker.cancel_time_off`. */
export interface WorkerCancelTimeOffInput {
  /** Lower-case UUID. */
  time_off_id: string
  reason?: string | null | undefined
}

/** Input of `worker.create_invoice_adjustment`. */
export interface WorkerCreateInvoiceAdjustmentInput {
  /** Lower-case UUID. */
  contract_id: string
  /** Kind of amount; a deduction is taken off. */
  type: 'bonus' | 'commission' | 'expense' | 'milestone' | 'overtime' | 'other'
  /** Decimal string, such as "4200.00". */
  amount: string
  /** That of the contract. */
  currency?: string | undefined
  /** The cycle of this date collects it; default: today. */
  date?: string | undefined
  /** VAT is added; default: all but expenses. */
  is_taxable?: boolean | undefined
  /** Words for the invoice. */
  description: string
  external_id?: string | null | undefined
}

/** Input of `worker.create_timesheet`. */
export interface WorkerCreateTimesheetInput {
  /** Lower-case UUID. */
  contract_id: string
  /** Date, YYYY-MM-DD. */
  start_date: string
  /** Default: start_date. */
  end_date?: string | undefined
  /** Hours or days: decimal string from 0.01 to 10000 with at most 4 decimals, such as "36.25". */
  quantity: string
  /** Words for the invoice. */
  description: string
  external_id?: string | null | undefined
}

/** Input of `worker.decline_amendment`. */
export interface WorkerDeclineAmendmentInput {
  /** Lower-case UUID. */
  contract_id: string
  /** Lower-case UUID. */
  amendment_id: string
  reason?: string | null | undefined
}

/** Input of `worker.delete_invoice_adjustment`. */
export interface WorkerDeleteInvoiceAdjustmentInput {
  /** Lower-case UUID. */
  invoice_adjustment_id: string
  /** Why it is removed. */
  reason?: string | undefined
}

/** Input of `worker.delete_timesheet`. */
export interface WorkerDeleteTimesheetInput {
  /** Lower-case UUID. */
  timesheet_id: string
  /** Why it is removed. */
  reason?: string | undefined
}

/** Input of `worker.get_amendment`. */
export interface WorkerGetAmendmentInput {
  /** Lower-case UUID. */
  contract_id: string
  /** Lower-case UUID. */
  amendment_id: string
}

/** Input of `worker.get_contract`. */
export interface WorkerGetContractInput {
  /** Lower-case UUID. */
  contract_id: string
}

/** Input of `worker.get_invoice`. */
export interface WorkerGetInvoiceInput {
  /** Lower-case UUID. */
  invoice_id: string
}

/** Input of `worker.get_invoice_adjustment`. */
export interface WorkerGetInvoiceAdjustmentInput {
  /** Lower-case UUID. */
  invoice_adjustment_id: string
}

/** Input of `worker.get_invoice_pdf`. */
export interface WorkerGetInvoicePdfInput {
  /** Lower-case UUID. */
  invoice_id: string
}

/** Input of `worker.get_timesheet`. */
export interface WorkerGetTimesheetInput {
  /** Lower-case UUID. */
  timesheet_id: string
}

/** Input of `worker.list_amendments`. */
export interface WorkerListAmendmentsInput {
  /** Lower-case UUID. */
  contract_id: string
  /** Rows per page. Default `20`. */
  limit?: number | undefined
  /** Cursor of the previous page. */
  cursor?: string | undefined
  /** Changed after this time. */
  updated_after?: string | undefined
  /** Any of these statuses. */
  statuses?: ReadonlyArray<'initial' | 'pending' | 'approved' | 'active' | 'outdated' | 'declined'> | undefined
  /** Any of these sign statuses. */
  sign_statuses?: ReadonlyArray<'pending' | 'waiting_for_approval' | 'approved' | 'declined'> | undefined
}

/** Input of `worker.list_contracts`. */
export interface WorkerListContractsInput {
  /** Rows per page. Default `20`. */
  limit?: number | undefined
  /** Cursor of the previous page. */
  cursor?: string | undefined
  /** Changed after this time. */
  updated_after?: string | undefined
  /** Any of these statuses. */
  statuses?: ReadonlyArray<'pending' | 'active' | 'completed' | 'terminated' | 'cancelled' | 'rejected'> | undefined
}

/** Input of `worker.list_invoice_adjustments`. */
export interface WorkerListInvoiceAdjustmentsInput {
  /** Rows per page. Default `20`. */
  limit?: number | undefined
  /** Cursor of the previous page. */
  cursor?: string | undefined
  /** Changed after this time. */
  updated_after?: string | undefined
  /** Lower-case UUID. */
  contract_id?: string | undefined
  /** Any of these statuses. */
  statuses?: ReadonlyArray<'pending' | 'approved' | 'declined' | 'invoiced' | 'paid' | 'not_payable'> | undefined
  /** Date, YYYY-MM-DD. */
  date_from?: string | undefined
  /** Date, YYYY-MM-DD. */
  date_to?: string | undefined
  /** Lower-case UUID. */
  invoice_id?: string | undefined
  /** Lower-case UUID. */
  payment_cycle_id?: string | undefined
  /** Your own id of it; unique. */
  external_id?: string | undefined
  /** Also those that were deleted. */
  include_deleted?: boolean | undefined
  /** Any of these types. */
  types?: ReadonlyArray<'bonus' | 'commission' | 'deduction' | 'expense' | 'milestone' | 'overtime' | 'other'> | undefined
  /** Each cycle makes a copy for the next. */
  is_recurring?: boolean | undefined
}

/** Input of `worker.list_invoices`. */
export interface WorkerListInvoicesInput {
  /** Rows per page. Default `20`. */
  limit?: number | undefined
  /** Cursor of the previous page. */
  cursor?: string | undefined
  /** Changed after this time. */
  updated_after?: string | undefined
  /** Any of these statuses. */
  statuses?: ReadonlyArray<'pending' | 'processing' | 'paid' | 'cancelled'> | undefined
  /** Date, YYYY-MM-DD. */
  issue_date_from?: string | undefined
  /** Date, YYYY-MM-DD. */
  issue_date_to?: string | undefined
}

/** Input of `worker.list_time_off_entitlements`. */
export interface WorkerListTimeOffEntitlementsInput {
  /** Rows per page. Default `20`. */
  limit?: number | undefined
  /** Cursor of the previous page. */
  cursor?: string | undefined
  /** Changed after this time. */
  updated_after?: string | undefined
  /** Default: the current one. */
  year?: number | undefined
}

/** Input of `worker.list_time_offs`. */
export interface WorkerListTimeOffsInput {
  /** Rows per page. Default `20`. */
  limit?: number | undefined
  /** Cursor of the previous page. */
  cursor?: string | undefined
  /** Changed after this time. */
  updated_after?: string | undefined
  /** Any of these statuses. */
  statuses?: ReadonlyArray<'requested' | 'approved' | 'rejected' | 'used' | 'cancelled'> | undefined
  /** Date, YYYY-MM-DD. */
  date_from?: string | undefined
  /** Date, YYYY-MM-DD. */
  date_to?: string | undefined
  /** Lower-case UUID. */
  policy_id?: string | undefined
  /** Any of these kinds of leave. */
  leave_types?: ReadonlyArray<'vacation' | 'sick' | 'parental' | 'family' | 'public_duty' | 'unpaid' | 'other'> | undefined
  /** Your own id of it; unique. */
  external_id?: string | undefined
}

/** Input of `worker.list_timesheets`. */
export interface WorkerListTimesheetsInput {
  /** Rows per page. Default `20`. */
  limit?: number | undefined
  /** Cursor of the previous page. */
  cursor?: string | undefined
  /** Changed after this time. */
  updated_after?: string | undefined
  /** Lower-case UUID. */
  contract_id?: string | undefined
  /** Any of these statuses. */
  statuses?: ReadonlyArray<'pending' | 'approved' | 'declined' | 'invoiced' | 'paid' | 'not_payable'> | undefined
  /** Date, YYYY-MM-DD. */
  date_from?: string | undefined
  /** Date, YYYY-MM-DD. */
  date_to?: string | undefined
  /** Lower-case UUID. */
  invoice_id?: string | undefined
  /** Lower-case UUID. */
  payment_cycle_id?: string | undefined
  /** Your own id of it; unique. */
  external_id?: string | undefined
  /** Also those that were deleted. */
  include_deleted?: boolean | undefined
}

/** Input of `worker.reject_contract`. */
export interface WorkerRejectContractInput {
  /** Lower-case UUID. */
  contract_id: string
  reason?: string | null | undefined
}

/** Input of `worker.request_time_off`. */
export interface WorkerRequestTimeOffInput {
  /** Lower-case UUID. */
  policy_id: string
  /** Date, YYYY-MM-DD. */
  start_date: string
  /** Date, YYYY-MM-DD. */
  end_date: string
  /** It begins at noon of start_date. */
  start_half_day?: boolean | undefined
  /** It ends at noon of end_date. */
  end_half_day?: boolean | undefined
  reason?: string | null | undefined
  external_id?: string | null | undefined
}

/** Input of `worker.set_bank_account`. */
export interface WorkerSetBankAccountInput {
  holder_name: string
  /** ISO 3166-1 alpha-2 code. */
  country: string
  /** ISO 4217 code. */
  currency: string
  bank_name?: string | null | undefined
  bic?: string | null | undefined
  routing_code?: string | null | undefined
  iban?: string | null | undefined
  account_number?: string | null | undefined
}

/** Input of `worker.sign_amendment`. */
export interface WorkerSignAmendmentInput {
  /** Lower-case UUID. */
  contract_id: string
  /** Lower-case UUID. */
  amendment_id: string
  /** The name that stands as signature. */
  signer_name: string
  /** The `terms_version` that was read; no other is signed. */
  terms_version: number
}

/** Input of `worker.sign_contract`. */
export interface WorkerSignContractInput {
  /** Lower-case UUID. */
  contract_id: string
  /** The name that stands as signature. */
  signer_name: string
  /** The `terms_version` that was read; no other is signed. */
  terms_version: number
}

/** Input of `worker.update_invoice_adjustment`. */
export interface WorkerUpdateInvoiceAdjustmentInput {
  /** Lower-case UUID. */
  invoice_adjustment_id: string
  /** Decimal string, such as "4200.00". */
  amount?: string | undefined
  /** The cycle of this date collects it; default: today. */
  date?: string | undefined
  /** VAT is added; default: all but expenses. */
  is_taxable?: boolean | undefined
  /** Words for the invoice. */
  description?: string | undefined
  external_id?: string | null | undefined
}

/** Input of `worker.update_profile`. */
export interface WorkerUpdateProfileInput {
  preferred_name?: string | null | undefined
  personal_email?: string | null | undefined
  phone?: string | null | undefined
  /** BCP 47 language tag, such as de or pt-BR. */
  locale?: string | undefined
  timezone?: string | null | undefined
  home_address?: LegalEntitiesUpdateInputAddress | null | undefined
  emergency_contact?: PeopleUpdateInputEmergencyContact | null | undefined
  date_of_birth?: string | null | undefined
  nationality?: string | null | undefined
  government_ids?: ReadonlyArray<{
    type: 'passport' | 'national_id' | 'tax_id' | 'social_security' | 'other'
    /** ISO 3166-1 alpha-2 code. */
    country: string
    number: string
  }> | undefined
  vat_id?: string | null | undefined
}

/** Input of `worker.update_timesheet`. */
export interface WorkerUpdateTimesheetInput {
  /** Lower-case UUID. */
  timesheet_id: string
  /** Date, YYYY-MM-DD. */
  start_date?: string | undefined
  /** Default: start_date. */
  end_date?: string | undefined
  /** Hours or days: decimal string from 0.01 to 10000 with at most 4 decimals, such as "36.25". */
  quantity?: string | undefined
  /** Words for the invoice. */
  description?: string | undefined
  external_id?: string | null | undefined
}

/** Input of `working_locations.create`. */
export interface WorkingLocationsCreateInput {
  name: string
  /** ISO 3166-1 alpha-2 code. */
  country: string
  address?: AddressInput | null | undefined
  external_id?: string | null | undefined
}

/** Input of `working_locations.delete`. */
export interface WorkingLocationsDeleteInput {
  /** Lower-case UUID. */
  working_location_id: string
}

/** Input of `working_locations.get`. */
export interface WorkingLocationsGetInput {
  /** Lower-case UUID. */
  working_location_id: string
}

/** Input of `working_locations.list`. */
export interface WorkingLocationsListInput {
  /** Rows per page. Default `20`. */
  limit?: number | undefined
  /** Cursor of the previous page. */
  cursor?: string | undefined
  /** Changed after this time. */
  updated_after?: string | undefined
  /** In any of these countries. */
  countries?: ReadonlyArray<string> | undefined
  /** Your own id of it; unique. */
  external_id?: string | undefined
  /** Also those that were deleted. */
  include_deleted?: boolean | undefined
}

/** Input of `working_locations.update`. */
export interface WorkingLocationsUpdateInput {
  /** Lower-case UUID. */
  working_location_id: string
  name?: string | undefined
  /** ISO 3166-1 alpha-2 code. */
  country?: string | undefined
  address?: LegalEntitiesUpdateInputAddress | null | undefined
  external_id?: string | null | undefined
}

export interface Actor {
  kind: Open<'user' | 'token' | 'worker' | 'scim' | 'system' | 'provider'>
  id: string | null
  name: string
}

export interface Address {
  line_1: string
  line_2?: string | null
  city: string
  region?: string | null
  postal_code?: string | null
  /** ISO 3166-1 alpha-2 code. */
  country: string
}

export interface AddressInput {
  line_1: string
  line_2?: string | null | undefined
  city: string
  region?: string | null | undefined
  postal_code?: string | null | undefined
  /** ISO 3166-1 alpha-2 code. */
  country: string
}

export interface Amendment {
  /** Lower-case UUID. */
  id: string
  /** Lower-case UUID. */
  contract_id: string
  status: Open<'initial' | 'pending' | 'approved' | 'active' | 'outdated' | 'declined'>
  sign_status: Open<'pending' | 'waiting_for_approval' | 'approved' | 'declined'>
  contract_name: string
  contract_type: Open<'fixed_rate' | 'pay_as_you_go' | 'milestone' | 'employee'>
  effective_date: string | null
  reason: string | null
  terms: {
    /** Sensitive: `compensation`. */
    amount?: string | null
    scale?: Open<'hourly' | 'daily' | 'weekly' | 'biweekly' | 'semimonthly' | 'monthly' | 'yearly'> | null
    frequency?: Open<'weekly' | 'biweekly' | 'semimonthly' | 'monthly'> | null
    cycle_end_type?: Open<'day_of_week' | 'day_of_month' | 'day_of_last_week'> | null
    cycle_end?: number | null
    payment_due_days?: number
    pay_before_weekends?: boolean
    proration?: Open<'calendar_days' | 'working_days'>
    end_date?: string | null
    job_title?: string | null
    seniority?: string | null
    scope_of_work?: string | null
    special_clause?: string | null
    notice_period_days?: number
  }
  changes: Array<{
    field: Open<'amount' | 'scale' | 'frequency' | 'cycle_end_type' | 'cycle_end' | 'payment_due_days' | 'pay_before_weekends' | 'proration' | 'end_date' | 'job_title' | 'seniority' | 'scope_of_work' | 'special_clause' | 'notice_period_days' | 'first_cycle_end'>
    /** Sensitive: `compensation`. */
    from: string | number | boolean | null
    /** Sensitive: `compensation`. */
    to: string | number | boolean | null
  }>
  /** Sensitive: `compensation`. */
  amount: string | null
  scale: Open<'hourly' | 'daily' | 'weekly' | 'biweekly' | 'semimonthly' | 'monthly' | 'yearly'> | null
  /** ISO 4217 code. */
  currency: string
  /** Counts the changes of the terms. */
  terms_version: number
  /** Sensitive: `compensation`. */
  terms_digest: string | null
  client_signed_at: string | null
  client_signed_by: Actor | null
  worker_signed_at: string | null
  activated_at: string | null
  outdated_at: string | null
  declined_at: string | null
  declined_by: Actor | null
  decline_reason: string | null
  created_by: Actor
  /** RFC 3339 time. */
  created_at: string
  /** RFC 3339 time. */
  updated_at: string
}

export interface ApiToken {
  /** Lower-case UUID. */
  id: string
  name: string
  type: Open<'organization' | 'personal'>
  /** Start of the value, for recognising it. */
  prefix: string
  /** End of the value. */
  last4: string
  scopes: Array<Open<'contracts:read' | 'contracts:write' | 'people:read' | 'people:write' | 'timesheets:read' | 'timesheets:write' | 'invoice-adjustments:read' | 'invoice-adjustments:write' | 'accounting:read' | 'accounting:write' | 'organizations:read' | 'organizations:write' | 'time-off:read' | 'time-off:write' | 'webhooks:read' | 'webhooks:write' | 'tokens:read' | 'tokens:write' | 'scim:read' | 'scim:write' | 'worker:read' | 'worker:write'>>
  sensitive_data: Array<Open<'compensation' | 'bank_details' | 'personal_identifiers' | 'home_address' | 'health_and_leave'>>
  user_id: string | null
  created_by: Actor
  /** The member who made it is none any more; it works on. */
  maker_left: boolean
  created_with: string | null
  /** RFC 3339 time. */
  created_at: string
  /** RFC 3339 time. */
  updated_at: string
  expires_at: string | null
  last_used_at: string | null
  last_used_address: string | null
  revoked_at: string | null
  revoked_by: Actor | null
  successor_id: string | null
}

export interface ApiTokenCreatedEntry {
  /** Lower-case UUID. */
  credential_id: string
  name: string | null
  person_id: string | null
  scopes: Array<string>
  expires_at: string | null
}

export interface ApiTokensCreate {
  /** Lower-case UUID. */
  id: string
  name: string
  type: Open<'organization' | 'personal'>
  /** Start of the value, for recognising it. */
  prefix: string
  /** End of the value. */
  last4: string
  scopes: Array<Open<'contracts:read' | 'contracts:write' | 'people:read' | 'people:write' | 'timesheets:read' | 'timesheets:write' | 'invoice-adjustments:read' | 'invoice-adjustments:write' | 'accounting:read' | 'accounting:write' | 'organizations:read' | 'organizations:write' | 'time-off:read' | 'time-off:write' | 'webhooks:read' | 'webhooks:write' | 'tokens:read' | 'tokens:write' | 'scim:read' | 'scim:write' | 'worker:read' | 'worker:write'>>
  sensitive_data: Array<Open<'compensation' | 'bank_details' | 'personal_identifiers' | 'home_address' | 'health_and_leave'>>
  user_id: string | null
  created_by: Actor
  /** The member who made it is none any more; it works on. */
  maker_left: boolean
  created_with: string | null
  /** RFC 3339 time. */
  created_at: string
  /** RFC 3339 time. */
  updated_at: string
  expires_at: string | null
  last_used_at: string | null
  last_used_address: string | null
  revoked_at: string | null
  revoked_by: Actor | null
  successor_id: string | null
  token: string | null
}

export interface AuditBatch {
  /** Lower-case UUID. */
  organization_id: string
  /** Counted from 1 without a gap. */
  batch: number
  /** The way in which hashes are made. */
  format: number
  previous_hash: string | null
  /** RFC 3339 time. */
  sealed_at: string
  /** Entries sealed so far, this batch included. */
  entries_total: number
  entries: Array<{
    /** Lower-case UUID. */
    id: string
    /** SHA-256 in lower-case hexadecimal. */
    hash: string
  }>
  /** SHA-256 in lower-case hexadecimal. */
  hash: string
  entries_removed_at: string | null
}

export interface AuditEntry {
  /** Lower-case UUID. */
  id: string
  /** RFC 3339 time. */
  occurred_at: string
  actor: Actor
  credential_id: string | null
  /** Id of the operation, or kind of the timer. */
  action: string
  subject: {
    kind: string
    id: string | null
  }
  changed_fields: Array<string>
  request_id: string | null
  ip: string | null
  surface: string | null
  batch: number | null
  position: number | null
}

export interface AuditSeal {
  /** Lower-case UUID. */
  organization_id: string
  /** The newest batch; 0 where nothing is sealed yet. */
  batch: number
  hash: string | null
  /** Entries sealed so far. */
  entries_total: number
  sealed_at: string | null
}

/** Deliveries not yet made. Counts end at 10,000. */
export interface Backlog {
  /** Waiting for their next attempt, or under way. */
  pending: number
  held: number
  oldest_pending_at: string | null
  next_expiry_at: string | null
}

/** Exactly one of iban and account_number. */
export interface BankAccount {
  holder_name: string
  /** ISO 3166-1 alpha-2 code. */
  country: string
  /** ISO 4217 code. */
  currency: string
  bank_name?: string | null
  bic?: string | null
  routing_code?: string | null
  iban?: string | null
  account_number?: string | null
}

/** Exactly one of iban and account_number. */
export interface BankAccountInput {
  holder_name: string
  /** ISO 3166-1 alpha-2 code. */
  country: string
  /** ISO 4217 code. */
  currency: string
  bank_name?: string | null | undefined
  bic?: string | null | undefined
  routing_code?: string | null | undefined
  iban?: string | null | undefined
  account_number?: string | null | undefined
}

export interface Contract {
  /** Lower-case UUID. */
  id: string
  type: Open<'fixed_rate' | 'pay_as_you_go' | 'milestone' | 'employee'>
  title: string
  status: Open<'pending' | 'active' | 'completed' | 'terminated' | 'cancelled' | 'rejected'>
  status_reason: string | null
  external_id: string | null
  /** By key; null where there is no value, and where its category is not granted. */
  custom_fields: Record<string, unknown>
  is_archived: boolean
  archived_at: string | null
  ended_at: string | null
  created_by: Actor
  /** Lower-case UUID. */
  worker_id: string
  worker_email: string
  worker_name: string
  legal_entity: Ref
  team: Ref | null
  /** ISO 3166-1 alpha-2 code. */
  country: string
  region: string | null
  /** IANA time zone, such as Europe/Berlin. */
  timezone: string
  /** Date, YYYY-MM-DD. */
  start_date: string
  end_date: string | null
  last_day: string | null
  job_title: string | null
  seniority: string | null
  scope_of_work: string | null
  special_clause: string | null
  notice_period_days: number
  compensation: {
    /** Sensitive: `compensation`. */
    amount: string | null
    /** ISO 4217 code. */
    currency: string
    scale: Open<'hourly' | 'daily' | 'weekly' | 'biweekly' | 'semimonthly' | 'monthly' | 'yearly'> | null
    frequency: Open<'weekly' | 'biweekly' | 'semimonthly' | 'monthly'> | null
    cycle_end_type: Open<'day_of_week' | 'day_of_month' | 'day_of_last_week'> | null
    cycle_end: number | null
    first_cycle_end: string | null
    payment_due_days: number
    pay_before_weekends: boolean
    proration: Open<'calendar_days' | 'working_days'>
  }
  tax: {
    vat_rate: string | null
    reverse_charge: boolean
  }
  signatures: {
    client_name: string | null
    client_signed_at: string | null
    client_signed_by: Actor | null
    worker_name: string | null
    worker_signed_at: string | null
  }
  invitation: {
    email: string
    /** BCP 47 language tag, such as de or pt-BR. */
    locale: string
    /** RFC 3339 time. */
    sent_at: string
    /** RFC 3339 time. */
    expires_at: string
  } | null
  termination: {
    type: Open<'resignation' | 'termination' | 'end_of_contract'>
    reason: string | null
    message: string | null
    /** Date, YYYY-MM-DD. */
    completion_date: string
    eligible_for_rehire: boolean | null
    /** RFC 3339 time. */
    requested_at: string
    requested_by: Actor
  } | null
  /** Counts the changes of the terms. */
  terms_version: number
  /** Sensitive: `compensation`. */
  terms_digest: string | null
  current_amendment_id: string | null
  /** RFC 3339 time. */
  created_at: string
  /** RFC 3339 time. */
  updated_at: string
}

export interface ContractAmendmentCreatedEntry {
  /** Lower-case UUID. */
  contract_id: string
  worker_email: string
  type: Open<'fixed_rate' | 'pay_as_you_go' | 'milestone' | 'employee'>
  /** ISO 3166-1 alpha-2 code. */
  country: string
  /** Lower-case UUID. */
  amendment_id: string
  status: Open<'initial' | 'pending' | 'approved' | 'active' | 'outdated' | 'declined'>
  sign_status: Open<'pending' | 'waiting_for_approval' | 'approved' | 'declined'>
  /** RFC 3339 time. */
  created_at: string
  effective_date: string | null
  contract_status: Open<'pending' | 'active' | 'completed' | 'terminated' | 'cancelled' | 'rejected'>
  changes: Array<{
    field: Open<'amount' | 'scale' | 'frequency' | 'cycle_end_type' | 'cycle_end' | 'payment_due_days' | 'pay_before_weekends' | 'proration' | 'end_date' | 'job_title' | 'seniority' | 'scope_of_work' | 'special_clause' | 'notice_period_days' | 'first_cycle_end'>
    /** Sensitive: `compensation`. */
    from: string | number | boolean | null
    /** Sensitive: `compensation`. */
    to: string | number | boolean | null
  }>
}

export interface ContractArchivedEntry {
  /** Lower-case UUID. */
  contract_id: string
  worker_email: string
  status: Open<'pending' | 'active' | 'completed' | 'terminated' | 'cancelled' | 'rejected'>
  /** RFC 3339 time. */
  created_at: string
  type: Open<'fixed_rate' | 'pay_as_you_go' | 'milestone' | 'employee'>
  /** ISO 3166-1 alpha-2 code. */
  country: string
  title: string
  external_id: string | null
  /** Lower-case UUID. */
  worker_id: string
  /** Date, YYYY-MM-DD. */
  start_date: string
  end_date: string | null
  last_day: string | null
  archived_at: string | null
}

export interface ContractInvitationSentEntry {
  /** Lower-case UUID. */
  contract_id: string
  worker_email: string
  status: Open<'pending' | 'active' | 'completed' | 'terminated' | 'cancelled' | 'rejected'>
  /** RFC 3339 time. */
  created_at: string
  type: Open<'fixed_rate' | 'pay_as_you_go' | 'milestone' | 'employee'>
  /** ISO 3166-1 alpha-2 code. */
  country: string
  title: string
  external_id: string | null
  /** Lower-case UUID. */
  worker_id: string
  /** Date, YYYY-MM-DD. */
  start_date: string
  end_date: string | null
  last_day: string | null
  invitation_email: string
  /** RFC 3339 time. */
  expires_at: string
}

export interface ContractRejectedEntry {
  /** Lower-case UUID. */
  contract_id: string
  worker_email: string
  status: Open<'pending' | 'active' | 'completed' | 'terminated' | 'cancelled' | 'rejected'>
  /** RFC 3339 time. */
  created_at: string
  type: Open<'fixed_rate' | 'pay_as_you_go' | 'milestone' | 'employee'>
  /** ISO 3166-1 alpha-2 code. */
  country: string
  title: string
  external_id: string | null
  /** Lower-case UUID. */
  worker_id: string
  /** Date, YYYY-MM-DD. */
  start_date: string
  end_date: string | null
  last_day: string | null
  reason: string | null
}

export interface ContractTerminatedEntry {
  /** Lower-case UUID. */
  contract_id: string
  worker_email: string
  status: Open<'pending' | 'active' | 'completed' | 'terminated' | 'cancelled' | 'rejected'>
  /** RFC 3339 time. */
  created_at: string
  type: Open<'fixed_rate' | 'pay_as_you_go' | 'milestone' | 'employee'>
  /** ISO 3166-1 alpha-2 code. */
  country: string
  title: string
  external_id: string | null
  /** Lower-case UUID. */
  worker_id: string
  /** Date, YYYY-MM-DD. */
  start_date: string
  end_date: string | null
  last_day: string | null
  /** Date, YYYY-MM-DD. */
  completion_date: string
  termination_type: Open<'resignation' | 'termination' | 'end_of_contract'> | null
  reason: string | null
}

export interface ContractTerminationRequestedEntry {
  /** Lower-case UUID. */
  contract_id: string
  worker_email: string
  status: Open<'pending' | 'active' | 'completed' | 'terminated' | 'cancelled' | 'rejected'>
  /** RFC 3339 time. */
  created_at: string
  type: Open<'fixed_rate' | 'pay_as_you_go' | 'milestone' | 'employee'>
  /** ISO 3166-1 alpha-2 code. */
  country: string
  title: string
  external_id: string | null
  /** Lower-case UUID. */
  worker_id: string
  /** Date, YYYY-MM-DD. */
  start_date: string
  end_date: string | null
  last_day: string | null
  termination_type: Open<'resignation' | 'termination' | 'end_of_contract'>
  /** Date, YYYY-MM-DD. */
  completion_date: string
  reason: string | null
}

export interface ContractsGetInvitationLink {
  url: string
  /** RFC 3339 time. */
  expires_at: string
}

export interface CustomField {
  /** Lower-case UUID. */
  id: string
  key: string
  name: string
  entity: Open<'person' | 'contract'>
  type: Open<'text' | 'number' | 'date' | 'boolean' | 'select' | 'multi_select'>
  /** Of selects, and only of them. */
  options: Array<string>
  category: Open<'compensation' | 'bank_details' | 'personal_identifiers' | 'home_address' | 'health_and_leave'> | null
  /** RFC 3339 time. */
  created_at: string
  /** RFC 3339 time. */
  updated_at: string
  deleted_at: string | null
}

export interface CustomFieldCreatedEntry {
  /** Lower-case UUID. */
  custom_field_id: string
  name: string
  /** RFC 3339 time. */
  created_at: string
  key: string
  entity: Open<'person' | 'contract'>
  type: Open<'text' | 'number' | 'date' | 'boolean' | 'select' | 'multi_select'>
  category: Open<'compensation' | 'bank_details' | 'personal_identifiers' | 'home_address' | 'health_and_leave'> | null
}

export interface Customer {
  name: string
  country: string | null
  address: Address | null
  vat_id: string | null
  registration_number: string | null
}

export interface Department {
  /** Lower-case UUID. */
  id: string
  name: string
  parent: Ref | null
  external_id: string | null
  people_count: number
  /** RFC 3339 time. */
  created_at: string
  /** RFC 3339 time. */
  updated_at: string
  deleted_at: string | null
}

export interface DepartmentCreatedEntry {
  /** Lower-case UUID. */
  department_id: string
  name: string
  /** RFC 3339 time. */
  created_at: string
  external_id: string | null
  parent_id: string | null
}

/** While attempts fail: what the disabling of the subscription waits for. */
export interface DisableRisk {
  /** Failed attempts since the last success. */
  consecutive_failures: number
  /** Consecutive failures from which on a last failed attempt disables. */
  threshold: number
  failing_since: string | null
  /** What else has to come: failures up to the threshold, and that some delivery fails in the last attempt of its schedule. */
  waits_for: Array<Open<'more_failures' | 'last_attempt'>>
  delivery_id: string | null
  attempts_left: number | null
  earliest_at: string | null
}

export interface DryRunAnswer {
  dry_run: {
    /** For `Stint-Confirm`. */
    digest: string
    /** One for each entry of each event, in order. */
    events: Array<{
      type: string
      entry: Record<string, unknown>
    }>
    /** Transactions of the ledger with their entries. */
    postings: Array<Record<string, unknown>>
  }
}

export interface EmergencyContact {
  name: string
  relation?: string | null
  /** E.164, such as +49305550101. */
  phone: string
}

export interface EmergencyContactInput {
  name: string
  relation?: string | null | undefined
  /** E.164, such as +49305550101. */
  phone: string
}

export interface Entitlement {
  /** Lower-case UUID. */
  person_id: string
  /** Sensitive: `health_and_leave`. */
  policy: Ref | null
  /** Date, YYYY-MM-DD. */
  period_start: string
  /** Date, YYYY-MM-DD. */
  period_end: string
  /** Sensitive: `health_and_leave`. */
  allowance: string | null
  /** Sensitive: `health_and_leave`. */
  used: string | null
  /** Sensitive: `health_and_leave`. */
  approved: string | null
  /** Sensitive: `health_and_leave`. */
  requested: string | null
  /** Sensitive: `health_and_leave`. */
  available: string | null
}

export interface Event {
  event: EventsGetEvent
  /** RFC 3339 time. */
  recorded_at: string
  trace_id: string | null
  request_id: string | null
  subscriptions: Array<{
    /** Lower-case UUID. */
    webhook_id: string
    name: string | null
    url: string
    /** Of the subscription now. */
    status: Open<'active' | 'disabled' | 'deleted'>
    result: Open<'matched' | 'skipped'>
    reason: Open<'type_not_listed' | 'created_later' | 'deleted_before' | 'changed_concurrently' | 'simulation_for_other' | 'about_itself'> | null
    /** Newest first; replays and redeliveries are among them. */
    deliveries: Array<EventsGetDeliveries>
  }>
}

export interface EventsGetDeliveries {
  /** Lower-case UUID. */
  id: string
  /** Lower-case UUID. */
  webhook_id: string
  /** Lower-case UUID. */
  event_id: string
  event_type: string
  is_simulation: boolean
  origin: Open<'event' | 'simulation' | 'redelivery' | 'replay'>
  source_delivery_id: string | null
  replay_id: string | null
  status: Open<'pending' | 'sending' | 'held' | 'succeeded' | 'failed' | 'discarded' | 'cancelled' | 'expired'>
  hold_reason: Open<'disabled' | 'internal'> | null
  /** Runs through the retry schedule; a release begins a new one. */
  series: number
  /** Attempt that is next or was last; 0 is the first of a series. */
  attempt_no: number
  next_attempt_at: string | null
  expires_at: string | null
  last_status: number | null
  last_error_class: string | null
  /** RFC 3339 time. */
  created_at: string
  /** RFC 3339 time. */
  updated_at: string
  first_attempt_at: string | null
  completed_at: string | null
  recovered_at: string | null
}

export interface EventsGetEvent {
  data: {
    meta: {
      event_type: string
      /** Lower-case UUID. */
      organization_id: string
      /** Lower-case UUID. */
      event_id: string
      /** RFC 3339 time. */
      occurred_at: string
      is_simulation?: true
    }
    /** Entries by the schema of the event type, see GET /webhooks/events. Categories not granted are null. */
    resource: Array<Record<string, unknown>>
  }
  /** RFC 3339 time. */
  timestamp: string
}

export interface Invoice {
  /** Lower-case UUID. */
  id: string
  /** Counted per year. */
  number: string
  /** Lower-case UUID. */
  contract_id: string
  /** Lower-case UUID. */
  worker_id: string
  worker_email: string
  status: Open<'pending' | 'processing' | 'paid' | 'cancelled'>
  /** Of no payment cycle. */
  is_off_cycle: boolean
  /** Unpaid after its due date. */
  is_overdue: boolean
  payment_cycle_id: string | null
  period_start: string | null
  period_end: string | null
  /** ISO 4217 code. */
  currency: string
  /** Sensitive: `compensation`. */
  subtotal: string | null
  /** Sensitive: `compensation`. */
  taxable_base: string | null
  vat_rate: string | null
  reverse_charge: boolean
  /** Sensitive: `compensation`. */
  vat_total: string | null
  /** Sensitive: `compensation`. */
  total: string | null
  /** Date, YYYY-MM-DD. */
  issue_date: string
  /** Date, YYYY-MM-DD. */
  due_date: string
  paid_at: string | null
  cancelled_at: string | null
  cancel_reason: string | null
  payment_id: string | null
  supplier: Supplier
  customer: Customer
  /** RFC 3339 time. */
  created_at: string
  /** RFC 3339 time. */
  updated_at: string
  lines: Array<{
    /** Lower-case UUID. */
    id: string
    position: number
    type: Open<'fixed_rate' | 'timesheet' | 'bonus' | 'commission' | 'deduction' | 'expense' | 'milestone' | 'overtime' | 'other'>
    description: string
    quantity: string
    /** Sensitive: `compensation`. */
    unit_price: string | null
    /** Sensitive: `compensation`. */
    amount: string | null
    is_taxable: boolean
    period_start: string | null
    period_end: string | null
    source: Source
  }>
}

export interface InvoiceAdjustment {
  /** Lower-case UUID. */
  id: string
  /** Lower-case UUID. */
  contract_id: string
  /** Lower-case UUID. */
  worker_id: string
  worker_email: string
  worker_name: string
  status: Open<'pending' | 'approved' | 'declined' | 'invoiced' | 'paid' | 'not_payable'>
  type: Open<'bonus' | 'commission' | 'deduction' | 'expense' | 'milestone' | 'overtime' | 'other'>
  /** Sensitive: `compensation`. */
  amount: string | null
  /** ISO 4217 code. */
  currency: string
  /** Date, YYYY-MM-DD. */
  date: string
  is_taxable: boolean
  is_recurring: boolean
  recurring_until: string | null
  recurred_from_id: string | null
  description: string
  external_id: string | null
  submitted_by: Actor
  review: Review | null
  payment_cycle_id: string | null
  invoice_id: string | null
  /** RFC 3339 time. */
  created_at: string
  /** RFC 3339 time. */
  updated_at: string
  deleted_at: string | null
}

export interface InvoiceAdjustmentsList {
  data: Array<InvoiceAdjustment>
  cursor: string | null
  has_more: boolean
  /** Rows matching the filters, over all pages. */
  total_count: number
}

export interface InvoiceCreatedEntry {
  /** Lower-case UUID. */
  invoice_id: string
  /** Counted per year. */
  number: string
  /** Lower-case UUID. */
  contract_id: string
  /** Lower-case UUID. */
  worker_id: string
  worker_email: string
  status: Open<'pending' | 'processing' | 'paid' | 'cancelled'>
  /** Of no payment cycle. */
  is_off_cycle: boolean
  /** ISO 4217 code. */
  currency: string
  /** Sensitive: `compensation`. */
  subtotal: string | null
  /** Sensitive: `compensation`. */
  vat_total: string | null
  /** Sensitive: `compensation`. */
  total: string | null
  /** Date, YYYY-MM-DD. */
  issue_date: string
  /** Date, YYYY-MM-DD. */
  due_date: string
  payment_id: string | null
  /** RFC 3339 time. */
  created_at: string
}

export interface InvoiceWithoutLines {
  /** Lower-case UUID. */
  id: string
  /** Counted per year. */
  number: string
  /** Lower-case UUID. */
  contract_id: string
  /** Lower-case UUID. */
  worker_id: string
  worker_email: string
  status: Open<'pending' | 'processing' | 'paid' | 'cancelled'>
  /** Of no payment cycle. */
  is_off_cycle: boolean
  /** Unpaid after its due date. */
  is_overdue: boolean
  payment_cycle_id: string | null
  period_start: string | null
  period_end: string | null
  /** ISO 4217 code. */
  currency: string
  /** Sensitive: `compensation`. */
  subtotal: string | null
  /** Sensitive: `compensation`. */
  taxable_base: string | null
  vat_rate: string | null
  reverse_charge: boolean
  /** Sensitive: `compensation`. */
  vat_total: string | null
  /** Sensitive: `compensation`. */
  total: string | null
  /** Date, YYYY-MM-DD. */
  issue_date: string
  /** Date, YYYY-MM-DD. */
  due_date: string
  paid_at: string | null
  cancelled_at: string | null
  cancel_reason: string | null
  payment_id: string | null
  supplier: Supplier
  customer: Customer
  /** RFC 3339 time. */
  created_at: string
  /** RFC 3339 time. */
  updated_at: string
}

export interface Jwks {
  keys: Array<{
    kty?: string
    kid?: string
    alg?: string
    use?: string
    n?: string
    e?: string
    crv?: string
    x?: string
    y?: string
  }>
}

/** Public keys (RFC 7517), for private_key_jwt. */
export interface KeySetInput {
  keys: ReadonlyArray<{
    kty: 'RSA' | 'EC' | 'OKP'
    kid?: string | undefined
    alg?: string | undefined
    use?: 'sig' | undefined
    n?: string | undefined
    e?: string | undefined
    crv?: string | undefined
    x?: string | undefined
    y?: string | undefined
  }>
}

export interface LastError {
  /** Error class of the attempt. */
  class: string
  response_status: number | null
  detail: string | null
  /** RFC 3339 time. */
  at: string
  /** Lower-case UUID. */
  delivery_id: string
}

export interface LedgerAccount {
  /** Lower-case UUID. */
  id: string
  code: Open<'cash' | 'payments_in_transit' | 'vat_receivable' | 'worker_payable' | 'service_cost' | 'reimbursed_expenses' | 'payment_fees'>
  type: Open<'asset' | 'liability' | 'expense'>
  normal_side: Open<'debit' | 'credit'>
  /** ISO 4217 code. */
  currency: string
  contract_id: string | null
  /** Sensitive: `compensation`. */
  balance: string | null
  /** RFC 3339 time. */
  created_at: string
  /** RFC 3339 time. */
  updated_at: string
}

export interface LedgerGetTrialBalance {
  /** Date, YYYY-MM-DD. */
  as_of: string
  currencies: Array<{
    /** ISO 4217 code. */
    currency: string
    accounts: Array<{
      code: Open<'cash' | 'payments_in_transit' | 'vat_receivable' | 'worker_payable' | 'service_cost' | 'reimbursed_expenses' | 'payment_fees'>
      contract_id: string | null
      /** Sensitive: `compensation`. */
      debit: string | null
      /** Sensitive: `compensation`. */
      credit: string | null
      /** Sensitive: `compensation`. */
      balance: string | null
    }>
    /** Sensitive: `compensation`. */
    debit_total: string | null
    /** Sensitive: `compensation`. */
    credit_total: string | null
  }>
}

export interface LedgerTransaction {
  /** Lower-case UUID. */
  id: string
  /** Counts the transactions without a gap. */
  sequence: number
  kind: Open<'invoice_issued' | 'payment_initiated' | 'payment_completed' | 'reversal'>
  source: {
    kind: Open<'invoice' | 'payment'>
    /** Lower-case UUID. */
    id: string
  }
  description: string
  /** Date, YYYY-MM-DD. */
  effective_date: string
  /** RFC 3339 time. */
  posted_at: string
  reverses_transaction_id: string | null
  reversed_by_transaction_id: string | null
  entries: Array<{
    /** Lower-case UUID. */
    id: string
    /** Lower-case UUID. */
    account_id: string
    account_code: Open<'cash' | 'payments_in_transit' | 'vat_receivable' | 'worker_payable' | 'service_cost' | 'reimbursed_expenses' | 'payment_fees'>
    contract_id: string | null
    direction: Open<'debit' | 'credit'>
    /** Sensitive: `compensation`. */
    amount: string | null
    /** ISO 4217 code. */
    currency: string
    /** Sensitive: `compensation`. */
    balance_after: string | null
  }>
  /** RFC 3339 time. */
  created_at: string
  /** RFC 3339 time. */
  updated_at: string
}

export interface LegalEntitiesUpdateInputAddress {
  line_1?: string | undefined
  line_2?: string | null | undefined
  city?: string | undefined
  region?: string | null | undefined
  postal_code?: string | null | undefined
  /** ISO 3166-1 alpha-2 code. */
  country?: string | undefined
}

export interface LegalEntity {
  /** Lower-case UUID. */
  id: string
  name: string
  country: string | null
  kind: Open<'company' | 'individual'>
  registration_number: string | null
  vat_id: string | null
  address: Address | null
  /** Sensitive: `bank_details`. */
  bank_account: BankAccount | null
  is_default: boolean
  external_id: string | null
  /** RFC 3339 time. */
  created_at: string
  /** RFC 3339 time. */
  updated_at: string
  deleted_at: string | null
}

export interface LegalEntityCreatedEntry {
  /** Lower-case UUID. */
  legal_entity_id: string
  name: string
  /** RFC 3339 time. */
  created_at: string
  external_id: string | null
  country: string | null
  is_default: boolean
}

export interface LookupsCountries {
  /** ISO 3166-1 alpha-2 code. */
  code: string
  name: string
}

export interface LookupsCurrencies {
  /** ISO 4217 code. */
  code: string
  decimals: number
}

export interface Member {
  /** Lower-case UUID. */
  id: string
  name: string
  /** E-mail address. */
  email: string
  role: Open<'owner' | 'admin' | 'developer' | 'finance' | 'viewer'>
  team_role: Open<'admin' | 'finance' | 'developer' | 'viewer'> | null
  status: Open<'active' | 'disabled'>
  /** The account has an authenticator app or a passkey. */
  has_second_factor: boolean
  /** RFC 3339 time. */
  created_at: string
  /** RFC 3339 time. */
  updated_at: string
}

export interface MemberInvitation {
  /** Lower-case UUID. */
  id: string
  /** E-mail address. */
  email: string
  role: Open<'owner' | 'admin' | 'developer' | 'finance' | 'viewer'>
  invited_by: Actor
  /** RFC 3339 time. */
  created_at: string
  /** RFC 3339 time. */
  updated_at: string
  /** RFC 3339 time. */
  sent_at: string
  /** RFC 3339 time. */
  expires_at: string
  url: string | null
}

export interface MemberInvitationsList {
  /** Lower-case UUID. */
  id: string
  /** E-mail address. */
  email: string
  role: Open<'owner' | 'admin' | 'developer' | 'finance' | 'viewer'>
  invited_by: Actor
  /** RFC 3339 time. */
  created_at: string
  /** RFC 3339 time. */
  updated_at: string
  /** RFC 3339 time. */
  sent_at: string
  /** RFC 3339 time. */
  expires_at: string
}

export interface OauthClient {
  /** The client_id. */
  id: string
  /** As it stands in OAuth requests; for a document client the address of its document. */
  client_id: string
  /** Registered itself, is described by a document, or was made by this organization. */
  kind: Open<'dynamic' | 'document' | 'managed'>
  name: string
  description: string | null
  client_uri: string | null
  logo_uri: string | null
  application_type: Open<'web' | 'native'> | null
  grant_types: Array<Open<'authorization_code' | 'refresh_token' | 'client_credentials'>>
  redirect_uris: Array<string>
  token_endpoint_auth_methods: Array<Open<'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt'>>
  jwks: Jwks | null
  jwks_uri: string | null
  scopes: Array<string> | null
  sensitive_data: Array<Open<'compensation' | 'bank_details' | 'personal_identifiers' | 'home_address' | 'health_and_leave'>>
  resources: Array<Open<'rest' | 'mcp'>>
  /** What this organization decided about it. */
  verdict: Open<'verified' | 'blocked' | 'none'>
  secrets: Array<{
    prefix: string
    last4: string
    /** RFC 3339 time. */
    created_at: string
    retires_at: string | null
  }>
  created_by: Actor | null
  created_with: string | null
  /** RFC 3339 time. */
  created_at: string
  /** RFC 3339 time. */
  updated_at: string
  expires_at: string | null
  last_used_at: string | null
}

export interface OauthClientsCreate {
  /** The client_id. */
  id: string
  /** As it stands in OAuth requests; for a document client the address of its document. */
  client_id: string
  /** Registered itself, is described by a document, or was made by this organization. */
  kind: Open<'dynamic' | 'document' | 'managed'>
  name: string
  description: string | null
  client_uri: string | null
  logo_uri: string | null
  application_type: Open<'web' | 'native'> | null
  grant_types: Array<Open<'authorization_code' | 'refresh_token' | 'client_credentials'>>
  redirect_uris: Array<string>
  token_endpoint_auth_methods: Array<Open<'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt'>>
  jwks: Jwks | null
  jwks_uri: string | null
  scopes: Array<string> | null
  sensitive_data: Array<Open<'compensation' | 'bank_details' | 'personal_identifiers' | 'home_address' | 'health_and_leave'>>
  resources: Array<Open<'rest' | 'mcp'>>
  /** What this organization decided about it. */
  verdict: Open<'verified' | 'blocked' | 'none'>
  secrets: Array<{
    prefix: string
    last4: string
    /** RFC 3339 time. */
    created_at: string
    retires_at: string | null
  }>
  created_by: Actor | null
  created_with: string | null
  /** RFC 3339 time. */
  created_at: string
  /** RFC 3339 time. */
  updated_at: string
  expires_at: string | null
  last_used_at: string | null
  client_secret: string | null
}

export interface OauthGrant {
  /** Lower-case UUID. */
  id: string
  client_id: string
  /** As the client called itself when the grant was made. */
  client_name: string
  user_id: string | null
  person_id: string | null
  redirect_host: string | null
  /** What its tokens open: the REST API or the tool server. */
  resource: Open<'rest' | 'mcp'>
  scopes: Array<Open<'contracts:read' | 'contracts:write' | 'people:read' | 'people:write' | 'timesheets:read' | 'timesheets:write' | 'invoice-adjustments:read' | 'invoice-adjustments:write' | 'accounting:read' | 'accounting:write' | 'organizations:read' | 'organizations:write' | 'time-off:read' | 'time-off:write' | 'webhooks:read' | 'webhooks:write' | 'tokens:read' | 'tokens:write' | 'scim:read' | 'scim:write' | 'worker:read' | 'worker:write'>>
  sensitive_data: Array<Open<'compensation' | 'bank_details' | 'personal_identifiers' | 'home_address' | 'health_and_leave'>>
  /** RFC 3339 time. */
  created_at: string
  /** RFC 3339 time. */
  updated_at: string
  ends_at: string | null
  last_used_at: string | null
  revoked_at: string | null
  revoked_by: Actor | null
  revoked_reason: string | null
}

export interface Organization {
  /** Lower-case UUID. */
  id: string
  name: string
  legal_name: string | null
  country: string | null
  /** ISO 4217 code. */
  default_currency: string
  /** IANA time zone, such as Europe/Berlin. */
  timezone: string
  is_sandbox: boolean
  clock_now: string | null
  settings: {
    payment_approval: Open<'none' | 'second_person'>
    /** The numbers of invoices begin with it: 1 to 10 capital letters and digits. */
    invoice_prefix: string
    /** The numbers of payments begin with it: 1 to 10 capital letters and digits. */
    payment_prefix: string
    final_settlement_days: number
    second_factor: Open<'optional' | 'required'>
  } | null
  /** RFC 3339 time. */
  created_at: string
  /** RFC 3339 time. */
  updated_at: string
}

export interface Overview {
  /** From here on is counted: a full hour, at least 24 hours ago. */
  since: string
  webhooks: {
    active: number
    disabled: number
    /** Active ones with so many failures in a row that the others are warned. */
    failing: number
    /** Deliveries that are not made yet; counts end at 10,000. */
    pending: number
    held: number
    oldest_pending_at: string | null
    /** Deliveries that arrived, of the newest 1,000 of each webhook. */
    succeeded: number
    /** Deliveries of these that were given up. */
    failed: number
  } | null
  api_tokens: {
    live: number
    /** Within 14 days. */
    expiring: number
    /** For 90 days. */
    unused: number
  } | null
  requests: {
    succeeded: number
    /** Answered 4xx. */
    refused: number
    /** Answered 5xx. */
    failed: number
    /** By operation and code, the most frequent first; at most 10. */
    errors: Array<{
      operation: string
      status: number
      error_code: string
      requests: number
      /** RFC 3339 time. */
      latest_at: string
    }>
  } | null
}

export interface Payment {
  /** Lower-case UUID. */
  id: string
  number: string
  status: Open<'pending_approval' | 'processing' | 'completed' | 'failed' | 'cancelled'>
  /** ISO 4217 code. */
  currency: string
  /** Sensitive: `compensation`. */
  total: string | null
  /** Sensitive: `compensation`. */
  fee: string | null
  provider: string
  reference: string | null
  value_date: string | null
  external_id: string | null
  invoices: Array<{
    /** Lower-case UUID. */
    invoice_id: string
    number: string
    /** Lower-case UUID. */
    contract_id: string
    /** Lower-case UUID. */
    worker_id: string
    worker_email: string
    /** Sensitive: `compensation`. */
    total: string | null
    /** Sensitive: `bank_details`. */
    has_bank_account: boolean | null
  }>
  created_by: Actor
  approved_by: Actor | null
  approved_at: string | null
  initiated_at: string | null
  completed_at: string | null
  failed_at: string | null
  cancelled_at: string | null
  failure_reason: string | null
  cancel_reason: string | null
  /** RFC 3339 time. */
  created_at: string
  /** RFC 3339 time. */
  updated_at: string
}

export interface PaymentCycle {
  /** Lower-case UUID. */
  id: string
  /** Lower-case UUID. */
  contract_id: string
  status: Open<'upcoming' | 'active' | 'invoiced' | 'paid' | 'skipped' | 'cancelled'>
  /** Date, YYYY-MM-DD. */
  start_date: string
  /** Date, YYYY-MM-DD. */
  end_date: string
  /** Date, YYYY-MM-DD. */
  nominal_start_date: string
  /** Date, YYYY-MM-DD. */
  nominal_end_date: string
  /** Date, YYYY-MM-DD. */
  issue_date: string
  /** Date, YYYY-MM-DD. */
  due_date: string
  /** RFC 3339 time. */
  closes_at: string
  /** ISO 4217 code. */
  currency: string
  invoice_id: string | null
  /** RFC 3339 time. */
  created_at: string
  /** RFC 3339 time. */
  updated_at: string
}

export interface PaymentCyclesPreview {
  /** Lower-case UUID. */
  contract_id: string
  /** Lower-case UUID. */
  payment_cycle_id: string
  /** ISO 4217 code. */
  currency: string
  lines: Array<{
    position: number
    type: Open<'fixed_rate' | 'timesheet' | 'bonus' | 'commission' | 'deduction' | 'expense' | 'milestone' | 'overtime' | 'other'>
    description: string
    quantity: string
    /** Sensitive: `compensation`. */
    unit_price: string | null
    /** Sensitive: `compensation`. */
    amount: string | null
    is_taxable: boolean
    period_start: string | null
    period_end: string | null
    source: Source
  }>
  /** Sensitive: `compensation`. */
  subtotal: string | null
  /** Sensitive: `compensation`. */
  taxable_base: string | null
  vat_rate: string | null
  /** Sensitive: `compensation`. */
  vat_total: string | null
  /** Sensitive: `compensation`. */
  total: string | null
  deferred_adjustment_ids: Array<string>
}

export interface PaymentShare {
  /** Lower-case UUID. */
  invoice_id: string
  number: string
  /** Lower-case UUID. */
  contract_id: string
  /** Lower-case UUID. */
  worker_id: string
  worker_email: string
  /** Sensitive: `bank_details`. */
  has_bank_account: boolean | null
  worker_name: string
  /** Sensitive: `bank_details`. */
  bank_account: BankAccount | null
  /** ISO 4217 code. */
  currency: string
  /** Sensitive: `compensation`. */
  fixed_rate: string | null
  /** Sensitive: `compensation`. */
  timesheets: string | null
  /** Sensitive: `compensation`. */
  bonus: string | null
  /** Sensitive: `compensation`. */
  commission: string | null
  /** Sensitive: `compensation`. */
  overtime: string | null
  /** Sensitive: `compensation`. */
  milestone: string | null
  /** Sensitive: `compensation`. */
  expense: string | null
  /** Sensitive: `compensation`. */
  deduction: string | null
  /** Sensitive: `compensation`. */
  other: string | null
  /** Sensitive: `compensation`. */
  vat_total: string | null
  /** Sensitive: `compensation`. */
  total: string | null
}

export interface PeopleCreateWorkerToken {
  /** Lower-case UUID. */
  id: string
  token: string | null
  /** Lower-case UUID. */
  person_id: string
  scopes: Array<string>
  sensitive_data: Array<string>
  /** RFC 3339 time. */
  created_at: string
  /** RFC 3339 time. */
  updated_at: string
  /** RFC 3339 time. */
  expires_at: string
}

export interface PeopleExport {
  person: Person
  contracts: Array<Contract>
  amendments: Array<Amendment>
  timesheets: Array<Timesheet>
  invoice_adjustments: Array<InvoiceAdjustment>
  invoices: Array<InvoiceWithoutLines>
  time_offs: Array<TimeOff>
  incomplete: Array<Open<'contracts' | 'amendments' | 'timesheets' | 'invoice_adjustments' | 'invoices' | 'time_offs'>>
}

export interface PeopleUpdateInputEmergencyContact {
  name?: string | undefined
  relation?: string | null | undefined
  /** E.164, such as +49305550101. */
  phone?: string | undefined
}

export interface Person {
  /** Lower-case UUID. */
  id: string
  first_name: string
  last_name: string
  preferred_name: string | null
  /** Preferred or first name, then last name. */
  full_name: string
  email: string | null
  /** Sensitive: `home_address`. */
  personal_email: string | null
  /** Sensitive: `home_address`. */
  phone: string | null
  /** BCP 47 language tag, such as de or pt-BR. */
  locale: string
  external_id: string | null
  country: string | null
  region: string | null
  timezone: string | null
  /** Sensitive: `home_address`. */
  home_address: Address | null
  /** Sensitive: `home_address`. */
  emergency_contact: EmergencyContact | null
  /** Sensitive: `personal_identifiers`. */
  date_of_birth: string | null
  /** Sensitive: `personal_identifiers`. */
  nationality: string | null
  /** Sensitive: `personal_identifiers`. */
  government_ids: Array<{
    type: Open<'passport' | 'national_id' | 'tax_id' | 'social_security' | 'other'>
    /** ISO 3166-1 alpha-2 code. */
    country: string
    number: string
  }> | null
  /** Sensitive: `personal_identifiers`. */
  vat_id: string | null
  /** Sensitive: `bank_details`. */
  bank_account: BankAccount | null
  worker_type: Open<'contractor' | 'employee'>
  job_title: string | null
  seniority: string | null
  start_date: string | null
  department: Ref | null
  manager: Ref | null
  working_location: Ref | null
  legal_entity: Ref | null
  teams: Array<Ref>
  is_manager: boolean
  direct_reports_count: number
  /** By key; null where there is no value, and where its category is not granted. */
  custom_fields: Record<string, unknown>
  status: Open<'pending' | 'active' | 'offboarding' | 'inactive'>
  access: Open<'none' | 'enabled' | 'disabled'>
  provisioned_at: string | null
  /** RFC 3339 time. */
  created_at: string
  /** RFC 3339 time. */
  updated_at: string
  deleted_at: string | null
  erased_at: string | null
}

export interface PersonCreatedEntry {
  /** Lower-case UUID. */
  person_id: string
  external_id: string | null
  email: string | null
  /** Preferred or first name, then last name. */
  full_name: string
  worker_type: Open<'contractor' | 'employee'>
  status: Open<'pending' | 'active' | 'offboarding' | 'inactive'>
  access: Open<'none' | 'enabled' | 'disabled'>
  country: string | null
  /** RFC 3339 time. */
  created_at: string
}

/** RFC 9457 problem document. */
export interface Problem {
  /** Documentation page of the code. */
  type: string
  /** What went wrong, the same for every problem of the code. */
  title: string
  /** HTTP status. */
  status: number
  /** What went wrong this time, or what to do about it. */
  detail: string
  /** Stable name of the problem; programs decide by it. */
  code: string
  /** Tell it to the operator; the log of the service has it too. */
  request_id: string
  /** Places of the input that were refused, at most 20. */
  errors?: Array<{
    /** JSON Pointer (RFC 6901) into the flat input. */
    pointer: string
    message: string
  }>
  /** With `insufficient_scope`: scopes of which any one suffices. */
  required_scopes?: Array<string>
}

export interface Provisioning {
  /** The address that an identity provider is given. */
  base_url: string
  /** Tokens and OAuth clients of the organization with a `scim` scope, the newest first; one that expired is shown for 30 days. */
  credentials: Array<{
    kind: Open<'api_token' | 'oauth_client'>
    /** Of the token or of the client. */
    id: string
    name: string
    scopes: Array<string>
    /** RFC 3339 time. */
    created_at: string
    created_by: Actor
    /** Its maker is no member any more; it works on. */
    maker_left: boolean
    expires_at: string | null
    last_used_at: string | null
  }>
  last_success_at: string | null
  last_failure_at: string | null
  /** Requests from a full hour on, at least 24 hours ago. */
  last_day: {
    succeeded: number
    failed: number
  }
  people: {
    /** People whom provisioning keeps. */
    linked: number
    /** People whom it removed and who stay here. */
    removed: number
  }
  /** Teams that give their members a role, by name. */
  team_roles: Array<{
    team: {
      /** Lower-case UUID. */
      id: string
      name: string
    }
    role: Open<'admin' | 'finance' | 'developer' | 'viewer'>
    member_count: number
    /** Members with an account that is not blocked: those who have the role. */
    account_count: number
  }>
}

export interface Ref {
  /** Lower-case UUID. */
  id: string
  name: string
}

export interface RequestLog {
  /** Lower-case UUID. */
  id: string
  /** When it was answered. */
  occurred_at: string
  request_id: string
  /** The way in: REST API, tool server or provisioning. */
  surface: Open<'rest' | 'mcp' | 'scim'>
  /** Id of the operation. */
  operation: string
  method: string
  /** Without the query. */
  path: string
  /** HTTP status of the answer. */
  status: number
  error_code: string | null
  hint: string | null
  /** Of a refusal for want of a scope: those of which any one would have sufficed. */
  missing_scopes: Array<string>
  duration_ms: number
  /** Lower-case UUID. */
  credential_id: string
  client_id: string | null
  actor: Actor
  ip: string | null
  /** Those that the credential had. */
  scopes: Array<string>
  /** Those of which the operation asks for one; none: any valid credential may call it. */
  required_scopes: Array<string>
  query: string | null
  /** By name; the values of most are left out. */
  request_headers: Record<string, unknown>
  request_body: string | null
  /** Why there is none: it had none, was over 16 KiB, is of a kind that is not kept, or the caller may not call the operation. */
  request_body_state: Open<'none' | 'kept' | 'too_large' | 'not_kept' | 'withheld'>
  response_body: string | null
}

export interface RequestLogsList {
  /** Lower-case UUID. */
  id: string
  /** When it was answered. */
  occurred_at: string
  request_id: string
  /** The way in: REST API, tool server or provisioning. */
  surface: Open<'rest' | 'mcp' | 'scim'>
  /** Id of the operation. */
  operation: string
  method: string
  /** Without the query. */
  path: string
  /** HTTP status of the answer. */
  status: number
  error_code: string | null
  hint: string | null
  /** Of a refusal for want of a scope: those of which any one would have sufficed. */
  missing_scopes: Array<string>
  duration_ms: number
  /** Lower-case UUID. */
  credential_id: string
  client_id: string | null
  actor: Actor
  ip: string | null
}

export interface Review {
  status: Open<'approved' | 'declined'>
  reason: string | null
  reviewed_by: Actor
  /** RFC 3339 time. */
  reviewed_at: string
}

export interface SandboxAdvanceClock {
  /** RFC 3339 time. */
  now: string
  fired_timers: number
}

export interface SandboxGetClock {
  /** RFC 3339 time. */
  now: string
  pending_timers: number
  next_timer_at: string | null
}

export interface Source {
  kind: Open<'payment_cycle' | 'timesheet' | 'invoice_adjustment'>
  /** Lower-case UUID. */
  id: string
}

export interface Supplier {
  name: string
  /** ISO 3166-1 alpha-2 code. */
  country: string
  /** Sensitive: `home_address`. */
  address: Address | null
  /** Sensitive: `personal_identifiers`. */
  vat_id: string | null
}

/** For invoices that are issued later. */
export interface TaxInput {
  vat_rate?: string | null | undefined
  /** The recipient owes the VAT; it is zero here. */
  reverse_charge?: boolean | undefined
}

export interface Team {
  /** Lower-case UUID. */
  id: string
  name: string
  external_id: string | null
  member_count: number
  /** RFC 3339 time. */
  created_at: string
  /** RFC 3339 time. */
  updated_at: string
  deleted_at: string | null
}

export interface TeamCreatedEntry {
  /** Lower-case UUID. */
  team_id: string
  name: string
  /** RFC 3339 time. */
  created_at: string
  external_id: string | null
}

/** The terms that change; those left out stay as they are. */
export interface TermsInput {
  amount?: string | null | undefined
  /** What the amount is for; has a default. */
  scale?: 'hourly' | 'daily' | 'weekly' | 'biweekly' | 'semimonthly' | 'monthly' | 'yearly' | undefined
  frequency?: 'weekly' | 'biweekly' | 'semimonthly' | 'monthly' | null | undefined
  cycle_end_type?: 'day_of_week' | 'day_of_month' | 'day_of_last_week' | null | undefined
  cycle_end?: number | null | undefined
  /** Days from the invoice to its due date; default 7. */
  payment_due_days?: number | undefined
  /** Weekend due dates move to Friday. */
  pay_before_weekends?: boolean | undefined
  /** Days that count in a part of a cycle. */
  proration?: 'calendar_days' | 'working_days' | undefined
  end_date?: string | null | undefined
  job_title?: string | null | undefined
  seniority?: string | null | undefined
  scope_of_work?: string | null | undefined
  special_clause?: string | null | undefined
  /** Days of notice; recorded, not enforced. */
  notice_period_days?: number | undefined
}

export interface TimeOff {
  /** Lower-case UUID. */
  id: string
  /** Lower-case UUID. */
  person_id: string
  person_email: string | null
  person_name: string
  /** Sensitive: `health_and_leave`. */
  policy: Ref | null
  /** Sensitive: `health_and_leave`. */
  leave_type: Open<'vacation' | 'sick' | 'parental' | 'family' | 'public_duty' | 'unpaid' | 'other'> | null
  /** Sensitive: `health_and_leave`. */
  is_paid: boolean | null
  status: Open<'requested' | 'approved' | 'rejected' | 'used' | 'cancelled'>
  /** Date, YYYY-MM-DD. */
  start_date: string
  /** Date, YYYY-MM-DD. */
  end_date: string
  start_half_day: boolean
  end_half_day: boolean
  /** Days: decimal string in steps of 0.5. */
  days: string
  /** Sensitive: `health_and_leave`. */
  reason: string | null
  review: {
    status: Open<'approved' | 'rejected'>
    /** Sensitive: `health_and_leave`. */
    reason: string | null
    reviewed_by: Actor
    /** RFC 3339 time. */
    reviewed_at: string
  } | null
  requested_by: Actor
  cancelled_at: string | null
  /** Sensitive: `health_and_leave`. */
  cancel_reason: string | null
  external_id: string | null
  /** RFC 3339 time. */
  created_at: string
  /** RFC 3339 time. */
  updated_at: string
}

export interface TimeOffCreatedEntry {
  /** Lower-case UUID. */
  time_off_id: string
  /** Lower-case UUID. */
  person_id: string
  person_email: string | null
  status: Open<'requested' | 'approved' | 'rejected' | 'used' | 'cancelled'>
  /** Date, YYYY-MM-DD. */
  start_date: string
  /** Date, YYYY-MM-DD. */
  end_date: string
  /** Days: decimal string in steps of 0.5. */
  days: string
  /** Sensitive: `health_and_leave`. */
  policy: Ref | null
  /** Sensitive: `health_and_leave`. */
  leave_type: Open<'vacation' | 'sick' | 'parental' | 'family' | 'public_duty' | 'unpaid' | 'other'> | null
  /** RFC 3339 time. */
  created_at: string
}

export interface TimeOffPolicy {
  /** Lower-case UUID. */
  id: string
  name: string
  leave_type: Open<'vacation' | 'sick' | 'parental' | 'family' | 'public_duty' | 'unpaid' | 'other'>
  counting: Open<'working_days' | 'calendar_days'>
  annual_allowance_days: string | null
  is_paid: boolean
  requires_approval: boolean
  allow_negative: boolean
  /** RFC 3339 time. */
  created_at: string
  /** RFC 3339 time. */
  updated_at: string
  deleted_at: string | null
}

export interface TimeOffPolicyCreatedEntry {
  /** Lower-case UUID. */
  time_off_policy_id: string
  name: string
  leave_type: Open<'vacation' | 'sick' | 'parental' | 'family' | 'public_duty' | 'unpaid' | 'other'>
  is_paid: boolean
  /** RFC 3339 time. */
  created_at: string
}

export interface Timesheet {
  /** Lower-case UUID. */
  id: string
  /** Lower-case UUID. */
  contract_id: string
  /** Lower-case UUID. */
  worker_id: string
  worker_email: string
  worker_name: string
  status: Open<'pending' | 'approved' | 'declined' | 'invoiced' | 'paid' | 'not_payable'>
  /** Date, YYYY-MM-DD. */
  start_date: string
  /** Date, YYYY-MM-DD. */
  end_date: string
  quantity: string
  scale: Open<'hourly' | 'daily'>
  /** Sensitive: `compensation`. */
  rate: string | null
  /** Sensitive: `compensation`. */
  total_amount: string | null
  /** ISO 4217 code. */
  currency: string
  description: string
  external_id: string | null
  submitted_by: Actor
  review: Review | null
  payment_cycle_id: string | null
  invoice_id: string | null
  /** RFC 3339 time. */
  created_at: string
  /** RFC 3339 time. */
  updated_at: string
  deleted_at: string | null
}

export interface TimesheetsList {
  data: Array<Timesheet>
  cursor: string | null
  has_more: boolean
  /** Rows matching the filters, over all pages. */
  total_count: number
}

export interface Webhook {
  /** Lower-case UUID. */
  id: string
  name: string | null
  description: string | null
  url: string
  events: Array<string>
  status: Open<'active' | 'disabled'>
  disabled_reason: Open<'failures' | 'manual'> | null
  disabled_at: string | null
  disabled_by: Actor | null
  last_error: LastError | null
  /** What `x-service-webhook-version` names. */
  api_version: string
  /** How much of each entry is sent. `thin`: identifiers (`…_id`), `status` and `created_at`. */
  payload: Open<'full' | 'thin'>
  /** Categories of sensitive data that payloads may hold; fields of others are null. */
  sensitive_data: Array<Open<'compensation' | 'bank_details' | 'personal_identifiers' | 'home_address' | 'health_and_leave'>>
  signing_keys: Array<WebhooksGetSigningKeys>
  consecutive_failures: number
  disable_risk: DisableRisk | null
  /** Deliveries not yet made. Counts end at 10,000. */
  backlog: Backlog
  last_attempt_at: string | null
  last_success_at: string | null
  /** RFC 3339 time. */
  created_at: string
  /** RFC 3339 time. */
  updated_at: string
}

export interface WebhookFailingEntry {
  /** Lower-case UUID. */
  webhook_id: string
  url: string
  name: string | null
  reason: Open<'failures' | 'manual'> | null
  consecutive_failures: number
  disabled_at: string | null
  last_error: LastError | null
}

export interface WebhooksCreate {
  /** Lower-case UUID. */
  id: string
  name: string | null
  description: string | null
  url: string
  events: Array<string>
  status: Open<'active' | 'disabled'>
  disabled_reason: Open<'failures' | 'manual'> | null
  disabled_at: string | null
  disabled_by: Actor | null
  last_error: LastError | null
  /** What `x-service-webhook-version` names. */
  api_version: string
  /** How much of each entry is sent. `thin`: identifiers (`…_id`), `status` and `created_at`. */
  payload: Open<'full' | 'thin'>
  /** Categories of sensitive data that payloads may hold; fields of others are null. */
  sensitive_data: Array<Open<'compensation' | 'bank_details' | 'personal_identifiers' | 'home_address' | 'health_and_leave'>>
  signing_keys: Array<WebhooksGetSigningKeys>
  consecutive_failures: number
  disable_risk: DisableRisk | null
  /** Deliveries not yet made. Counts end at 10,000. */
  backlog: Backlog
  last_attempt_at: string | null
  last_success_at: string | null
  /** RFC 3339 time. */
  created_at: string
  /** RFC 3339 time. */
  updated_at: string
  signing_key: string | null
  warnings?: Array<Open<'url_unresolved'>>
}

export interface WebhooksGetDelivery {
  /** Lower-case UUID. */
  id: string
  /** Lower-case UUID. */
  webhook_id: string
  /** Lower-case UUID. */
  event_id: string
  event_type: string
  is_simulation: boolean
  origin: Open<'event' | 'simulation' | 'redelivery' | 'replay'>
  source_delivery_id: string | null
  replay_id: string | null
  status: Open<'pending' | 'sending' | 'held' | 'succeeded' | 'failed' | 'discarded' | 'cancelled' | 'expired'>
  hold_reason: Open<'disabled' | 'internal'> | null
  /** Runs through the retry schedule; a release begins a new one. */
  series: number
  /** Attempt that is next or was last; 0 is the first of a series. */
  attempt_no: number
  next_attempt_at: string | null
  expires_at: string | null
  last_status: number | null
  last_error_class: string | null
  /** RFC 3339 time. */
  created_at: string
  /** RFC 3339 time. */
  updated_at: string
  first_attempt_at: string | null
  completed_at: string | null
  recovered_at: string | null
  body: {
    text: string
    sha256: string
  } | null
  /** Oldest first. */
  attempts: Array<{
    /** Lower-case UUID. */
    id: string
    series: number
    attempt_no: number
    /** Whether it counts towards disabling the subscription. */
    counted: boolean
    /** RFC 3339 time. */
    started_at: string
    dns_ms: number | null
    connect_ms: number | null
    tls_ms: number | null
    first_byte_ms: number | null
    total_ms: number | null
    connection_reused: boolean | null
    /** Every address contacted, in the order in which they were tried. */
    addresses: Array<{
      address: string
      connection_reused: boolean
      tls_version: string | null
      /** From the start of the attempt. */
      started_ms: number
      connect_ms: number | null
      tls_ms: number | null
      /** From the start of the attempt until the connection stood, or was given up. */
      ended_ms: number
      error_class: string | null
      error_detail: string | null
    }>
    resolved_ip: string | null
    tls_version: string | null
    url: string
    /** As sent. Signatures are shortened for callers without webhooks:write. */
    request_headers: Record<string, unknown>
    /** Signing keys used, the primary one first. */
    key_labels: Array<string>
    response_status: number | null
    response_headers: Record<string, unknown> | null
    response_body: string | null
    response_text: string | null
    response_cut: Open<'size' | 'time' | 'closed'> | null
    retry_after: string | null
    outcome: Open<'succeeded' | 'failed' | 'unknown'>
    error_class: string | null
    error_phase: string | null
    error_detail: string | null
    decision: Open<'done' | 'retry' | 'exhausted' | 'held' | 'cancelled' | 'repeat' | 'none'>
    next_attempt_at: string | null
    worker: string
    /** False for a result that came after another worker had taken over. */
    applied: boolean
  }>
}

export interface WebhooksGetSigningKeys {
  /** What `x-service-hmac-label` names. */
  label: string
  state: Open<'next' | 'primary' | 'previous' | 'retired'>
  /** RFC 3339 time. */
  created_at: string
  /** RFC 3339 time. */
  activates_at: string
  retires_at: string | null
  last_used_at: string | null
}

export interface WebhooksListEventTypes {
  name: string
  module: string
  description: string
  /** JSON Schema of the whole payload. */
  json_schema: Record<string, unknown>
  payload_example: Record<string, unknown>
}

export interface WebhooksReplay {
  /** Lower-case UUID. */
  id: string
  /** Lower-case UUID. */
  webhook_id: string
  /** Paused while the subscription is disabled; completed when every delivery to send is made. */
  state: Open<'queued' | 'running' | 'paused' | 'completed' | 'cancelled'>
  /** Deliveries recorded at this time or later. */
  since: string
  /** Deliveries recorded before this time. */
  until: string
  statuses: Array<Open<'failed' | 'discarded' | 'expired' | 'succeeded'>>
  /** Deliveries found so far, with one of the statuses. */
  matched: number
  /** Deliveries made from them. */
  created: number
  /** Of those found: recovered already, or of an event type that the subscription lists no more. */
  skipped: number
  requested_by: Actor
  /** RFC 3339 time. */
  created_at: string
  /** RFC 3339 time. */
  updated_at: string
  finished_at: string | null
}

export interface WebhooksRotateSigningKey {
  /** What `x-service-hmac-label` names. */
  label: string
  state: Open<'next' | 'primary' | 'previous' | 'retired'>
  /** RFC 3339 time. */
  created_at: string
  /** RFC 3339 time. */
  activates_at: string
  retires_at: string | null
  last_used_at: string | null
  signing_key: string | null
}

export interface WebhooksUpdate {
  /** Lower-case UUID. */
  id: string
  name: string | null
  description: string | null
  url: string
  events: Array<string>
  status: Open<'active' | 'disabled'>
  disabled_reason: Open<'failures' | 'manual'> | null
  disabled_at: string | null
  disabled_by: Actor | null
  last_error: LastError | null
  /** What `x-service-webhook-version` names. */
  api_version: string
  /** How much of each entry is sent. `thin`: identifiers (`…_id`), `status` and `created_at`. */
  payload: Open<'full' | 'thin'>
  /** Categories of sensitive data that payloads may hold; fields of others are null. */
  sensitive_data: Array<Open<'compensation' | 'bank_details' | 'personal_identifiers' | 'home_address' | 'health_and_leave'>>
  signing_keys: Array<WebhooksGetSigningKeys>
  consecutive_failures: number
  disable_risk: DisableRisk | null
  /** Deliveries not yet made. Counts end at 10,000. */
  backlog: Backlog
  last_attempt_at: string | null
  last_success_at: string | null
  /** RFC 3339 time. */
  created_at: string
  /** RFC 3339 time. */
  updated_at: string
  warnings?: Array<Open<'url_unresolved'>>
}

export interface WorkingLocation {
  /** Lower-case UUID. */
  id: string
  name: string
  /** ISO 3166-1 alpha-2 code. */
  country: string
  address: Address | null
  external_id: string | null
  /** RFC 3339 time. */
  created_at: string
  /** RFC 3339 time. */
  updated_at: string
  deleted_at: string | null
}

export interface WorkingLocationCreatedEntry {
  /** Lower-case UUID. */
  working_location_id: string
  name: string
  /** RFC 3339 time. */
  created_at: string
  external_id: string | null
  /** ISO 3166-1 alpha-2 code. */
  country: string
}
