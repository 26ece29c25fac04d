import type { Sql, Transaction } from '#db/database.ts'
import { DatabaseUnavailable } from '#db/errors.ts'
import { expiredDeliveries, leasesExpired, releasedDeliveries, sweepDurations } from '../metrics.ts'
import { moveReplays } from '../replays/replayer.ts'
import { destroyRetired } from '../signing-keys/signing-key.store.ts'
import { prepareEngine } from './deliver.store.ts'
import { type EndedAttempt, type Engine, recordAndClaimIn, unknownResult } from './deliver.ts'
import { reportAttempt } from './report-attempt.ts'
import {
  cancelUnlisted,
  type DueRow,
  type ExpiredLease,
  endHeld,
  expiredLeases,
  expireHeld,
  heldInVain,
  leaseTokens,
  lockFree,
  outlived,
  readDue,
  releaseHeld,
  shortenWaits,
  stopPending,
  stopped,
  unlisted,
} from './upkeep.store.ts'

const engine = { role: 'engine' } as const

/** A rule that needs more is continued in the next round. */
const batches_per_rule_max = 1_000
/** Releasing pauses while this many deliveries of the queue are due. */
const due_while_releasing_max = 200
const leases_per_round_max = 500
/** Signing keys destroyed in one round. */
const keys_per_round_max = 1_000
/** After the database was away finished attempts are recorded before leases count as expired. */
const expire_after_outage_ms = 10_000
/** Twice a lease: whoever took it is gone, whatever the clock of the database says. */
const lease_unchanged_max_ms = 120_000

/**
 * Works in regular rounds: finds due deliveries, ends expired leases, and applies standing rules that bring deliveries
 * into line with the status of their subscription, as rows show it and not as one action left it. So the rows of a
 * transaction that still saw the old status are caught too. Queues on which somebody works are left for the next round.
 */
export class Upkeep {
  readonly #parts: Engine
  readonly #watch = new LeaseWatch()
  readonly #rules: { every_ms: number; due_at_ms: number; work: () => Promise<number> }[]

  constructor(parts: Engine) {
    const { database } = parts
    this.#parts = parts
    const rule = (every_ms: number, work: () => Promise<number>) => ({ every_ms, due_at_ms: 0, work })
    this.#rules = [
      rule(5_000, this.#repeatExpired),
      rule(5_000, () => database.transaction(engine, (tx) => destroyRetired(tx, keys_per_round_max))),
      rule(60_000, this.#expire),
      rule(600_000, this.#shorten),
      rule(0, () => this.#onFree(unlisted, cancelUnlisted)),
      rule(0, () => this.#onFree(heldInVain, this.#release)),
      rule(0, () => moveReplays(parts)),
    ]
  }

  /** One round; `everything` follows every rule, whenever that was done last. Never rejects. */
  async round(horizon_ms: number, everything = false) {
    const stopTimer = sweepDurations.startTimer()
    // Of active subscriptions; deliveries whose status was changed; what went wrong.
    const round = { due: [] as DueRow[], moved: 0, errors: [] as unknown[] }
    const step = async (work: () => Promise<number>) => {
      try {
        round.moved += await work()
      } catch (error) {
        // One rule that fails must not stop the others.
        if (error instanceof DatabaseUnavailable) this.delayExpiry()
        round.errors.push(error)
      }
    }
    if (this.#parts.clock.takeJump()) this.#setDue(this.#shorten, 0)
    for (const rule of this.#rules) {
      if (!everything && performance.now() < rule.due_at_ms) continue
      rule.due_at_ms = performance.now() + rule.every_ms
      await step(rule.work)
    }
    await step(async () => {
      const found = await this.#parts.database.transaction({ ...engine, read_only: true }, (tx) => {
        this.#parts.clock.observe(tx.now)
        return readDue(tx, horizon_ms)
      })
      round.due = found.filter(({ status }) => status === 'active')
      const others = found.filter(({ status }) => status !== 'active')
      if (others.length === 0) return 0
      return this.#onFree(stopped([...new Set(others.map(({ subscription_id }) => subscription_id))]), stopPending)
    })
    stopTimer()
    return round
  }

  /** The database was away. */
  delayExpiry(): void {
    this.#setDue(this.#repeatExpired, performance.now() + expire_after_outage_ms)
  }

  #setDue(work: () => Promise<number>, due_at_ms: number): void {
    for (const rule of this.#rules) if (rule.work === work) rule.due_at_ms = due_at_ms
  }

  /** Works on the queues that a rule finds and nobody else works on, in batches, until it finds none. */
  async #onFree(
    found: Sql,
    work: (tx: Transaction, subscription_ids: readonly string[]) => Promise<number>,
  ): Promise<number> {
    let moved = 0
    for (let batches = 0; batches < batches_per_rule_max; batches += 1) {
      const rows = await this.#parts.database.transaction(engine, async (tx) => {
        const subscription_ids = await lockFree(tx, found)
        return subscription_ids.length > 0 ? work(tx, subscription_ids) : null
      })
      if (rows === null) break
      moved += rows
    }
    return moved
  }

  /** Makes deliveries due again whose worker was lost: the same attempt once more. */
  readonly #repeatExpired = async (): Promise<number> => {
    const { database, log, monotonic_ms, is_alone, worker } = this.#parts
    const recorded = await database.transaction(engine, async (tx) => {
      await prepareEngine(tx)
      const stale_tokens = this.#watch.stale(await leaseTokens(tx), monotonic_ms())
      const only_owner = is_alone ? worker : null
      const expired = await expiredLeases(tx, { stale_tokens, only_owner }, leases_per_round_max)
      if (expired.length === 0) return []
      const ended = expired.map((lease) => endedBy(lease, Date.parse(tx.now), this.#parts))
      return (await recordAndClaimIn(tx, this.#parts, ended, [])).recorded
    })
    for (const one of recorded) reportAttempt(log, one, worker)
    leasesExpired.inc(recorded.length)
    return recorded.length
  }

  /** Held deliveries that are older than the retention. */
  readonly #expire = async (): Promise<number> => {
    const { retention_days } = this.#parts
    const expired = await this.#onFree(outlived(retention_days), (tx, ids) => expireHeld(tx, ids, retention_days))
    expiredDeliveries.inc(expired)
    return expired
  }

  /** Deliveries that wait longer than their position allows, because the database's clock was put back. */
  readonly #shorten = async (): Promise<number> => {
    let is_more = true
    for (let batches = 0; is_more && batches < batches_per_rule_max; batches += 1)
      is_more = await this.#parts.database.transaction(engine, shortenWaits)
    return 0
  }

  /** Held deliveries of subscriptions that are not disabled any more. */
  readonly #release = async (tx: Transaction, subscription_ids: readonly string[]): Promise<number> => {
    const ended = await endHeld(tx, subscription_ids)
    // Before anything is released all that is to end has ended.
    if (ended > 0) return ended
    const { schedules, release_rate: rate } = this.#parts
    const schedule_id = await schedules.current(tx)
    const released = await releaseHeld(tx, subscription_ids, { rate, due_max: due_while_releasing_max, schedule_id })
    tx.afterCommit(() => releasedDeliveries.inc(released))
    return released
  }
}

function endedBy({ lease_owner, ...claim }: ExpiredLease, now_ms: number, parts: Engine): EndedAttempt {
  return {
    claim,
    id: parts.newId(),
    started_at_ms: now_ms,
    ended_at_ms: parts.monotonic_ms(),
    request_headers: {},
    key_labels: [],
    result: unknownResult('worker_lost', `${lease_owner} did not report its result`),
  }
}

/** Remembers when leases were first seen, so that they also end when the clock of the database was put back. */
export class LeaseWatch {
  #first_seen_ms = new Map<string, number>()

  /** Takes over the tokens of all leases; answers those that have stood for too long on the monotonic clock. */
  stale(tokens: readonly string[], monotonic_ms: number): string[] {
    this.#first_seen_ms = new Map(tokens.map((token) => [token, this.#first_seen_ms.get(token) ?? monotonic_ms]))
    return [...this.#first_seen_ms].flatMap(([token, seen_ms]) =>
      monotonic_ms - seen_ms >= lease_unchanged_max_ms ? [token] : [],
    )
  }
}
