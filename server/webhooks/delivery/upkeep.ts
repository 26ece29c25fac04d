import type { Sql, Transaction } from '#db/database.ts'
import { DatabaseUnavailable } from '#db/errors.ts'
import { expiredDeliveries, leasesExpired, releasedDeliveries, sweepDurations } from '../metrics.ts'
import { moveReplays } from '../replays/replayer.ts'
import { destroyRetired } from '../signing-keys/signing-key.store.ts'
import { delivering, endDeliveries } from './deliver.store.ts'
import { type Engine, recordAndClaimIn, unknownResult } from './deliver.ts'
import { reportAttempt } from './report-attempt.ts'
import {
  cancelUnlisted,
  type DueRow,
  endingHeld,
  expiredLeases,
  heldToEnd,
  heldTooLong,
  lockFree,
  outlived,
  readDue,
  releaseHeld,
  releasing,
  shortenWaits,
  stop,
  stopped,
  unlisted,
} from './upkeep.store.ts'

const engine = { role: 'engine' } as const

/** Then each rule makes one more batch at most, and the rest waits for the next round: what is due is found in time. */
const rules_per_round_ms = 1_000
/** Releasing pauses while this many deliveries of the queue are due. */
const due_while_releasing_max = 200
const leases_per_round_max = 500
/** Signing keys destroyed in one round. */
const keys_per_round_max = 1_000
/** After the database was away finished attempts are recorded before leases count as expired. */
const expire_after_outage_ms = 10_000

/** Something that is done in every round, or less often; answers how many deliveries it moved. */
interface Rule {
  every_ms: number
  work(): Promise<number>
  due_at_ms?: number
}

/**
 * Works in regular rounds: finds due deliveries, ends expired leases, and applies standing rules that bring deliveries
 * into line with the status of their subscription, as rows show it and not as one action left it. So the rows of a
 * transaction that still saw the old status are caught too. Queues on which somebody works are left for the next round.
 */
export function createUpkeep(parts: Engine) {
  const { database, clock, monotonic_ms, retention_days } = parts
  const leases: Rule = { every_ms: 5_000, work: () => repeatExpired(parts) }
  const waits: Rule = { every_ms: 600_000, work: () => inBatches(() => database.transaction(engine, shortenWaits)) }
  const rules: Rule[] = [
    leases,
    { every_ms: 5_000, work: () => database.transaction(engine, (tx) => destroyRetired(tx, keys_per_round_max)) },
    { every_ms: 60_000, work: expire },
    waits,
    // Before those that may take the whole time of a round: one organization's 1,000,000 rows to end delay nobody's release.
    { every_ms: 0, work: () => onFree(releasing, (tx, ids) => release(tx, ids, parts)) },
    { every_ms: 0, work: () => onFree(unlisted, cancelUnlisted) },
    { every_ms: 0, work: () => onFree(endingHeld, (tx, ids) => endDeliveries(tx, heldToEnd(ids))) },
    { every_ms: 0, work: () => moveReplays(parts, isTimeLeft) },
  ]
  let rules_end_at_ms = 0
  return { round, delayExpiry }

  /** One round; `everything` follows every rule, whenever that was done last. Never rejects. */
  async function round(horizon_ms: number, everything = false) {
    const stopTimer = sweepDurations.startTimer()
    rules_end_at_ms = performance.now() + rules_per_round_ms
    // Of active subscriptions, null where they could not be read; deliveries whose status was changed; what went wrong.
    const done = { due: null as DueRow[] | null, moved: 0, errors: [] as unknown[] }
    if (clock.has_jumped) waits.due_at_ms = 0
    clock.has_jumped = false
    const due = rules.filter(({ due_at_ms = 0 }) => everything || performance.now() >= due_at_ms)
    for (const rule of [...due, { every_ms: 0, work: look }]) {
      rule.due_at_ms = performance.now() + rule.every_ms
      try {
        done.moved += await rule.work()
      } catch (error) {
        // One rule that fails must not stop the others.
        if (error instanceof DatabaseUnavailable) delayExpiry()
        done.errors.push(error)
      }
    }
    stopTimer()
    return done

    /** Finds what is due, and stops what is of subscriptions that are not active. */
    async function look() {
      const asked_at_ms = monotonic_ms()
      const found = await database.transaction({ ...engine, read_only: true }, (tx) => {
        clock.observe(tx.now, asked_at_ms)
        return readDue(tx, horizon_ms)
      })
      done.due = found.filter(({ status }) => status === 'active')
      const others = new Set(found.filter(({ status }) => status !== 'active').map((row) => row.subscription_id))
      return others.size > 0 ? onFree(stopped([...others]), (tx, ids) => stop(tx, ids)) : 0
    }
  }

  function isTimeLeft(): boolean {
    return performance.now() < rules_end_at_ms
  }

  /** The database was away. */
  function delayExpiry(): void {
    leases.due_at_ms = performance.now() + expire_after_outage_ms
  }

  /** Works on the queues that a rule finds and nobody else works on, in batches, until it finds none. */
  function onFree(found: Sql, work: (tx: Transaction, subscription_ids: readonly string[]) => Promise<number>) {
    return inBatches(() =>
      database.transaction(engine, async (tx) => {
        const subscription_ids = await lockFree(tx, found)
        return subscription_ids.length > 0 ? work(tx, subscription_ids) : null
      }),
    )
  }

  /** Held deliveries that are older than the retention. */
  async function expire() {
    const expired = await onFree(outlived(retention_days), (tx, ids) =>
      endDeliveries(tx, heldTooLong(ids, retention_days)),
    )
    expiredDeliveries.inc(expired)
    return expired
  }

  /** Adds up what batches moved, until one finds nothing or the time is over. */
  async function inBatches(batch: () => Promise<number | null>): Promise<number> {
    let moved = 0
    do {
      const rows = await batch()
      if (rows === null) break
      moved += rows
    } while (isTimeLeft())
    return moved
  }
}

/** Makes deliveries due again whose worker was lost: the same attempt once more. */
async function repeatExpired(parts: Engine): Promise<number> {
  const { database, log, monotonic_ms, newId, is_alone, worker } = parts
  const recorded = await database.transaction(delivering, async (tx) => {
    const expired = await expiredLeases(tx, is_alone ? worker : null, leases_per_round_max)
    if (expired.length === 0) return []
    const ended = expired.map(({ lease_owner, ...claim }) => ({
      ...{ claim, id: newId(), started_at_ms: Date.parse(tx.now), ended_at_ms: monotonic_ms() },
      ...{ request_headers: {}, key_labels: [] },
      result: unknownResult('worker_lost', `${lease_owner} did not report its result`),
    }))
    return (await recordAndClaimIn(tx, parts, ended, [])).recorded
  })
  for (const one of recorded) reportAttempt(log, one, worker)
  leasesExpired.inc(recorded.length)
  return recorded.length
}

/** Held deliveries of subscriptions that are active again. */
async function release(
  tx: Transaction,
  subscription_ids: readonly string[],
  { schedules, release_rate: rate }: Engine,
) {
  const schedule_id = await schedules.current(tx)
  const released = await releaseHeld(tx, subscription_ids, { rate, due_max: due_while_releasing_max, schedule_id })
  tx.afterCommit(() => releasedDeliveries.inc(released))
  return released
}
