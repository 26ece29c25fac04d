import type { Context } from '#core/operation.ts'
import { CalendarDate, Nullable, Timestamp, Type } from '#core/schema/schema.ts'
import { type ContractRow, contract, contract_statuses, type Invitation, termination_types } from './contract.ts'
import { endingTermination } from './lifecycle.ts'

const active = { status: 'active' } as const
const leaving = { ...active, last_day: '2026-05-08' } as const
const terminated = { ...leaving, status: 'terminated' } as const

export const contractCreated = contract.event('contract.created', 'A contract was stored.', {}, {})
export const contractUpdated = contract.event(
  'contract.updated',
  'Fields of a contract were changed directly.',
  { changed_fields: Type.Array(Type.String()), signatures_cleared: Type.Boolean() },
  { changed_fields: ['compensation.amount'], signatures_cleared: true },
)

const invitation = { invitation_email: Type.String(), expires_at: Timestamp }
const invited = { invitation_email: 'jonas@harbour.example', expires_at: '2026-01-26T09:05:00.000Z' }
export const contractInvitationSent = contract.event(
  'contract.invitation.sent',
  'The worker was invited to review and sign a contract.',
  invitation,
  invited,
)
export const contractInvitationRevoked = contract.event(
  'contract.invitation.revoked',
  'The invitation to a contract was taken back.',
  invitation,
  invited,
)
export const contractInvitationExpired = contract.event(
  'contract.invitation.expired',
  'The invitation to a contract ran out.',
  invitation,
  invited,
)

export const contractSignatureAdded = contract.event(
  'contract.signature.added',
  'One party signed a contract.',
  { party: Type.Enum(['client', 'worker']), signed_at: Timestamp },
  { party: 'client', signed_at: '2026-01-12T09:05:00.000Z' },
)
export const contractSigned = contract.event(
  'contract.signed',
  'Both signatures of a contract are present.',
  { client_signed_at: Timestamp, worker_signed_at: Timestamp },
  { ...active, client_signed_at: '2026-01-12T09:05:00.000Z', worker_signed_at: '2026-01-13T10:00:00.000Z' },
)
export const contractStatusUpdated = contract.event(
  'contract.status.updated',
  'The status of a contract changed.',
  { previous_status: Type.Enum([...contract_statuses]) },
  { ...active, previous_status: 'pending' },
)

const reason = Nullable(Type.String())
export const contractRejected = contract.event(
  'contract.rejected',
  'The worker refused a contract.',
  { reason },
  { status: 'rejected', reason: 'rate too low' },
)
export const contractCancelled = contract.event(
  'contract.cancelled',
  'The client withdrew a contract before it became active.',
  { reason },
  { status: 'cancelled', reason: null },
)

const termination_type = Type.Enum([...termination_types])
const termination = { termination_type, completion_date: CalendarDate, reason }
const resigned = { termination_type: 'resignation', completion_date: '2026-05-08', reason: null } as const
export const contractTerminationRequested = contract.event(
  'contract.termination.requested',
  'A date was set on which a contract ends.',
  termination,
  { ...leaving, ...resigned },
)
export const contractTerminationCancelled = contract.event(
  'contract.termination.cancelled',
  'The termination of a contract was withdrawn.',
  termination,
  { ...active, ...resigned },
)

const ending = { completion_date: CalendarDate, termination_type: Nullable(termination_type), reason }
export const contractTerminated = contract.event(
  'contract.terminated',
  'A contract ended by resignation or termination.',
  ending,
  { ...terminated, ...resigned },
)
export const contractCompleted = contract.event('contract.completed', 'A contract ended as planned.', ending, {
  ...{ ...terminated, status: 'completed', end_date: '2026-05-08' },
  ...{ completion_date: '2026-05-08', termination_type: null, reason: null },
})

const archived_at = Nullable(Timestamp)
export const contractArchived = contract.event(
  'contract.archived',
  'An ended contract was put into the archive.',
  { archived_at },
  { ...terminated, archived_at: '2026-05-20T09:00:00.000Z' },
)
export const contractUnarchived = contract.event(
  'contract.unarchived',
  'A contract was taken out of the archive.',
  { archived_at },
  { ...terminated, archived_at: null },
)

/** Tells what a change means (domain rules 3.1): which events there are follows from the contract before and after it. */
export function tellChange({ emit, now }: Pick<Context, 'emit' | 'now'>, before: ContractRow, row: ContractRow): void {
  const entry = contract.entryOf(row)
  const { status, status_reason: reason, client_signed_at, worker_signed_at, archived_at, last_day } = row
  const [offered, offer] = [before.invitation, row.invitation]
  if (offer && offer !== offered) emit(contractInvitationSent, { ...entry, ...invitedBy(offer) })
  if (offered && !offer && status === 'pending') {
    emit(offered.expires_at > now ? contractInvitationRevoked : contractInvitationExpired, {
      ...entry,
      ...invitedBy(offered),
    })
  }
  for (const party of ['client', 'worker'] as const) {
    const signed_at = row[`${party}_signed_at`]
    if (signed_at && !before[`${party}_signed_at`]) emit(contractSignatureAdded, { ...entry, party, signed_at })
  }
  const [left, leaves] = [terminationOf(before), terminationOf(row)]
  if (leaves && !left && status === 'active') emit(contractTerminationRequested, { ...entry, ...leaves })
  if (left && !leaves) emit(contractTerminationCancelled, { ...entry, ...left })
  if (archived_at !== before.archived_at) {
    emit(archived_at ? contractArchived : contractUnarchived, { ...entry, archived_at })
  }
  if (status === before.status) return
  if (status === 'cancelled') emit(contractCancelled, { ...entry, reason })
  else if (status === 'rejected') emit(contractRejected, { ...entry, reason })
  else if (status === 'active' && client_signed_at && worker_signed_at) {
    emit(contractSigned, { ...entry, client_signed_at, worker_signed_at })
  } else if (last_day) {
    const termination_type = endingTermination(row)?.type ?? null
    const ended = { ...entry, completion_date: last_day, termination_type, reason }
    emit(status === 'completed' ? contractCompleted : contractTerminated, ended)
  }
  emit(contractStatusUpdated, { ...entry, previous_status: before.status })
}

function invitedBy({ email: invitation_email, expires_at }: Invitation) {
  return { invitation_email, expires_at }
}

function terminationOf({ termination, completion_date }: ContractRow) {
  if (!termination || !completion_date) return null
  return { termination_type: termination.type, completion_date, reason: termination.reason }
}
