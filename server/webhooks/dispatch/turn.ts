import type { Database, Transaction } from '#db/database.ts'
import type { EndedAttempt } from './attempt.ts'
import { relaxCommit } from './claim.store.ts'
import { type Claimed, type ClaimParts, claimDue } from './claim.ts'
import { type CompletionParts, complete, type RecordedAttempt } from './complete.ts'
import type { EngineClock } from './engine-clock.ts'
import type { LaneWish } from './lane-hints.ts'

export interface TurnParts extends ClaimParts, CompletionParts {
  database: Database
  clock: EngineClock
}

/** What one turn of the engine did; committed. */
export interface Turn extends Claimed {
  recorded: RecordedAttempt[]
}

/**
 * One transaction of the engine: records finished attempts, then leases due deliveries into the room they left. Doing
 * both at once halves the transactions per delivery, and the next claim sees the lanes as the results left them.
 */
export function takeTurn(parts: TurnParts, ended: readonly EndedAttempt[], wishes: readonly LaneWish[]): Promise<Turn> {
  return parts.database.transaction({ role: 'engine' }, async (tx) => {
    parts.clock.observe(tx.now)
    const [, turn] = await Promise.all([relaxCommit(tx), work(tx, parts, ended, wishes)])
    return turn
  })
}

async function work(
  tx: Transaction,
  parts: TurnParts,
  ended: readonly EndedAttempt[],
  wishes: readonly LaneWish[],
): Promise<Turn> {
  const recorded = ended.length > 0 ? await complete(tx, ended, parts) : []
  const claimed = wishes.length > 0 ? await claimDue(tx, wishes, parts) : { claims: [], outcomes: [] }
  return { recorded, ...claimed }
}
