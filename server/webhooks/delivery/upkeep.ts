import type { Logger } from 'pino'
import type { Transaction } from '#db/database.ts'
import { DatabaseUnavailable } from '#db/errors.ts'
import { expiredDeliveries, leasesExpired, releasedDeliveries, sweepDurations } from '../metrics.ts'
import { moveReplays, type ReplayerParts } from '../replays/replayer.ts'
import { destroyRetired } from '../signing-keys/signing-key.store.ts'
import { prepareEngine } from './deliver.store.ts'
import { type DeliverParts, type EndedAttempt, recordAndClaimIn, unknownResult } from './deliver.ts'
import { reportAttempt } from './report-attempt.ts'
import {
  cancelUnlisted,
  cancelUnsent,
  changed_rows_max,
  type DueRow,
  discardHeld,
  type ExpiredLease,
  expiredLeases,
  expireHeld,
  holdPending,
  type LockedQueue,
  leaseTokens,
  lockQueue,
  overlongWaits,
  queuesToExpire,
  queuesToRelease,
  queuesWithUnlisted,
  readDue,
  releaseHeld,
  shortenWaits,
} from './upkeep.store.ts'

export interface UpkeepParts extends DeliverParts, ReplayerParts {
  log: Logger
  /** No other process can send from this database: a lease that is not ours belongs to one that has ended. */
  is_alone: boolean
  /** Days after which a held delivery expires. */
  retention_days: number
}

/** Result of one round. */
export interface Round {
  /** Of active subscriptions. */
  due: DueRow[]
  /** Deliveries whose status was changed. */
  moved: number
  errors: unknown[]
}

const engine = { role: 'engine' } as const

/** Queues that one round looks at for one rule; the next round takes the rest. */
const queues_per_round_max = 500
/** A queue with more is continued in the next round. */
const batches_per_queue_max = 100
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
  readonly #parts: UpkeepParts
  readonly #watch = new LeaseWatch()
  readonly #rules: { every_ms: number; due_at_ms: number; work: () => Promise<number> }[]

  constructor(parts: UpkeepParts) {
    const { database } = parts
    this.#parts = parts
    const rule = (every_ms: number, work: () => Promise<number>) => ({ every_ms, due_at_ms: 0, work })
    this.#rules = [
      rule(5_000, this.#repeatExpired),
      rule(5_000, () => database.transaction(engine, (tx) => destroyRetired(tx, keys_per_round_max))),
      rule(60_000, this.#expire),
      rule(600_000, this.#shorten),
      rule(0, async () => this.#onEach(await this.#find(queuesWithUnlisted), cancelUnlisted)),
      rule(0, async () => this.#onEach(await this.#find(queuesToRelease), this.#release)),
      rule(0, () => moveReplays(parts)),
    ]
  }

  /** One round; `everything` follows every rule, whenever that was done last. Never rejects. */
  async round(horizon_ms: number, everything = false): Promise<Round> {
    const stopTimer = sweepDurations.startTimer()
    const round: Round = { due: [], moved: 0, errors: [] }
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
      const stopped = found.filter(({ status }) => status !== 'active')
      return this.#onEach(new Set(stopped.map(({ subscription_id }) => subscription_id)), hold)
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

  #find<Found>(read: (tx: Transaction, queues_max: number) => Promise<Found[]>): Promise<Found[]> {
    return this.#parts.database.transaction({ ...engine, read_only: true }, (tx) => read(tx, queues_per_round_max))
  }

  async #onEach(
    subscription_ids: Iterable<string>,
    work: (tx: Transaction, queue: LockedQueue) => Promise<number>,
  ): Promise<number> {
    let moved = 0
    for (const subscription_id of subscription_ids) {
      for (let batches = 0; batches < batches_per_queue_max; batches += 1) {
        const rows = await this.#parts.database.transaction(engine, async (tx) => {
          const queue = await lockQueue(tx, subscription_id)
          return queue ? work(tx, queue) : 0
        })
        moved += rows
        if (rows < changed_rows_max) break
      }
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
    const queues = await this.#find((tx, queues_max) => queuesToExpire(tx, retention_days, queues_max))
    const expired = await this.#onEach(queues, (tx, queue) => expireHeld(tx, queue, retention_days))
    expiredDeliveries.inc(expired)
    return expired
  }

  /** Deliveries that wait longer than their position allows, because the database's clock was put back. */
  readonly #shorten = async (): Promise<number> => {
    const waits = Map.groupBy(await this.#find(overlongWaits), ({ subscription_id }) => subscription_id)
    const attemptsOf = (id: string) => waits.get(id)?.map(({ attempt_no }) => attempt_no) ?? []
    return this.#onEach(waits.keys(), (tx, queue) => shortenWaits(tx, queue, attemptsOf(queue.subscription_id)))
  }

  /** Held deliveries of subscriptions that are not disabled any more. */
  readonly #release = async (tx: Transaction, queue: LockedQueue): Promise<number> => {
    if (queue.status === 'disabled') return 0
    if (queue.status === 'deleted') return cancelUnsent(tx, queue)
    const discarded = await discardHeld(tx, queue)
    // The next batch goes on discarding.
    if (discarded === changed_rows_max) return discarded
    const { schedules, release_rate: rate } = this.#parts
    const schedule_id = await schedules.current(tx)
    const released = await releaseHeld(tx, queue, { rate, due_max: due_while_releasing_max, schedule_id })
    tx.afterCommit(() => releasedDeliveries.inc(released))
    return discarded + released
  }
}

function hold(tx: Transaction, queue: LockedQueue): Promise<number> {
  if (queue.status === 'active') return Promise.resolve(0)
  return queue.status === 'disabled' ? holdPending(tx, queue) : cancelUnsent(tx, queue)
}

function endedBy({ lease_owner, ...claim }: ExpiredLease, now_ms: number, parts: UpkeepParts): EndedAttempt {
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
