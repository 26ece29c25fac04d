import type { Static, TObject, TProperties } from 'typebox'
import { defineEvent } from '#core/operation.ts'
import { ActorSchema, CalendarDate, Nullable, Timestamp, Type } from '#core/schema/schema.ts'
import { type ContractRow, contract } from '#resources/contracts/index.ts'
import { type AmendmentRow, amendment } from './amendment.ts'

type OwnMembers = Record<keyof typeof amendment.entry, unknown>
type ContractMembers = Record<keyof typeof contract.entry, unknown>
type Joined<Own extends OwnMembers, Of extends ContractMembers> = Own &
  Pick<Of, 'contract_id' | 'worker_email' | 'type' | 'country'> & { contract_status: Of['status'] }

/** Joins what an event tells of an amendment and of its contract: their schemas, their examples, or the values of rows. */
function joined<Own extends OwnMembers, Of extends ContractMembers>(
  { changes, ...own }: Own,
  { contract_id, worker_email, type, country, status: contract_status }: Of,
) {
  // The cast keeps the types of the members apart from those of their names.
  return { contract_id, worker_email, type, country, ...own, contract_status, changes } as unknown as Joined<Own, Of>
}

const entry = joined(amendment.entry, contract.entry)
const active = { ...contract.entryExample, status: 'active' } as const
const drafted = joined(amendment.entryExample, active)
const pending = { status: 'pending', sign_status: 'waiting_for_approval' } as const

function about<More extends TProperties>(
  type: string,
  summary: string,
  more: More,
  example: Static<TObject<More>> & Partial<typeof drafted>,
) {
  // The casts hold because both have the usual members and those of `more`.
  return defineEvent({
    ...{ type, module: 'contracts', summary },
    entry: Type.Object({ ...entry, ...more }) as unknown as TObject<typeof entry & More>,
    example: { ...drafted, ...example } as unknown as Static<TObject<typeof entry & More>>,
  })
}

export const amendmentCreated = about('contract.amendment.created', 'An amendment was drafted.', {}, {})
export const amendmentUpdated = about('contract.amendment.updated', 'The draft of an amendment changed.', {}, {})
export const amendmentSigned = about(
  'contract.amendment.signed',
  'One party signed an amendment.',
  { party: Type.Enum(['client', 'worker']), signed_at: Timestamp },
  { ...pending, party: 'client', signed_at: '2026-03-18T09:01:00.000Z' },
)
export const amendmentDeclined = about(
  'contract.amendment.declined',
  'The worker declined an amendment, the client withdrew it, or the contract ended.',
  { declined_by: ActorSchema, reason: Nullable(Type.String()) },
  {
    ...{ status: 'declined', sign_status: 'declined' },
    declined_by: { kind: 'worker', id: active.worker_id, name: 'Jonas Weber' },
    reason: 'too low',
  },
)
export const amendmentStatusUpdated = about(
  'contract.amendment.status.updated',
  'The status or the sign status of an amendment changed.',
  { previous_status: entry.status, previous_sign_status: entry.sign_status },
  { ...pending, previous_status: 'initial', previous_sign_status: 'pending' },
)
const { amendment_id, changes } = amendment.entry
export const contractAmended = contract.event(
  'contract.amended',
  'An amendment took effect.',
  { amendment_id, effective_date: CalendarDate, changes },
  { ...active, amendment_id: drafted.amendment_id, effective_date: '2026-04-01', changes: drafted.changes },
)

export const amendmentEvents = [
  amendmentCreated,
  amendmentUpdated,
  amendmentSigned,
  amendmentDeclined,
  amendmentStatusUpdated,
  contractAmended,
]

export function amendmentEntry(row: AmendmentRow, of: ContractRow) {
  return joined(amendment.entryOf(row), contract.entryOf(of))
}

/** The entry of `contract.amendment.status.updated`. */
export function movedEntry(row: AmendmentRow, previous: Pick<AmendmentRow, 'status' | 'sign_status'>, of: ContractRow) {
  return { ...amendmentEntry(row, of), previous_status: previous.status, previous_sign_status: previous.sign_status }
}

export function amendedEntry(
  of: ContractRow,
  { id, effective_date, changes }: AmendmentRow & { effective_date: string },
) {
  return { ...contract.entryOf(of), amendment_id: id, effective_date, changes }
}
