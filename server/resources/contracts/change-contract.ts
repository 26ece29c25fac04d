import { cancelTimer, setTimer } from '#core/jobs/timer.ts'
import type { Context } from '#core/operation.ts'
import { addDays, startOfDay } from '#core/values.ts'
import { personUpdated, statusEntry, type Worker, writeStatus } from '#resources/people/index.ts'
import { derivedPersonStatus, type InvitationSecret, secretAssignments } from './contract.store.ts'
import { type ContractRow, contract, type Invitation } from './contract.ts'
import { withLastDay } from './lifecycle.ts'
import { addTermsVersion, type TermsVersion } from './terms-version.store.ts'

type Transaction = Context['tx']

/** Kind and place among timers of the same moment (domain rules 3.9). */
export const contract_end = { kind: 'contract_end', priority: 2 } as const
export const invitation_expiry = { kind: 'invitation_expiry', priority: 7 } as const

/** A contract that was written, and its worker where its status followed (domain rules 3.7). */
export interface ChangedContract {
  row: ContractRow
  worker: Worker | undefined
}

/** Writes a transition, the worker's status and the timers that hang on it, one behind the other without waiting. */
export async function changeContract(
  tx: Transaction,
  before: ContractRow,
  after: ContractRow,
  secret?: InvitationSecret,
): Promise<ChangedContract> {
  const { organization_id, id: subject_id } = after
  const [changed] = await Promise.all([
    writeContract(tx, before, after, secret),
    endOf(before) !== endOf(after) && scheduleEnd(tx, after),
    before.invitation && !after.invitation && cancelTimer(tx, { ...invitation_expiry, organization_id, subject_id }),
  ])
  return changed
}

/** The same without the timers: for a timer that fires, which must not cancel itself. */
export async function writeContract(
  tx: Transaction,
  before: ContractRow,
  after: ContractRow,
  secret?: InvitationSecret,
): Promise<ChangedContract> {
  const movesStatus = before.status !== after.status || (before.termination === null) !== (after.termination === null)
  const { organization_id, worker_id } = after
  const endsInvitation = before.invitation !== null && after.invitation === null
  const [row, worker] = await Promise.all([
    contract.save(tx, before, after, secret || endsInvitation ? secretAssignments(secret ?? null) : []),
    movesStatus
      ? writeStatus(tx, organization_id, worker_id, derivedPersonStatus(organization_id, worker_id))
      : undefined,
  ])
  return { row, worker }
}

/** Tells that the worker's status followed; called after the events of the contract itself. */
export function emitWorkerStatus({ emit }: Pick<Context<typeof personUpdated>, 'emit'>, worker: Worker | undefined) {
  if (worker) emit(personUpdated, statusEntry(worker))
}

/**
 * Gives a locked, active contract new terms: writes the versions in their order and shows the terms of the last one.
 * A changed end date moves the timer of the contract's end.
 */
export async function amendContract(
  tx: Transaction,
  before: ContractRow,
  amendment_id: string,
  versions: readonly [VersionToWrite, ...VersionToWrite[]],
): Promise<ContractRow> {
  const { terms } = versions.at(-1) ?? versions[0]
  const terms_version = before.terms_version + 1
  const after = withLastDay({ ...before, ...terms, terms_version, current_amendment_id: amendment_id })
  const [{ row }] = await Promise.all([
    changeContract(tx, before, after),
    // Sent one behind the other over one connection, so each takes the number after the one before.
    ...versions.map((version) => addTermsVersion(tx, before, { ...version, amendment_id })),
  ])
  return row
}

type VersionToWrite = Pick<TermsVersion, 'effective_from' | 'terms'>

export function scheduleExpiry(tx: Transaction, row: ContractRow, { expires_at: due_at }: Invitation): Promise<void> {
  const { organization_id, id } = row
  return setTimer(tx, { ...invitation_expiry, organization_id, subject_id: id, sequence_id: id, due_at })
}

/** Sets, moves or cancels the timer that ends an active contract at the start of the day after its last one. */
function scheduleEnd(tx: Transaction, row: ContractRow): Promise<void> {
  const { organization_id, id, timezone } = row
  const last_day = endOf(row)
  if (last_day === null) return cancelTimer(tx, { ...contract_end, organization_id, subject_id: id })
  const due_at = new Date(startOfDay(addDays(last_day, 1), timezone)).toISOString()
  return setTimer(tx, { ...contract_end, organization_id, subject_id: id, sequence_id: id, due_at })
}

function endOf({ status, last_day }: ContractRow): string | null {
  return status === 'active' ? last_day : null
}
