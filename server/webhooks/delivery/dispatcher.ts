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
import { Upkeep } from './upkeep.ts'

const nothing_done: Progress = { recorded: [], deferred: [], claims: [], answers: [], queues: [] }

/** The longest that a transaction making deliveries takes; deliveries of a longer one are found by a round. */
const commit_max_ms = 2_000
const round_every_ms = 1_000
/** Two rounds are never closer, however often something changes. */
const round_pause_min_ms = 20
/** A round never uses more than 5 % of its connection. */
const round_share = 20
/** A process whose round is later than this is not ready. */
const round_late_max_ms = 10_000

/** Results are recorded at once when this many wait, else … */
const results_waiting_max = 100
/** … this long after the first of them, unless a claim takes them along. */
const linger_ms = 10
/** Due deliveries that wait for results to be recorded shorten the wait: enough for attempts to end together. */
const linger_held_back_ms = 2
/** Fewer than these do not go with a claim: an event need not wait for them. */
const results_with_claim_min = 8
/** Results of one transaction: with more the queues stay locked too long. */
const results_batch_max = 200

const pause_first_ms = 100
const pause_max_ms = 5_000
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
  readonly #upkeep: Upkeep
  #state: 'stopped' | 'running' | 'draining' = 'stopped'
  /** Attempts under way. */
  #running = 0
  /** Attempts that have ended and are not recorded yet. */
  #results: EndedAttempt[] = []
  #results_since_ms = 0
  #step: Promise<void> | null = null
  #step_timer: NodeJS.Timeout | undefined
  #round: Promise<void> | null = null
  #round_timer: NodeJS.Timeout | undefined
  #round_wanted = false
  #round_due_at_ms = 0
  #horizon_ms = 2 * round_every_ms
  #failures = 0
  #paused_until_ms = 0
  #news = Promise.withResolvers<void>()

  constructor(parts: Engine) {
    this.#parts = parts
    this.#schedule = new Schedule(parts)
    this.#upkeep = new Upkeep(parts)
  }

  /** Works until stopped: whenever something is due, and looks for it every second. */
  start(): void {
    if (this.#state !== 'stopped') throw new Error('the dispatcher is running already')
    this.#state = 'running'
    watchEngine(() => this.#schedule.counts())
    this.#round_due_at_ms = performance.now()
    this.#roundIn(0)
  }

  /** Claims no more, lets running attempts end within the time they have, and records everything. */
  async stop(): Promise<void> {
    if (this.#state !== 'running') return
    this.#state = 'draining'
    clearTimeout(this.#round_timer)
    const { shutdown_ms, log } = this.#parts
    const over = Promise.withResolvers<'over'>()
    const abort = setTimeout(() => this.#parts.sender.close(), shutdown_ms * abort_after_share)
    const limit = setTimeout(over.resolve, shutdown_ms, 'over')
    await this.#round
    this.#wakeUp()
    let given_up = false
    while (!given_up && (this.#step || this.#running > 0 || this.#results.length > 0))
      given_up = (await Promise.race([this.#news.promise, over.promise])) === 'over'
    if (given_up) log.error({ running: this.#running, unrecorded: this.#results.length }, 'webhook_shutdown_incomplete')
    for (const timer of [abort, limit, this.#step_timer]) clearTimeout(timer)
    watchEngine(undefined)
    this.#state = 'stopped'
  }

  /** Deliveries of these subscriptions are due now. False when this process cannot take them soon. */
  due(subscription_ids: readonly string[]): boolean {
    if (this.#state !== 'running') return false
    // They are due since their transaction began.
    const due_at_ms = this.#parts.clock.now() - commit_max_ms
    for (const subscription_id of subscription_ids) this.#schedule.learn(subscription_id, 0, due_at_ms)
    this.#wakeUp()
    return this.#running < this.#parts.concurrency
  }

  /** Status or event types of a subscription changed: what follows for its deliveries is done now. */
  changed(): void {
    if (this.#round) this.#round_wanted = true
    else this.#roundIn(0)
  }

  /** The reason why this process does not send: its round is late. Null when it works, or is not meant to. */
  fault(): string | null {
    const late_ms = performance.now() - this.#round_due_at_ms
    if (this.#state !== 'running' || late_ms <= round_late_max_ms) return null
    return `the round is late by ${Math.round(late_ms)} ms`
  }

  /** Drives everything that is due now to its end, for tests and commands: answers the number of attempts made. */
  async runDue(): Promise<number> {
    if (this.#state !== 'stopped') throw new Error('the dispatcher is running by itself')
    let attempts = 0
    for (;;) {
      const { due, moved, errors } = await this.#upkeep.round(this.#horizon_ms, true)
      if (errors.length > 0) throw errors[0]
      this.#learn(due)
      let made = 0
      while (this.#running > 0 || this.#results.length > 0 || this.#claimWaitMs === 0) {
        const { claims, recorded } = await this.#recordAndClaim()
        made += claims.length
        if (claims.length + recorded.length + this.#results.length === 0 && this.#running > 0) await this.#news.promise
      }
      attempts += made
      if (made === 0 && moved === 0) return attempts
    }
  }

  #roundIn(wait_ms: number): void {
    if (this.#state !== 'running') return
    clearTimeout(this.#round_timer)
    this.#round_timer = setTimeout(() => {
      this.#round = this.#runRound()
    }, wait_ms)
  }

  async #runRound(): Promise<void> {
    const started_at_ms = performance.now()
    this.#round_wanted = false
    const { due, errors } = await this.#upkeep.round(this.#horizon_ms)
    for (const error of errors) this.#parts.log.error({ err: error }, 'webhook_round_failed')
    this.#learn(due)
    this.#observeOldest(due)
    this.#wakeUp()
    const pause_ms = Math.max(round_every_ms, round_share * (performance.now() - started_at_ms))
    this.#horizon_ms = 2 * pause_ms
    this.#round_due_at_ms = performance.now() + pause_ms
    this.#round = null
    this.#roundIn(this.#round_wanted ? round_pause_min_ms : pause_ms)
  }

  #learn(due: readonly DueRow[]): void {
    for (const row of due) {
      this.#schedule.know(row.subscription_id, row)
      this.#schedule.learn(row.subscription_id, row.attempt_no, Date.parse(row.next_attempt_at))
    }
  }

  #observeOldest(due: readonly DueRow[]): void {
    const now_ms = this.#parts.clock.now()
    const oldest_ms = { quick: now_ms, slow: now_ms }
    for (const { subscription_id, next_attempt_at } of due) {
      const queue_class = this.#schedule.classOf(subscription_id)
      oldest_ms[queue_class] = Math.min(oldest_ms[queue_class], Date.parse(next_attempt_at))
    }
    oldestDue.set({ class: 'quick' }, (now_ms - oldest_ms.quick) / 1_000)
    oldestDue.set({ class: 'slow' }, (now_ms - oldest_ms.slow) / 1_000)
  }

  /** Begins the next transaction when it is of use, and no sooner. */
  #wakeUp(): void {
    if (this.#state === 'stopped' || this.#step) return
    clearTimeout(this.#step_timer)
    const wait_ms = Math.max(this.#waitMs(), this.#paused_until_ms - performance.now())
    if (wait_ms <= 0) this.#begin()
    else if (wait_ms < Number.POSITIVE_INFINITY) this.#step_timer = setTimeout(() => this.#begin(), wait_ms)
  }

  #begin(): void {
    if (this.#step) return
    this.#step = this.#recordAndClaim()
      .then(() => {
        this.#failures = 0
      })
      .catch((error: unknown) => this.#pause(error))
      .finally(() => {
        this.#step = null
        this.#tell()
        this.#wakeUp()
      })
  }

  #pause(error: unknown): void {
    this.#parts.log.error({ err: error, results: this.#results.length }, 'webhook_turn_failed')
    this.#upkeep.delayExpiry()
    this.#paused_until_ms = performance.now() + Math.min(pause_first_ms * 2 ** this.#failures, pause_max_ms)
    this.#failures += 1
  }

  #waitMs(): number {
    const claim_ms = this.#claimWaitMs
    if (this.#results.length === 0) return claim_ms
    if (this.#state === 'draining' || this.#results.length >= results_waiting_max) return 0
    const wait_max_ms = this.#schedule.isHeldBack(this.#parts.clock.now()) ? linger_held_back_ms : linger_ms
    return Math.min(claim_ms, wait_max_ms - this.#results_age_ms)
  }

  get #claimWaitMs(): number {
    return this.#schedule.waitMs(this.#parts.clock.now(), this.#slots)
  }

  get #slots(): number {
    return this.#state === 'draining' ? 0 : this.#parts.concurrency - this.#running
  }

  /** Milliseconds that the first result has waited. */
  get #results_age_ms(): number {
    return performance.now() - this.#results_since_ms
  }

  /** One transaction: records what has ended, claims what is due, and begins to send it. */
  async #recordAndClaim(): Promise<Progress> {
    const wishes = this.#schedule.choose(this.#parts.clock.now(), this.#slots)
    const are_early = this.#results.length < results_with_claim_min && this.#results_age_ms < linger_ms
    const ended = wishes.length > 0 && are_early ? [] : this.#results.slice(0, results_batch_max)
    if (ended.length + wishes.length === 0) return nothing_done
    try {
      return this.#follow(await recordAndClaim(this.#parts, ended, wishes), ended)
    } catch (error) {
      for (const wish of wishes) this.#schedule.answered(wish, wish.heads)
      if (error instanceof DatabaseUnavailable || ended.length === 0) throw error
      return this.#recordSingly(ended)
    }
  }

  /**
   * One of these results may be what the database cannot take. Each is recorded by itself, the culprit once more without
   * its evidence, and given up at last, so that its lease expires.
   */
  async #recordSingly(ended: readonly EndedAttempt[]): Promise<Progress> {
    const recorded: RecordedAttempt[] = []
    for (const one of ended) recorded.push(...this.#follow(await this.#recordOne(one), [one]).recorded)
    return { ...nothing_done, recorded }
  }

  async #recordOne(one: EndedAttempt): Promise<Progress> {
    const record = (attempt: EndedAttempt) => recordAndClaim(this.#parts, [attempt], [])
    try {
      return await record(one)
    } catch (error) {
      if (error instanceof DatabaseUnavailable) throw error
      const detail = `the result could not be stored: ${error instanceof Error ? error.message : error}`
      const bare = { ...one, request_headers: {}, key_labels: [], result: unknownResult('internal', detail) }
      return record(bare).catch((fault: unknown) => {
        if (fault instanceof DatabaseUnavailable) throw fault
        this.#parts.log.error({ err: fault, delivery_id: one.claim.id }, 'webhook_result_lost')
        this.#schedule.recorded(one.claim.subscription_id)
        return nothing_done
      })
    }
  }

  /** Brings this process into line with the committed transaction. */
  #follow(progress: Progress, ended: readonly EndedAttempt[]): Progress {
    const { recorded, deferred, claims, answers, queues } = progress
    if (ended.length > 0) {
      const done = new Set(ended)
      this.#results = [...deferred, ...this.#results.filter((one) => !done.has(one))]
      this.#results_since_ms = performance.now()
    }
    for (const { wish, left, is_busy } of answers) this.#schedule.answered(wish, left, is_busy)
    for (const one of recorded) this.#noteRecorded(one)
    for (const queue of queues) this.#schedule.know(queue.subscription_id, queue)
    for (const claim of claims) {
      this.#running += 1
      claim.queue_class = this.#schedule.started(claim)
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
    if (next_attempt_at_ms !== null && next_attempt_at_ms - this.#parts.clock.now() <= this.#horizon_ms)
      if (status === 'pending') this.#schedule.learn(claim.subscription_id, attempt_no, next_attempt_at_ms)
    this.#schedule.recorded(claim.subscription_id)
  }

  async #send(claim: Claim): Promise<void> {
    const ended = await send(claim, this.#parts)
    this.#running -= 1
    this.#schedule.ended(claim)
    if (this.#results.length === 0) this.#results_since_ms = performance.now()
    this.#results.push(ended)
    this.#tell()
    this.#wakeUp()
  }

  #tell(): void {
    const told = this.#news
    this.#news = Promise.withResolvers<void>()
    told.resolve()
  }
}
