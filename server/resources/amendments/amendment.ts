import { anyOf } from '#core/filters.ts'
import { canonicalDigest } from '#core/json.ts'
import { invalidState } from '#core/problems.ts'
import { defineResource, type RowFrom } from '#core/resource.ts'
import { answerProperties, changeProperties, noted, server } from '#core/schema/fields.ts'
import {
  ActorSchema,
  CalendarDate,
  Closed,
  CurrencyCode,
  Id,
  MoneyAmount,
  Sensitive,
  Text,
  Timestamp,
  Type,
} from '#core/schema/schema.ts'
import {
  amendable_fields,
  amendable_terms,
  compensation_terms,
  contract,
  TermsDigest,
  TermsVersion,
} from '#resources/contracts/index.ts'

export const amendment_statuses = ['initial', 'pending', 'approved', 'active', 'outdated', 'declined'] as const
export type AmendmentStatus = (typeof amendment_statuses)[number]

const sign_statuses = ['pending', 'waiting_for_approval', 'approved', 'declined'] as const
type SignStatus = (typeof sign_statuses)[number]

/** The steps of an amendment (domain rules 3.2): who has signed in each status, and the statuses that lead to it. */
const steps: Record<AmendmentStatus, { sign_status: SignStatus; from: readonly AmendmentStatus[] }> = {
  initial: { sign_status: 'pending', from: [] },
  pending: { sign_status: 'waiting_for_approval', from: ['initial'] },
  approved: { sign_status: 'approved', from: ['pending'] },
  active: { sign_status: 'approved', from: ['approved'] },
  outdated: { sign_status: 'approved', from: ['active', 'approved'] },
  declined: { sign_status: 'declined', from: ['initial', 'pending'] },
}

const TermValue = Type.Union([Type.String(), Type.Integer(), Type.Boolean()])
const amountOnly = { field: 'field', is: 'amount' }

/**
 * One term as it was and as it will be. `first_cycle_end` follows from a new series of payment cycles; `amount` is listed
 * whenever it is proposed, also where it stays the same, so that a list without its values tells nothing of them.
 */
const Change = Type.Object({
  field: Type.Enum([...amendable_terms, 'first_cycle_end']),
  from: Sensitive('compensation', TermValue, amountOnly),
  to: Sensitive('compensation', TermValue, amountOnly),
})

/** The terms that an amendment names; an absent one stays as it is. */
const ProposedTerms = Closed(changeProperties(amendable_fields), {
  minProperties: 1,
  description: 'The terms that change; those left out stay as they are.',
})

/** New terms for an active contract (a work statement); states and transitions in domain rules 3.2. */
export const amendment = defineResource({
  name: 'amendment',
  title: 'Amendment',
  table: 'amendments',
  fields: {
    id: { type: Id, ...server, example: '019d01a4-6e80-7c4b-9a5e-0c7e1b2f8d43' },
    contract_id: { type: Id, ...server, refers: contract, joined_as: 'contract' },
    status: { type: Type.Enum([...amendment_statuses]), ...server, example: 'initial' },
    sign_status: { type: Type.Enum([...sign_statuses]), ...server, example: 'pending' },
    contract_name: { type: Type.String(), read_from: 'contract.title', example: 'Platform engineering' },
    contract_type: { type: contract.entry.type, read_from: 'contract.type' },
    effective_date: {
      type: CalendarDate,
      nullable: true,
      about: 'Null: the day of the second signature.',
      example: '2026-04-01',
    },
    reason: { type: Text(0, 2_000, { description: 'Why the terms change.' }), nullable: true },
    terms: {
      type: ProposedTerms,
      shown: Type.Partial(Type.Object(answerProperties(amendable_fields))),
      required: true,
    },
    changes: {
      type: Type.Array(Change),
      ...server,
      example: [{ field: 'amount', from: '4500.00', to: '4800.00' }],
    },
    amount: { type: MoneyAmount, ...noted, category: 'compensation' },
    scale: { type: compensation_terms.scale.type, ...noted },
    currency: { type: CurrencyCode, read_from: 'contract.currency' },
    terms_version: { type: TermsVersion, ...server, initial: 1 },
    terms_digest: { type: TermsDigest, category: 'compensation', computed: true },
    client_signed_at: { type: Timestamp, ...noted },
    client_signed_by: { type: ActorSchema, ...noted },
    worker_signed_at: { type: Timestamp, ...noted },
    activated_at: { type: Timestamp, ...noted },
    outdated_at: { type: Timestamp, ...noted },
    declined_at: { type: Timestamp, ...noted },
    declined_by: { type: ActorSchema, ...noted },
    decline_reason: { type: Type.String(), ...noted },
    created_by: { type: ActorSchema, ...server },
    created_at: { type: Timestamp, ...server, example: '2026-03-18T09:00:00.000Z' },
    updated_at: { type: Timestamp, ...server },
  },
  internal: {
    client_name: { type: Type.String(), nullable: true },
    worker_name: { type: Type.String(), nullable: true },
    // Digests of the proposal that each party signed.
    client_terms_digest: { type: TermsDigest, nullable: true },
    worker_terms_digest: { type: TermsDigest, nullable: true },
  },
  compute: (row) => ({ terms_digest: proposalDigest(row) }),
  filters: {
    statuses: anyOf('status', 'Any of these statuses.'),
    sign_statuses: anyOf('sign_status', 'Any of these sign statuses.'),
  },
  told: ['id', 'status', 'sign_status', 'created_at', 'effective_date', 'changes'],
})
export type AmendmentRow = RowFrom<typeof amendment>

/** The input that names an amendment. */
export const AmendmentPath = { ...contract.path, ...amendment.path }

/** The content of an amendment beside its state: written by create and update, and settled by the second signature. */
export type Proposal = Pick<AmendmentRow, 'effective_date' | 'terms' | 'changes' | 'amount' | 'scale'>

interface Digested {
  currency: string
  effective_date: string | null
  terms: object
  client_terms_digest: string | null
}

/**
 * Names what is proposed by what it says. Once the client has signed it stays as that signature has it, although the
 * second one settles a date that was left open.
 */
export function proposalDigest({ client_terms_digest, currency, effective_date, terms }: Digested): string {
  return client_terms_digest ?? canonicalDigest({ currency, effective_date, terms })
}

export function inStatus(status: AmendmentStatus) {
  return { status, sign_status: steps[status].sign_status }
}

/** The amendment in its next status, with what is noted of the step; throws `invalid_state` where none leads there. */
export function moved(row: AmendmentRow, status: AmendmentStatus, noted: Partial<AmendmentRow>): AmendmentRow {
  requireStatus(row, ...steps[status].from)
  return { ...row, ...noted, ...inStatus(status) }
}

/** Throws `invalid_state` unless the amendment is in one of the statuses. */
export function requireStatus({ status }: AmendmentRow, ...allowed: AmendmentStatus[]): void {
  if (!allowed.includes(status)) throw invalidState(`The amendment is ${status}; it has to be ${allowed.join(' or ')}.`)
}
