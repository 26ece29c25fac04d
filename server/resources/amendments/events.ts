import type { Static, TObject } from 'typebox'
import { type Context, eventsAbout } from '#core/operation.ts'
import { ActorSchema, CalendarDate, Nullable, Timestamp, Type } from '#core/schema/schema.ts'
import { type ContractRow, contract } from '#resources/contracts/index.ts'
import { type AmendmentRow, amendment } from './amendment.ts'

const { changes, ...own } = amendment.entry
const { contract_id, worker_email, type, country, status: contract_status } = contract.entry
const entry = { contract_id, worker_email, type, country, ...own, contract_status, changes }
type Entry = Static<TObject<typeof entry>>

/** Joins what an event tells of an amendment and of its contract. */
function joined(
  { changes, ...own }: Static<TObject<typeof amendment.entry>>,
  { contract_id, worker_email, type, country, status: contract_status }: Static<TObject<typeof contract.entry>>,
): Entry {
  return { contract_id, worker_email, type, country, ...own, contract_status, changes }
}

const active = { ...contract.entryExample, status: 'active' } as const
const drafted = joined(amendment.entryExample, active)
const pending = { status: 'pending', sign_status: 'waiting_for_approval' } as const

const about = eventsAbout('contracts', entry, drafted)

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
export const contractAmended = contract.event(
  'contract.amended',
  'An amendment took effect.',
  { amendment_id: own.amendment_id, effective_date: CalendarDate, changes },
  { ...active, amendment_id: drafted.amendment_id, effective_date: '2026-04-01', changes: drafted.changes },
)

export function amendmentEntry(row: AmendmentRow, of: ContractRow): Entry {
  return joined(amendment.entryOf(row), contract.entryOf(of))
}

/** Tells how an amendment moved (domain rules 3.2): which events there are follows from it before and after. */
export function tellMove({ emit }: Pick<Context, 'emit'>, before: AmendmentRow, row: AmendmentRow, of: ContractRow) {
  const entry = amendmentEntry(row, of)
  const { id: amendment_id, status, effective_date, changes, declined_by, decline_reason: reason } = row
  for (const party of ['client', 'worker'] as const) {
    const signed_at = row[`${party}_signed_at`]
    if (signed_at && !before[`${party}_signed_at`]) emit(amendmentSigned, { ...entry, party, signed_at })
  }
  if (declined_by) emit(amendmentDeclined, { ...entry, declined_by, reason })
  const { status: previous_status, sign_status: previous_sign_status } = before
  emit(amendmentStatusUpdated, { ...entry, previous_status, previous_sign_status })
  if (status === 'active' && effective_date) {
    emit(contractAmended, { ...contract.entryOf(of), amendment_id, effective_date, changes })
  }
}
