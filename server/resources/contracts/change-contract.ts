import type { Context } from '#core/operation.ts'
import { personEntry, personUpdated, type Worker, writeStatus } from '#resources/people/index.ts'
import { derivedPersonStatus, type InvitationSecret, saveContract } from './contract.store.ts'
import type { ContractRow } from './contract.ts'
import { cancelExpiry, scheduleEnd } from './contract-timers.ts'

type Transaction = Context['tx']

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
  const [changed] = await Promise.all([
    writeContract(tx, before, after, secret),
    endOf(before) !== endOf(after) && scheduleEnd(tx, after),
    before.invitation && !after.invitation && cancelExpiry(tx, after),
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
  const [row, worker] = await Promise.all([
    saveContract(tx, before, after, secret),
    movesStatus ? writeWorkerStatus(tx, after) : undefined,
  ])
  return { row, worker }
}

/** The worker with its new status, if that changed. */
export function writeWorkerStatus(
  tx: Transaction,
  { organization_id, worker_id }: Pick<ContractRow, 'organization_id' | 'worker_id'>,
): Promise<Worker | undefined> {
  return writeStatus(tx, organization_id, worker_id, derivedPersonStatus(organization_id, worker_id))
}

/** Tells that the worker's status followed; called after the events of the contract itself. */
export function emitWorkerStatus({ emit }: Pick<Context<typeof personUpdated>, 'emit'>, worker: Worker | undefined) {
  if (worker) emit(personUpdated, { ...personEntry(worker), changed_fields: ['status'] })
}

function endOf({ status, last_day }: ContractRow): string | null {
  return status === 'active' ? last_day : null
}
