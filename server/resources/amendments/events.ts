import { defineEvent } from '#core/event.ts'
import { ActorSchema, CalendarDate, Id, Nullable, Timestamp, Type } from '#core/schema/schema.ts'
import { type ContractRow, contract, contract_statuses } from '#resources/contracts/index.ts'
import { type AmendmentRow, amendment } from './amendment.ts'

const { amendment_id, status, sign_status, created_at, effective_date, changes } = amendment.entry
const { contract_id, worker_email, type, country } = contract.entry
const entry = {
  contract_id,
  worker_email,
  type,
  country,
  amendment_id,
  status,
  sign_status,
  created_at,
  effective_date,
  contract_status: Type.Enum([...contract_statuses]),
  changes,
}

const active = { ...contract.entryExample, status: 'active' as const }
const example = entryOf(amendment.entryExample, active)
const pending = { ...example, status: 'pending' as const, sign_status: 'waiting_for_approval' as const }

export const amendmentCreated = defineEvent({
  type: 'contract.amendment.created',
  module: 'contracts',
  summary: 'An amendment was drafted.',
  entry: Type.Object(entry),
  example,
})
export const amendmentUpdated = defineEvent({
  type: 'contract.amendment.updated',
  module: 'contracts',
  summary: 'The draft of an amendment changed.',
  entry: Type.Object(entry),
  example,
})
export const amendmentSigned = defineEvent({
  type: 'contract.amendment.signed',
  module: 'contracts',
  summary: 'One party signed an amendment.',
  entry: Type.Object({ ...entry, party: Type.Enum(['client', 'worker']), signed_at: Timestamp }),
  example: { ...pending, party: 'client' as const, signed_at: '2026-03-18T09:01:00.000Z' },
})
export const amendmentDeclined = defineEvent({
  type: 'contract.amendment.declined',
  module: 'contracts',
  summary: 'The worker declined an amendment, the client withdrew it, or the contract ended.',
  entry: Type.Object({ ...entry, declined_by: ActorSchema, reason: Nullable(Type.String()) }),
  example: {
    ...example,
    status: 'declined' as const,
    sign_status: 'declined' as const,
    declined_by: { kind: 'worker' as const, id: active.worker_id, name: 'Jonas Weber' },
    reason: 'too low',
  },
})
export const amendmentStatusUpdated = defineEvent({
  type: 'contract.amendment.status.updated',
  module: 'contracts',
  summary: 'The status or the sign status of an amendment changed.',
  entry: Type.Object({
    ...entry,
    previous_status: status,
    previous_sign_status: sign_status,
  }),
  example: { ...pending, previous_status: 'initial' as const, previous_sign_status: 'pending' as const },
})
export const contractAmended = defineEvent({
  type: 'contract.amended',
  module: 'contracts',
  summary: 'An amendment took effect.',
  entry: Type.Object({
    ...contract.entry,
    amendment_id: Id,
    effective_date: CalendarDate,
    changes,
  }),
  example: {
    ...active,
    amendment_id: example.amendment_id,
    effective_date: '2026-04-01',
    changes: example.changes,
  },
})

export const amendmentEvents = [
  amendmentCreated,
  amendmentUpdated,
  amendmentSigned,
  amendmentDeclined,
  amendmentStatusUpdated,
  contractAmended,
]

type Party = Pick<ContractRow, 'worker_email' | 'status' | 'type' | 'country'>

export function amendmentEntry(row: AmendmentRow, of: Party) {
  return entryOf(amendment.entryOf(row), { ...of, contract_id: row.contract_id })
}

function entryOf(
  { amendment_id, status, sign_status, created_at, effective_date, changes }: ReturnType<typeof amendment.entryOf>,
  { contract_id, worker_email, type, country, status: contract_status }: Party & { contract_id: string },
) {
  return {
    contract_id,
    worker_email,
    type,
    country,
    amendment_id,
    status,
    sign_status,
    created_at,
    effective_date,
    contract_status,
    changes,
  }
}

/** The entry of `contract.amendment.status.updated`. */
export function movedEntry(row: AmendmentRow, previous: Pick<AmendmentRow, 'status' | 'sign_status'>, of: Party) {
  return { ...amendmentEntry(row, of), previous_status: previous.status, previous_sign_status: previous.sign_status }
}

export function amendedEntry(
  of: ContractRow,
  { id, effective_date, changes }: AmendmentRow & { effective_date: string },
) {
  return { ...contract.entryOf(of), amendment_id: id, effective_date, changes }
}
