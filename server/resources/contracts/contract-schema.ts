import {
  ActorSchema,
  CalendarDate,
  Closed,
  Country,
  CurrencyCode,
  Email,
  ExternalId,
  Id,
  Locale,
  MoneyAmount,
  MoneyInput,
  MultilineText,
  Nullable,
  Percent,
  Ref,
  Sensitive,
  type Static,
  Text,
  Timestamp,
  TimeZone,
  Type,
} from '#core/schema/schema.ts'
import { type ContractRow, contract_statuses, termination_types, termsDigest } from './contract.ts'
import { cycle_end_types, frequencies } from './cycle-calendar.ts'
import { contract_types, prorations, scales } from './terms.ts'

const Compensation = Type.Object({
  amount: Sensitive('compensation', MoneyAmount),
  currency: CurrencyCode,
  scale: Nullable(Type.Enum([...scales])),
  frequency: Nullable(Type.Enum([...frequencies])),
  cycle_end_type: Nullable(Type.Enum([...cycle_end_types])),
  cycle_end: Nullable(Type.Integer()),
  first_cycle_end: Nullable(CalendarDate),
  payment_due_days: Type.Integer(),
  pay_before_weekends: Type.Boolean(),
  proration: Type.Enum([...prorations]),
})

const Signatures = Type.Object({
  client_name: Nullable(Type.String()),
  client_signed_at: Nullable(Timestamp),
  client_signed_by: Nullable(ActorSchema),
  worker_name: Nullable(Type.String()),
  worker_signed_at: Nullable(Timestamp),
})

const Invitation = Type.Object({
  email: Type.String(),
  locale: Locale,
  sent_at: Timestamp,
  expires_at: Timestamp,
})

const Termination = Type.Object({
  type: Type.Enum([...termination_types]),
  reason: Nullable(Type.String()),
  message: Nullable(Type.String()),
  completion_date: CalendarDate,
  eligible_for_rehire: Nullable(Type.Boolean()),
  requested_at: Timestamp,
  requested_by: ActorSchema,
})

/** Both stand on everything that is signed; the digest tells the pay to who guesses it. */
export const TermsVersion = Type.Integer({ minimum: 1, description: 'Counts the changes of the terms.' })
export const TermsDigest = Sensitive(
  'compensation',
  Type.String({ description: 'SHA-256 of the canonical terms, base64url.' }),
)

/** An agreement between the organization and one worker; states and transitions in domain rules 3.1. */
export const Contract = Type.Object(
  {
    id: Id,
    type: Type.Enum([...contract_types]),
    title: Type.String(),
    status: Type.Enum([...contract_statuses]),
    status_reason: Nullable(Type.String()),
    external_id: Nullable(Type.String()),
    custom_fields: Type.Record(Type.String(), Type.Unknown()),
    is_archived: Type.Boolean(),
    archived_at: Nullable(Timestamp),
    ended_at: Nullable(Timestamp),
    created_by: ActorSchema,
    worker_id: Id,
    worker_email: Type.String(),
    worker_name: Type.String(),
    legal_entity: Ref,
    team: Nullable(Ref),
    country: Country,
    region: Nullable(Type.String()),
    timezone: TimeZone,
    start_date: CalendarDate,
    end_date: Nullable(CalendarDate),
    last_day: Nullable(CalendarDate),
    job_title: Nullable(Type.String()),
    seniority: Nullable(Type.String()),
    scope_of_work: Nullable(Type.String()),
    special_clause: Nullable(Type.String()),
    notice_period_days: Type.Integer(),
    compensation: Compensation,
    tax: Type.Object({ vat_rate: Nullable(Percent), reverse_charge: Type.Boolean() }),
    signatures: Signatures,
    invitation: Nullable(Invitation),
    termination: Nullable(Termination),
    terms_version: TermsVersion,
    terms_digest: TermsDigest,
    current_amendment_id: Nullable(Id),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Contract' },
)

export const ContractPath = { contract_id: Id }

const termsFields = {
  end_date: Type.Optional(
    Nullable({ ...CalendarDate, description: 'Last day; null: open-ended.' } as typeof CalendarDate),
  ),
  job_title: Type.Optional(Nullable(Text(0, 150, { description: 'Job title in the contract.' }))),
  seniority: Type.Optional(Nullable(Text(0, 100, { description: 'Level, such as "senior".' }))),
  scope_of_work: Type.Optional(Nullable(MultilineText(0, 20_000, { description: 'What the worker does.' }))),
  special_clause: Type.Optional(
    Nullable(MultilineText(0, 20_000, { description: 'Agreed beside the standard terms.' })),
  ),
  notice_period_days: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 365, description: 'Days of notice; recorded, not enforced.' }),
  ),
}

const compensationFields = {
  amount: Type.Optional(Nullable(MoneyInput)),
  scale: Type.Optional(Type.Enum([...scales], { description: 'What the amount is for; has a default.' })),
  frequency: Type.Optional(Nullable(Type.Enum([...frequencies], { description: 'Length of a payment cycle.' }))),
  cycle_end_type: Type.Optional(
    Nullable(Type.Enum([...cycle_end_types], { description: 'How cycle_end names the end of a cycle.' })),
  ),
  cycle_end: Type.Optional(
    Nullable(Type.Integer({ minimum: 1, maximum: 31, description: 'Weekday (1 Monday to 7) or day of the month.' })),
  ),
  first_cycle_end: Type.Optional(Nullable(CalendarDate)),
  payment_due_days: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 90, description: 'Days from the invoice to its due date; default 7.' }),
  ),
  pay_before_weekends: Type.Optional(Type.Boolean({ description: 'Weekend due dates move to Friday.' })),
  proration: Type.Optional(Type.Enum([...prorations], { description: 'Days that count in a part of a cycle.' })),
}

const { first_cycle_end: _, ...amendableCompensation } = compensationFields

/** What can change while a contract is active: the terms of an amendment, typed as on the contract. */
export const amendableFields = { ...amendableCompensation, ...termsFields }

const Region = Text(1, 10, { description: 'Part of the country: what ISO 3166-2 adds.' })

const headFields = {
  external_id: Type.Optional(Nullable(ExternalId)),
  custom_fields: Type.Optional(Closed({}, { description: 'Values of custom fields by their key.' })),
  team_id: Type.Optional(Nullable(Id)),
  region: Type.Optional(Nullable(Region)),
  tax: Type.Optional(
    Closed(
      {
        vat_rate: Type.Optional(Nullable(Percent)),
        reverse_charge: Type.Optional(Type.Boolean({ description: 'The recipient owes the VAT; it is zero here.' })),
      },
      { description: 'For invoices that are issued later.' },
    ),
  ),
}

const ContractTitle = Text(1, 200, { description: 'Name of the contract.' })

export const NewContractInput = Closed({
  type: Type.Enum([...contract_types], {
    description: 'What is paid: a fixed rate, reported work, milestones, a salary.',
  }),
  title: ContractTitle,
  worker_id: Type.Optional(Id),
  worker: Type.Optional(
    Closed(
      {
        first_name: Text(1, 100, { description: 'First name.' }),
        last_name: Text(1, 100, { description: 'Last name.' }),
        email: Email,
        country: Country,
        region: Type.Optional(Nullable(Region)),
        external_id: Type.Optional(Nullable(ExternalId)),
      },
      { description: 'Instead of worker_id: the person with this e-mail, made if there is none.' },
    ),
  ),
  legal_entity_id: Type.Optional(Id),
  country: Type.Optional(Country),
  timezone: Type.Optional(TimeZone),
  start_date: CalendarDate,
  ...headFields,
  ...termsFields,
  compensation: Closed({ ...compensationFields, currency: CurrencyCode }, { description: 'What is paid, and when.' }),
})
export type NewContract = Static<typeof NewContractInput>

export const ContractChangeInput = Closed({
  ...ContractPath,
  title: Type.Optional(ContractTitle),
  ...headFields,
  start_date: Type.Optional(CalendarDate),
  ...termsFields,
  compensation: Type.Optional(Closed(compensationFields, { description: 'What is paid, and when.' })),
})

export function contractOf(row: ContractRow): Static<typeof Contract> {
  return {
    id: row.id,
    type: row.type,
    title: row.title,
    status: row.status,
    status_reason: row.status_reason,
    external_id: row.external_id,
    custom_fields: row.custom_fields,
    is_archived: row.archived_at !== null,
    archived_at: row.archived_at,
    ended_at: row.ended_at,
    created_by: row.created_by,
    worker_id: row.worker_id,
    worker_email: row.worker_email,
    worker_name: row.worker_name,
    legal_entity: { id: row.legal_entity_id, name: row.legal_entity_name },
    team: row.team_id === null ? null : { id: row.team_id, name: row.team_name ?? '' },
    country: row.country,
    region: row.region,
    timezone: row.timezone,
    start_date: row.start_date,
    end_date: row.end_date,
    last_day: row.last_day,
    job_title: row.job_title,
    seniority: row.seniority,
    scope_of_work: row.scope_of_work,
    special_clause: row.special_clause,
    notice_period_days: row.notice_period_days,
    compensation: {
      amount: row.amount,
      currency: row.currency,
      scale: row.scale,
      frequency: row.frequency,
      cycle_end_type: row.cycle_end_type,
      cycle_end: row.cycle_end,
      first_cycle_end: row.first_cycle_end,
      payment_due_days: row.payment_due_days,
      pay_before_weekends: row.pay_before_weekends,
      proration: row.proration,
    },
    tax: { vat_rate: row.vat_rate, reverse_charge: row.reverse_charge },
    signatures: {
      client_name: row.client_name,
      client_signed_at: row.client_signed_at,
      client_signed_by: row.client_signed_by,
      worker_name: row.worker_sign_name,
      worker_signed_at: row.worker_signed_at,
    },
    invitation: row.invitation,
    termination:
      row.termination && row.completion_date !== null
        ? { ...row.termination, completion_date: row.completion_date }
        : null,
    terms_version: row.terms_version,
    terms_digest: termsDigest(row),
    current_amendment_id: row.status === 'active' ? row.current_amendment_id : null,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}
