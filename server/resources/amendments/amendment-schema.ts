import {
  ActorSchema,
  CalendarDate,
  Closed,
  CurrencyCode,
  Id,
  MoneyAmount,
  Nullable,
  PageInput,
  Sensitive,
  SetOf,
  type Static,
  Text,
  Timestamp,
  Type,
} from '#core/schema/schema.ts'
import {
  amendable_terms,
  amendableFields,
  type ContractRow,
  contract_types,
  cycle_end_types,
  frequencies,
  prorations,
  SignedVersion,
  SignerName,
  scales,
  TermsDigest,
  TermsVersion,
} from '#resources/contracts/index.ts'
import { type AmendmentRow, amendment_statuses, proposalDigest, sign_statuses } from './amendment.ts'

const TermValue = Type.Union([Type.String(), Type.Integer(), Type.Boolean()])
const amountOnly = { field: 'field', is: 'amount' }

/**
 * One term as it was and as it will be. `first_cycle_end` follows from a new series of payment cycles; `amount` is listed
 * whenever it is proposed, also where it stays the same, so that a list without its values tells nothing of them.
 */
export const Change = Type.Object({
  field: Type.Enum([...amendable_terms, 'first_cycle_end']),
  from: Sensitive('compensation', TermValue, amountOnly),
  to: Sensitive('compensation', TermValue, amountOnly),
})

/** The terms that the amendment names; an absent one stays as it is. */
const ProposedTerms = Type.Object({
  amount: Type.Optional(Sensitive('compensation', MoneyAmount)),
  scale: Type.Optional(Nullable(Type.Enum([...scales]))),
  frequency: Type.Optional(Nullable(Type.Enum([...frequencies]))),
  cycle_end_type: Type.Optional(Nullable(Type.Enum([...cycle_end_types]))),
  cycle_end: Type.Optional(Nullable(Type.Integer())),
  payment_due_days: Type.Optional(Type.Integer()),
  pay_before_weekends: Type.Optional(Type.Boolean()),
  proration: Type.Optional(Type.Enum([...prorations])),
  end_date: Type.Optional(Nullable(CalendarDate)),
  job_title: Type.Optional(Nullable(Type.String())),
  seniority: Type.Optional(Nullable(Type.String())),
  scope_of_work: Type.Optional(Nullable(Type.String())),
  special_clause: Type.Optional(Nullable(Type.String())),
  notice_period_days: Type.Optional(Type.Integer()),
})

/** New terms for an active contract (a work statement); states and transitions in domain rules 3.2. */
export const Amendment = Type.Object(
  {
    id: Id,
    contract_id: Id,
    status: Type.Enum([...amendment_statuses]),
    sign_status: Type.Enum([...sign_statuses]),
    contract_name: Type.String(),
    contract_type: Type.Enum([...contract_types]),
    effective_date: Nullable(CalendarDate),
    reason: Nullable(Type.String()),
    terms: ProposedTerms,
    changes: Type.Array(Change),
    amount: Sensitive('compensation', MoneyAmount),
    scale: Nullable(Type.Enum([...scales])),
    currency: CurrencyCode,
    terms_version: TermsVersion,
    terms_digest: TermsDigest,
    client_signed_at: Nullable(Timestamp),
    client_signed_by: Nullable(ActorSchema),
    worker_signed_at: Nullable(Timestamp),
    activated_at: Nullable(Timestamp),
    outdated_at: Nullable(Timestamp),
    declined_at: Nullable(Timestamp),
    declined_by: Nullable(ActorSchema),
    decline_reason: Nullable(Type.String()),
    created_by: ActorSchema,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Amendment' },
)

export const AmendmentPath = { contract_id: Id, amendment_id: Id }

const TermsInput = Closed(amendableFields, {
  minProperties: 1,
  description: 'The terms that change; those left out stay as they are.',
})

export const ProposalInput = {
  effective_date: Type.Optional(
    Nullable({ ...CalendarDate, description: 'Null: the day of the second signature.' } as typeof CalendarDate),
  ),
  reason: Type.Optional(Nullable(Text(0, 2_000, { description: 'Why the terms change.' }))),
}

export const NewAmendmentInput = Closed({ contract_id: Id, ...ProposalInput, terms: TermsInput })

export const AmendmentChangeInput = Closed({ ...AmendmentPath, ...ProposalInput, terms: Type.Optional(TermsInput) })

export const SignInput = Closed({
  ...AmendmentPath,
  signer_name: SignerName,
  terms_version: Type.Optional(SignedVersion),
})

export const WorkerSignInput = Closed({ ...AmendmentPath, signer_name: SignerName, terms_version: SignedVersion })

export const DeclineInput = Closed({
  ...AmendmentPath,
  reason: Type.Optional(Nullable(Text(0, 500, { description: 'Why not.' }))),
})

export const AmendmentFilter = {
  ...PageInput,
  contract_id: Id,
  statuses: Type.Optional(SetOf(Type.Enum([...amendment_statuses]), { description: 'Any of these statuses.' })),
  sign_statuses: Type.Optional(SetOf(Type.Enum([...sign_statuses]), { description: 'Any of these sign statuses.' })),
}

export function amendmentOf(
  row: AmendmentRow,
  contract: Pick<ContractRow, 'title' | 'type' | 'currency'>,
): Static<typeof Amendment> {
  return {
    id: row.id,
    contract_id: row.contract_id,
    status: row.status,
    sign_status: row.sign_status,
    contract_name: contract.title,
    contract_type: contract.type,
    effective_date: row.effective_date,
    reason: row.reason,
    // The casts hold because both columns are only ever written from checked terms.
    terms: row.terms as Static<typeof ProposedTerms>,
    changes: row.changes as Static<typeof Change>[],
    amount: row.amount,
    scale: row.scale,
    currency: contract.currency,
    terms_version: row.terms_version,
    terms_digest: proposalDigest(row, contract.currency),
    client_signed_at: row.client_signed_at,
    client_signed_by: row.client_signed_by,
    worker_signed_at: row.worker_signed_at,
    activated_at: row.activated_at,
    outdated_at: row.outdated_at,
    declined_at: row.declined_at,
    declined_by: row.declined_by,
    decline_reason: row.decline_reason,
    created_by: row.created_by,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}
