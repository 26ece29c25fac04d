import { defineEvent } from '#core/event.ts'
import { CalendarDate, Nullable, Timestamp, Type } from '#core/schema/schema.ts'
import { type ContractRow, contract, contract_statuses, type Invitation, termination_types } from './contract.ts'

export function invitationEntry(row: ContractRow, { email, expires_at }: Invitation) {
  return { ...contract.entryOf(row), invitation_email: email, expires_at }
}

/** The contract as it is with the termination that `requested` holds, which may be withdrawn already. */
export function terminationEntry(row: ContractRow, { termination, completion_date }: ContractRow) {
  if (termination === null || completion_date === null) throw new Error('the contract has no termination')
  return { ...contract.entryOf(row), termination_type: termination.type, completion_date, reason: termination.reason }
}

const active = { ...contract.entryExample, status: 'active' as const }
const leaving = { ...active, last_day: '2026-05-08' }
const terminated = { ...leaving, status: 'terminated' as const }

export const contractCreated = defineEvent({
  type: 'contract.created',
  module: 'contracts',
  summary: 'A contract was stored.',
  entry: Type.Object(contract.entry),
  example: contract.entryExample,
})
export const contractUpdated = defineEvent({
  type: 'contract.updated',
  module: 'contracts',
  summary: 'Fields of a contract were changed directly.',
  entry: Type.Object({
    ...contract.entry,
    changed_fields: Type.Array(Type.String()),
    signatures_cleared: Type.Boolean(),
  }),
  example: { ...contract.entryExample, changed_fields: ['compensation.amount'], signatures_cleared: true },
})

const invitation = Type.Object({ ...contract.entry, invitation_email: Type.String(), expires_at: Timestamp })
const invitationExample = {
  ...contract.entryExample,
  invitation_email: 'jonas@harbour.example',
  expires_at: '2026-01-26T09:05:00.000Z',
}
export const contractInvitationSent = defineEvent({
  type: 'contract.invitation.sent',
  module: 'contracts',
  summary: 'The worker was invited to review and sign a contract.',
  entry: invitation,
  example: invitationExample,
})
export const contractInvitationRevoked = defineEvent({
  type: 'contract.invitation.revoked',
  module: 'contracts',
  summary: 'The invitation to a contract was taken back.',
  entry: invitation,
  example: invitationExample,
})
export const contractInvitationExpired = defineEvent({
  type: 'contract.invitation.expired',
  module: 'contracts',
  summary: 'The invitation to a contract ran out.',
  entry: invitation,
  example: invitationExample,
})

export const contractSignatureAdded = defineEvent({
  type: 'contract.signature.added',
  module: 'contracts',
  summary: 'One party signed a contract.',
  entry: Type.Object({ ...contract.entry, party: Type.Enum(['client', 'worker']), signed_at: Timestamp }),
  example: { ...contract.entryExample, party: 'client' as const, signed_at: '2026-01-12T09:05:00.000Z' },
})
export const contractSigned = defineEvent({
  type: 'contract.signed',
  module: 'contracts',
  summary: 'Both signatures of a contract are present.',
  entry: Type.Object({ ...contract.entry, client_signed_at: Timestamp, worker_signed_at: Timestamp }),
  example: {
    ...active,
    client_signed_at: '2026-01-12T09:05:00.000Z',
    worker_signed_at: '2026-01-13T10:00:00.000Z',
  },
})
export const contractStatusUpdated = defineEvent({
  type: 'contract.status.updated',
  module: 'contracts',
  summary: 'The status of a contract changed.',
  entry: Type.Object({ ...contract.entry, previous_status: Type.Enum([...contract_statuses]) }),
  example: { ...active, previous_status: 'pending' as const },
})

const withReason = Type.Object({ ...contract.entry, reason: Nullable(Type.String()) })
export const contractRejected = defineEvent({
  type: 'contract.rejected',
  module: 'contracts',
  summary: 'The worker refused a contract.',
  entry: withReason,
  example: { ...contract.entryExample, status: 'rejected' as const, reason: 'rate too low' },
})
export const contractCancelled = defineEvent({
  type: 'contract.cancelled',
  module: 'contracts',
  summary: 'The client withdrew a contract before it became active.',
  entry: withReason,
  example: { ...contract.entryExample, status: 'cancelled' as const, reason: null },
})

const termination = Type.Object({
  ...contract.entry,
  termination_type: Type.Enum([...termination_types]),
  completion_date: CalendarDate,
  reason: Nullable(Type.String()),
})
const terminationExample = { termination_type: 'resignation' as const, completion_date: '2026-05-08', reason: null }
export const contractTerminationRequested = defineEvent({
  type: 'contract.termination.requested',
  module: 'contracts',
  summary: 'A date was set on which a contract ends.',
  entry: termination,
  example: { ...leaving, ...terminationExample },
})
export const contractTerminationCancelled = defineEvent({
  type: 'contract.termination.cancelled',
  module: 'contracts',
  summary: 'The termination of a contract was withdrawn.',
  entry: termination,
  example: { ...active, ...terminationExample },
})

const ending = Type.Object({
  ...contract.entry,
  completion_date: CalendarDate,
  termination_type: Nullable(Type.Enum([...termination_types])),
  reason: Nullable(Type.String()),
})
export const contractTerminated = defineEvent({
  type: 'contract.terminated',
  module: 'contracts',
  summary: 'A contract ended by resignation or termination.',
  entry: ending,
  example: { ...terminated, ...terminationExample },
})
export const contractCompleted = defineEvent({
  type: 'contract.completed',
  module: 'contracts',
  summary: 'A contract ended as planned.',
  entry: ending,
  example: {
    ...terminated,
    status: 'completed' as const,
    end_date: '2026-05-08',
    completion_date: '2026-05-08',
    termination_type: null,
    reason: null,
  },
})

const archive = Type.Object({ ...contract.entry, archived_at: Nullable(Timestamp) })
export const contractArchived = defineEvent({
  type: 'contract.archived',
  module: 'contracts',
  summary: 'An ended contract was put into the archive.',
  entry: archive,
  example: { ...terminated, archived_at: '2026-05-20T09:00:00.000Z' },
})
export const contractUnarchived = defineEvent({
  type: 'contract.unarchived',
  module: 'contracts',
  summary: 'A contract was taken out of the archive.',
  entry: archive,
  example: { ...terminated, archived_at: null },
})

export const contractEvents = [
  contractCreated,
  contractUpdated,
  contractInvitationSent,
  contractInvitationRevoked,
  contractInvitationExpired,
  contractSignatureAdded,
  contractSigned,
  contractStatusUpdated,
  contractRejected,
  contractCancelled,
  contractTerminationRequested,
  contractTerminationCancelled,
  contractTerminated,
  contractCompleted,
  contractArchived,
  contractUnarchived,
]
