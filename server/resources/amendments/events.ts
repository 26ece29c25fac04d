import { defineEvent } from '#core/event.ts'
import { ActorSchema, CalendarDate, Id, Nullable, type Static, Timestamp, Type } from '#core/schema/schema.ts'
import {
  type ContractRow,
  contract_statuses,
  contractEntry,
  contractEntryFields,
  contractExample,
} from '#resources/contracts/index.ts'
import { type AmendmentRow, amendment_statuses, sign_statuses } from './amendment.ts'
import { Change } from './amendment-schema.ts'

const entry = {
  contract_id: Id,
  worker_email: Type.String(),
  type: contractEntryFields.type,
  country: contractEntryFields.country,
  amendment_id: Id,
  status: Type.Enum([...amendment_statuses]),
  sign_status: Type.Enum([...sign_statuses]),
  created_at: Timestamp,
  effective_date: Nullable(CalendarDate),
  contract_status: Type.Enum([...contract_statuses]),
  changes: Type.Array(Change),
}

const raise = { field: 'amount' as const, from: '4500.00', to: '4800.00' }
const example = {
  contract_id: contractExample.contract_id,
  worker_email: contractExample.worker_email,
  type: contractExample.type,
  country: contractExample.country,
  amendment_id: '019d01a4-6e80-7c4b-9a5e-0c7e1b2f8d43',
  status: 'initial' as const,
  sign_status: 'pending' as const,
  created_at: '2026-03-18T09:00:00.000Z',
  effective_date: '2026-04-01',
  contract_status: 'active' as const,
  changes: [raise],
}
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
    declined_by: { kind: 'worker' as const, id: contractExample.worker_id, name: 'Jonas Weber' },
    reason: 'too low',
  },
})
export const amendmentStatusUpdated = defineEvent({
  type: 'contract.amendment.status.updated',
  module: 'contracts',
  summary: 'The status or the sign status of an amendment changed.',
  entry: Type.Object({
    ...entry,
    previous_status: Type.Enum([...amendment_statuses]),
    previous_sign_status: Type.Enum([...sign_statuses]),
  }),
  example: { ...pending, previous_status: 'initial' as const, previous_sign_status: 'pending' as const },
})
export const contractAmended = defineEvent({
  type: 'contract.amended',
  module: 'contracts',
  summary: 'An amendment took effect.',
  entry: Type.Object({
    ...contractEntryFields,
    amendment_id: Id,
    effective_date: CalendarDate,
    changes: Type.Array(Change),
  }),
  example: {
    ...contractExample,
    status: 'active' as const,
    amendment_id: example.amendment_id,
    effective_date: '2026-04-01',
    changes: [raise],
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

export function amendmentEntry(row: AmendmentRow, contract: Party) {
  return {
    contract_id: row.contract_id,
    worker_email: contract.worker_email,
    type: contract.type,
    country: contract.country,
    amendment_id: row.id,
    status: row.status,
    sign_status: row.sign_status,
    created_at: row.created_at,
    effective_date: row.effective_date,
    contract_status: contract.status,
    changes: changesOf(row),
  }
}

/** The entry of `contract.amendment.status.updated`. */
export function movedEntry(row: AmendmentRow, previous: Pick<AmendmentRow, 'status' | 'sign_status'>, contract: Party) {
  return {
    ...amendmentEntry(row, contract),
    previous_status: previous.status,
    previous_sign_status: previous.sign_status,
  }
}

export function amendedEntry(contract: ContractRow, row: AmendmentRow & { effective_date: string }) {
  return {
    ...contractEntry(contract),
    amendment_id: row.id,
    effective_date: row.effective_date,
    changes: changesOf(row),
  }
}

function changesOf({ changes }: AmendmentRow): Static<typeof Change>[] {
  // The cast holds because only amendable terms, and what follows from them, ever differ.
  return changes as Static<typeof Change>[]
}
