import type { Database, Transaction } from '#db/database.ts'
import { claimDurations, completionBatches } from '../metrics/engine-metrics.ts'
import type { Claim, EndedAttempt } from './attempt.ts'
import { giveBack, lease_ms } from './claim.store.ts'
import { type Claimed, type ClaimParts, claimDue } from './claim.ts'
import { type Completed, type Completion, type CompletionParts, complete } from './complete.ts'
import type { EngineClock } from './engine-clock.ts'
import type { LaneWish } from './lane-hints.ts'
import { prepareTurn } from './turn.store.ts'

export interface TurnParts extends ClaimParts, CompletionParts {
  database: Database
  clock: EngineClock
}

/** What one turn of the engine did; committed. */
export interface Turn extends Claimed, Completed {}

const nothing_ended: Completion = { completed: { recorded: [], deferred: [] }, written: Promise.resolve() }

/** An attempt takes up to 30 s and begins with at least this much of its lease left. */
const lease_left_min_ms = 40_000

/**
 * One transaction of the engine: records finished attempts, then leases due deliveries into the room they left. Doing
 * both at once halves the transactions per delivery, and the claim sees the lanes as the results left them. Lanes that
 * somebody else is working on are waited for, or left for the next turn.
 */
export async function takeTurn(
  parts: TurnParts,
  ended: readonly EndedAttempt[],
  wishes: readonly LaneWish[],
  busy: 'wait' | 'skip',
): Promise<Turn> {
  const began_at_ms = performance.now()
  const turn = await parts.database.transaction({ role: 'engine', begins_at_once: true }, async (tx) => {
    const prepared = prepareTurn(tx).then(() => parts.clock.observe(tx.now))
    const [done] = await Promise.all([work(tx, parts, ended, wishes, busy), prepared])
    return done
  })
  return { ...turn, claims: await keepFresh(parts, turn.claims, performance.now() - began_at_ms) }
}

async function work(
  tx: Transaction,
  parts: TurnParts,
  ended: readonly EndedAttempt[],
  wishes: readonly LaneWish[],
  busy: 'wait' | 'skip',
): Promise<Turn> {
  const { completed, written } = ended.length > 0 ? await complete(tx, ended, parts, busy) : nothing_ended
  if (completed.recorded.length > 0) completionBatches.observe(completed.recorded.length)
  // Nothing is claimed of a lane that these results disable; otherwise the claim follows the writes without waiting.
  if (completed.recorded.some(({ disabled }) => disabled)) await written
  const [claimed] = await Promise.all([claim(tx, parts, wishes), written])
  return { ...completed, ...claimed }
}

async function claim(tx: Transaction, parts: TurnParts, wishes: readonly LaneWish[]): Promise<Claimed> {
  if (wishes.length === 0) return { claims: [], outcomes: [], lanes: [] }
  const stopTimer = claimDurations.startTimer()
  const claimed = await claimDue(tx, wishes, parts)
  stopTimer()
  return claimed
}

/** Gives the claims back if this process stood still meanwhile: another one may take them before they could end. */
async function keepFresh(parts: TurnParts, claims: Claim[], age_ms: number): Promise<Claim[]> {
  if (claims.length === 0 || lease_ms - age_ms >= lease_left_min_ms) return claims
  await parts.database.transaction({ role: 'engine' }, (tx) => giveBack(tx, claims))
  return []
}
