import type { Actor } from '#core/caller.ts'
import type { EventType } from '#core/event.ts'
import type { Context } from '#core/operation.ts'
import type { ContractRow } from './contract.ts'
import { contractCompleted, contractEntry, contractStatusUpdated, contractTerminated } from './events.ts'
import { endsByTermination } from './lifecycle.ts'

/** What is at hand where a contract ends, be it by an operation or by its timer. */
export interface EndingContext extends Pick<Context, 'tx' | 'newId' | 'emit'> {
  /** Business time of the end. */
  readonly now: string
  readonly actor: Actor
}

/**
 * What else ends with an active contract, in the same transaction. Rooms to the right of this one (amendments, cycles,
 * settlement) hand theirs in where the operations are put together, so that contracts need not know them.
 */
export interface ContractEnding {
  readonly emits: readonly EventType[]
  apply(contract: ContractRow, context: EndingContext): Promise<void>
}

/** The two events of an end. */
export function emitEnd(
  { emit }: Pick<Context<typeof contractCompleted | typeof contractTerminated | typeof contractStatusUpdated>, 'emit'>,
  before: ContractRow,
  row: ContractRow,
): void {
  const { last_day } = row
  if (last_day === null) throw new Error('a contract without a last day has ended')
  const termination = endsByTermination(row) ? row.termination : null
  emit(row.status === 'completed' ? contractCompleted : contractTerminated, {
    ...contractEntry(row),
    completion_date: last_day,
    termination_type: termination?.type ?? null,
    reason: termination?.reason ?? null,
  })
  emit(contractStatusUpdated, { ...contractEntry(row), previous_status: before.status })
}

/** Runs the endings one after the other, in the order they were handed in. */
export async function applyEndings(
  endings: readonly ContractEnding[],
  row: ContractRow,
  context: EndingContext,
): Promise<void> {
  for (const ending of endings) await ending.apply(row, context)
}
