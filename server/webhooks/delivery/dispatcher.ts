import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseUnavailable } from '#db/errors.ts'
import { oldestDue, watchEngine } from '../metrics.ts'
import {
  type Claim,
  type EndedAttempt,
  type Engine,
  type Progress,
  type RecordedAttempt,
  recordAndClaim,
  send,
  unknownResult,
} from './deliver.ts'
import { reportAttempt } from './report-attempt.ts'
import { Schedule } from './schedule.ts'
import type { DueRow } from './upkeep.store.ts'
import { createUpkeep } from './upkeep.ts'

/** The longest that a transaction making deliveries takes; deliveries of a longer one are found by a round. */
const commit_max_ms = 2_000
/** A round looks for due deliveries; it uses 5 % of its connection, within these bounds of the pause. */
const round_pause_min_ms = 1_000
const round_pause_max_ms = 2_000
const round_share = 20
/** Two rounds are never closer, however often subscriptions are changed. */
const changes_apart_ms = 100
/** Deliveries due within this time are known before they are due. */
const horizon_ms = 2 * round_pause_max_ms

/** So many results go with the next claim; for fewer an event need not wait. They go when this many wait, or … */
const results_with_claim_min = 8
const results_waiting_max = 100
/** … this long after the first of them (100/s: 0.94 × of the CPU that 25 ms take) … */
const linger_ms = 100
/** … or this long, where due deliveries wait for them: enough for attempts to end together. */
const linger_held_back_ms = 2
/** Results of one transaction: with more the queues stay locked too long. */
const results_batch_max = 200

const failure_pause_first_ms = 100
const failure_pause_max_ms = 1_000
/** The share of the time for stopping after which running attempts are aborted; the rest is for recording them. */
const abort_after_share = 0.9

/**
 * The engine of one process: looks for due deliveries, claims, sends, records. Any number of processes may run one.
 * Finished attempts stay in memory, at most one per slot, until their transaction has committed: an outage of the
 * database loses none.
 */
export class Dispatcher {
  readonly #parts: Engine
  readonly #schedule: Schedule
  readonly #upkeep: ReturnType<typeof createUpkeep>
  #state: 'stopped' | 'running' | 'draining' = 'stopped'
  #work: Promise<unknown> = Promise.resolve()
  /** Attempts under way. */
  #running = 0
  /** Attempts that have ended and are not recorded yet. */
  #results: EndedAttempt[] = []
  #results_since_ms = 0
  #round_ended_at_ms = 0
  /** Ends the pause between two rounds. */
  #pause = new AbortController()
  /** Resolved when a turn may be of use. */
  #news = Promise.withResolvers<void>()

  constructor(parts: Engine) {
    this.#parts = parts
    this.#schedule = new Schedule(parts)
    this.#upkeep = createUpkeep(parts)
  }

  /** Works until stopped: whenever something is due, and looks for it every second. */
  start(): void {
    if (this.#state !== 'stopped') throw new Error('the dispatcher is running already')
    this.#state = 'running'
    this.#round_ended_at_ms = performance.now()
    watchEngine(() => this.#schedule.counts())
    this.#work = Promise.all([this.#takeTurns(), this.#makeRounds()])
  }

  /** Claims no more, lets running attempts end within the time they have, and records everything. */
  async stop(): Promise<void> {
    if (this.#state !== 'running') return
    this.#state = 'draining'
    this.changed()
    this.#news.resolve()
    const { shutdown_ms, log, sender } = this.#parts
    const abort = setTimeout(() => sender.close(), shutdown_ms * abort_after_share)
    const over = Promise.withResolvers<void>()
    const limit = setTimeout(over.resolve, shutdown_ms)
    await Promise.race([this.#work, over.promise])
    for (const timer of [abort, limit]) clearTimeout(timer)
    const left = { running: this.#running, unrecorded: this.#results.length }
    if (left.running + left.unrecorded > 0) log.error(left, 'webhook_shutdown_incomplete')
    watchEngine(undefined)
    this.#state = 'stopped'
  }

  /** Deliveries of these subscriptions are due now. False when this process cannot take them soon. */
  due(subscription_ids: readonly string[]): boolean {
    if (this.#state !== 'running') return false
    // They are due since their transaction began.
    const due_at_ms = this.#parts.clock.now() - commit_max_ms
    for (const subscription_id of subscription_ids) this.#schedule.learn(subscription_id, 0, due_at_ms)
    this.#news.resolve()
    // One half of the slots may be all that they can have.
    return this.#running < this.#parts.concurrency / 2
  }

  /** Status or event types of a subscription changed: what follows for its deliveries is done now. */
  changed(): void {
    this.#pause.abort()
  }

  /** Milliseconds since a round last found what is due; 0 where none is meant to. */
  roundAgeMs(): number {
    return this.#state === 'running' ? performance.now() - this.#round_ended_at_ms : 0
  }

  /** Drives everything that is due now to its end, for tests and commands: answers the number of attempts made. */
  async runDue(): Promise<number> {
    if (this.#state !== 'stopped') throw new Error('the dispatcher is running by itself')
    let attempts = 0
    for (;;) {
      const { due, moved, errors } = await this.#upkeep.round(horizon_ms, true)
      if (errors.length > 0) throw errors[0]
      this.#learn(due ?? [])
      const before = attempts
      for (;;) {
        this.#news = Promise.withResolvers<void>()
        const progress = await this.#turn()
        attempts += progress?.claims.length ?? 0
        if (!progress && this.#running + this.#results.length === 0) break
        if (!progress) await this.#newsWithin(linger_ms)
      }
      if (attempts === before && moved === 0) return attempts
    }
  }

  async #makeRounds(): Promise<void> {
    while (this.#state === 'running') {
      const began_at_ms = performance.now()
      this.#pause = new AbortController()
      const { signal } = this.#pause
      const { due, errors } = await this.#upkeep.round(horizon_ms)
      for (const error of errors) this.#parts.log.error({ err: error }, 'webhook_round_failed')
      if (due) {
        this.#learn(due)
        this.#observeOldest(due)
        this.#round_ended_at_ms = performance.now()
      }
      this.#news.resolve()
      const pause_ms = Math.max(round_pause_min_ms, round_share * (performance.now() - began_at_ms))
      await sleep(changes_apart_ms)
      await sleep(Math.min(pause_ms, round_pause_max_ms), undefined, { signal }).catch(() => undefined)
    }
  }

  #learn(due: readonly DueRow[]): void {
    for (const row of due) {
      this.#schedule.know(row.subscription_id, row)
      this.#schedule.learn(row.subscription_id, row.attempt_no, Date.parse(row.next_attempt_at))
    }
  }

  #observeOldest(due: readonly DueRow[]): void {
    const now_ms = this.#parts.clock.now()
    for (const queue_class of ['quick', 'slow'] as const) {
      const own = due.filter(({ is_quick }) => is_quick === (queue_class === 'quick'))
      const waits_ms = own.map(({ next_attempt_at }) => now_ms - Date.parse(next_attempt_at))
      oldestDue.set({ class: queue_class }, waits_ms.reduce((most, wait) => Math.max(most, wait), 0) / 1_000)
    }
  }

  /** A turn whenever one is of use, until nothing is left after the dispatcher was stopped. */
  async #takeTurns(): Promise<void> {
    let failures = 0
    while (this.#state === 'running' || (this.#state === 'draining' && this.#running + this.#results.length > 0)) {
      this.#news = Promise.withResolvers<void>()
      try {
        if (!(await this.#turn())) await this.#newsWithin(this.#waitMs())
        failures = 0
      } catch (error) {
        this.#parts.log.error({ err: error, results: this.#results.length }, 'webhook_turn_failed')
        this.#upkeep.delayExpiry()
        await sleep(Math.min(failure_pause_first_ms * 2 ** failures, failure_pause_max_ms))
        failures += 1
      }
    }
  }

  async #newsWithin(wait_ms: number): Promise<void> {
    const timer = setTimeout(this.#news.resolve, Math.min(wait_ms, round_pause_max_ms))
    await this.#news.promise
    clearTimeout(timer)
  }

  /** Milliseconds until a turn is of use although nothing else has happened. */
  #waitMs(): number {
    const claim_ms = this.#schedule.waitMs(this.#parts.clock.now())
    return this.#results.length === 0 ? claim_ms : Math.min(claim_ms, this.#lingerMs())
  }

  /** Milliseconds that results still wait for others. */
  #lingerMs(): number {
    if (this.#state !== 'running' || this.#results.length >= results_waiting_max) return 0
    const is_held_back = this.#schedule.isHeldBack(this.#parts.clock.now())
    return (is_held_back ? linger_held_back_ms : linger_ms) - (performance.now() - this.#results_since_ms)
  }

  /** One transaction: records what has ended, claims what is due, and begins to send it. Null when none is of use. */
  async #turn(): Promise<Progress | null> {
    const wishes = this.#state === 'draining' ? [] : this.#schedule.choose(this.#parts.clock.now())
    const is_worth_it = wishes.length > 0 && this.#results.length >= results_with_claim_min
    const is_time = this.#results.length > 0 && (is_worth_it || this.#lingerMs() <= 0)
    const ended = is_time ? this.#results.slice(0, results_batch_max) : []
    if (ended.length + wishes.length === 0) return null
    try {
      return this.#follow(await recordAndClaim(this.#parts, ended, wishes), ended)
    } catch (error) {
      for (const wish of wishes) this.#schedule.answered(wish, wish.heads)
      if (error instanceof DatabaseUnavailable || ended.length === 0) throw error
    }
    // One of these results may be what the database cannot take.
    let last: Progress | null = null
    for (const one of ended) last = await this.#recordAlone(one)
    return last
  }

  /**
   * A result that cannot be recorded is recorded once more without its evidence, and given up at last, so that its lease
   * expires.
   */
  async #recordAlone(one: EndedAttempt): Promise<Progress | null> {
    const record = async (attempt: EndedAttempt) =>
      this.#follow(await recordAndClaim(this.#parts, [attempt], []), [one])
    try {
      return await record(one)
    } catch (error) {
      if (error instanceof DatabaseUnavailable) throw error
      const detail = `the result could not be stored: ${error instanceof Error ? error.message : error}`
      const bare = { ...one, request_headers: {}, key_labels: [], result: unknownResult('internal', detail) }
      return record(bare).catch((fault: unknown) => {
        if (fault instanceof DatabaseUnavailable) throw fault
        this.#parts.log.error({ err: fault, delivery_id: one.claim.id }, 'webhook_result_lost')
        this.#forget([one])
        this.#schedule.recorded(one.claim.subscription_id)
        return null
      })
    }
  }

  #forget(ended: readonly EndedAttempt[]): void {
    const done = new Set(ended)
    this.#results = this.#results.filter((one) => !done.has(one))
    this.#results_since_ms = performance.now()
  }

  /** Brings this process into line with the committed transaction. */
  #follow(progress: Progress, ended: readonly EndedAttempt[]): Progress {
    const { recorded, deferred, claims, answers, queues } = progress
    if (ended.length > 0) this.#forget(ended)
    this.#results.unshift(...deferred)
    for (const { wish, left, is_busy } of answers) this.#schedule.answered(wish, left, is_busy)
    for (const one of recorded) this.#noteRecorded(one)
    for (const queue of queues.values()) this.#schedule.know(queue.subscription_id, queue)
    for (const claim of claims) {
      this.#running += 1
      claim.slot_class = this.#schedule.started(claim)
    }
    // These keep this process busy for as long as the next transaction does the database: that goes first.
    setImmediate(() => {
      for (const claim of claims) void this.#send(claim)
      for (const one of recorded) reportAttempt(this.#parts.log, one, this.#parts.worker)
    })
    return progress
  }

  #noteRecorded({ ended: { claim }, outcome }: RecordedAttempt): void {
    const { status, attempt_no = 0, next_attempt_at_ms = null } = outcome?.delivery ?? {}
    // Deliveries due beyond the horizon are found by a round in time; keeping them would fill the memory.
    if (next_attempt_at_ms !== null && next_attempt_at_ms - this.#parts.clock.now() <= horizon_ms)
      if (status === 'pending') this.#schedule.learn(claim.subscription_id, attempt_no, next_attempt_at_ms)
    this.#schedule.recorded(claim.subscription_id)
  }

  async #send(claim: Claim): Promise<void> {
    const ended = await send(claim, this.#parts)
    this.#running -= 1
    this.#schedule.ended(claim)
    if (this.#results.length === 0) this.#results_since_ms = performance.now()
    this.#results.push(ended)
    this.#news.resolve()
  }
}
