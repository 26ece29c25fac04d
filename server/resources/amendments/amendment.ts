import type { Actor } from '#core/caller.ts'
import { canonicalDigest } from '#core/json.ts'
import { invalidState } from '#core/problems.ts'
import { anyOf, defineResource, type RowFrom } from '#core/resource.ts'
import { answerProperties, changeProperties } from '#core/schema/fields.ts'
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
  requireTermsVersion,
  TermsDigest,
  TermsVersion,
} from '#resources/contracts/index.ts'

export const amendment_statuses = ['initial', 'pending', 'approved', 'active', 'outdated', 'declined'] as const
export type AmendmentStatus = (typeof amendment_statuses)[number]

const sign_statuses = ['pending', 'waiting_for_approval', 'approved', 'declined'] as const
type SignStatus = (typeof sign_statuses)[number]

/** The six pairs of domain rules 3.2: who still has to sign follows from the status. */
const signStatusOf: Record<AmendmentStatus, SignStatus> = {
  initial: 'pending',
  pending: 'waiting_for_approval',
  approved: 'approved',
  active: 'approved',
  outdated: 'approved',
  declined: 'declined',
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

const server = { set_by: 'server' } as const
const noted = { set_by: 'server', nullable: true } as const

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

interface Signature {
  name: string
  at: string
  /** The version that the party has read. */
  terms_version: number | undefined
}

export function revised(row: AmendmentRow, proposal: Proposal): AmendmentRow {
  requireStatus(row, 'initial')
  return { ...row, ...proposal, terms_version: row.terms_version + 1 }
}

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
export function proposalDigest(row: Digested): string {
  const { client_terms_digest, currency, effective_date, terms } = row
  return client_terms_digest ?? canonicalDigest({ currency, effective_date, terms })
}

export function signedByClient(
  row: AmendmentRow,
  { name, at, by, terms_version }: Signature & { by: Actor },
): AmendmentRow {
  requireStatus(row, 'initial')
  requireTermsVersion(row, terms_version)
  return {
    ...row,
    ...inStatus('pending'),
    client_name: name,
    client_signed_at: at,
    client_signed_by: by,
    client_terms_digest: proposalDigest(row),
  }
}

/** Both have signed: approved for a day in the future. What takes effect at once goes on to `activated`. */
export function signedByWorker(
  row: AmendmentRow,
  proposal: Proposal,
  { name, at, terms_version }: Signature,
): AmendmentRow {
  requireStatus(row, 'pending')
  requireTermsVersion(row, terms_version)
  return {
    ...row,
    ...proposal,
    ...inStatus('approved'),
    worker_name: name,
    worker_signed_at: at,
    worker_terms_digest: proposalDigest(row),
  }
}

export function activated(row: AmendmentRow, proposal: Proposal, at: string): AmendmentRow {
  requireStatus(row, 'approved')
  return { ...row, ...proposal, ...inStatus('active'), activated_at: at }
}

export function outdated(row: AmendmentRow, at: string): AmendmentRow {
  requireStatus(row, 'active', 'approved')
  return { ...row, ...inStatus('outdated'), outdated_at: at }
}

export function declined(row: AmendmentRow, by: Actor, reason: string | null, at: string): AmendmentRow {
  requireStatus(row, 'initial', 'pending')
  return { ...row, ...inStatus('declined'), declined_at: at, declined_by: by, decline_reason: reason }
}

/** Throws `invalid_state` unless the amendment is in one of the statuses. */
export function requireStatus({ status }: AmendmentRow, ...allowed: AmendmentStatus[]): void {
  if (!allowed.includes(status)) throw invalidState(`The amendment is ${status}; it has to be ${allowed.join(' or ')}.`)
}

export function inStatus(status: AmendmentStatus) {
  return { status, sign_status: signStatusOf[status] }
}
