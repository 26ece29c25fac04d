import type { Logger } from 'pino'
import { observeAttempt } from '../metrics/attempt-metrics.ts'
import { watchLanes } from '../metrics/engine-metrics.ts'
import { type AttemptParts, attempt, type Claim } from './attempt.ts'
import { logAttempt } from './attempt-log.ts'
import type { Head } from './due.store.ts'
import type { LaneFacts } from './lane.ts'
import { LaneHints } from './lane-hints.ts'
import { observeOldest } from './oldest-due.ts'
import { ResultQueue } from './result-queue.ts'
import { createSweep, type SweepParts } from './sweep.ts'
import { type Turn, type TurnParts, takeTurn } from './turn.ts'

export interface DispatcherParts extends TurnParts, AttemptParts, SweepParts {
  log: Logger
  /** Attempts that run at once in this process. */
  concurrency: number
  /** Time that running attempts get when the dispatcher stops, and recording them. */
  shutdown_ms: number
  /** Ends running attempts as `shutdown`. */
  abort(): void
}

/** A lane of which something was read, with its facts. */
type KnownLane = LaneFacts & { subscription_id: string }

const nothing_done: Turn = { recorded: [], deferred: [], claims: [], outcomes: [], lanes: [] }

/** What a transaction that makes deliveries takes at most; those of a longer one are found by a sweep. */
const commit_max_ms = 2_000
const sweep_every_ms = 1_000
/** Two sweeps are never closer, however often something changes. */
const sweep_pause_min_ms = 20
/** A sweep never uses more than 5 % of its connection. */
const sweep_share = 20
/** A process whose sweep is later than this is not ready. */
const sweep_late_max_ms = 10_000
const pause_first_ms = 100
const pause_max_ms = 5_000
/** Of the time for stopping: then running attempts are aborted, the rest is for recording them. */
const abort_after_share = 0.9

/** The engine of one process: sweeps for due deliveries, claims, sends, records. Any number of processes may run one. */
export class Dispatcher {
  readonly #parts: DispatcherParts
  readonly #hints: LaneHints
  readonly #sweeps: ReturnType<typeof createSweep>
  readonly #results = new ResultQueue()
  #state: 'stopped' | 'running' | 'draining' = 'stopped'
  /** Attempts under way. */
  #running = 0
  #turn: Promise<void> | null = null
  #turn_timer: NodeJS.Timeout | undefined
  #sweep: Promise<void> | null = null
  #sweep_timer: NodeJS.Timeout | undefined
  #sweep_wanted = false
  #horizon_ms = 2 * sweep_every_ms
  #failures = 0
  #sweep_due_at_ms = 0
  #paused_until_ms = 0
  #news = Promise.withResolvers<void>()
  #unwatch = () => {}

  constructor(parts: DispatcherParts) {
    this.#parts = parts
    this.#hints = new LaneHints(parts)
    this.#sweeps = createSweep(parts)
  }

  /** Works until stopped: whenever something is due, and looks for it every second. */
  start(): void {
    if (this.#state !== 'stopped') throw new Error('the dispatcher is running already')
    this.#state = 'running'
    this.#unwatch = watchLanes(() => this.#hints.counts())
    this.#sweep_due_at_ms = performance.now()
    this.#sweepIn(0)
  }

  /** Claims no more, lets running attempts end within the time they have, and records everything. */
  async stop(): Promise<void> {
    if (this.#state !== 'running') return
    this.#state = 'draining'
    clearTimeout(this.#sweep_timer)
    const { shutdown_ms, log } = this.#parts
    const over = Promise.withResolvers<'over'>()
    const abort = setTimeout(() => this.#parts.abort(), shutdown_ms * abort_after_share)
    const limit = setTimeout(over.resolve, shutdown_ms, 'over')
    await this.#sweep
    this.#schedule()
    let given_up = false
    while (!given_up && (this.#turn || this.#running > 0 || this.#results.length > 0))
      given_up = (await Promise.race([this.#news.promise, over.promise])) === 'over'
    if (given_up) log.error({ running: this.#running, unrecorded: this.#results.length }, 'webhook_shutdown_incomplete')
    for (const timer of [abort, limit, this.#turn_timer]) clearTimeout(timer)
    this.#unwatch()
    this.#state = 'stopped'
  }

  /** Deliveries of these subscriptions are due now. False when this process cannot take them soon. */
  due(subscription_ids: readonly string[]): boolean {
    if (this.#state !== 'running') return false
    // They are due since their transaction began.
    const due_at_ms = this.#parts.clock.now() - commit_max_ms
    for (const subscription_id of subscription_ids) this.#hints.learn(subscription_id, 0, due_at_ms)
    this.#schedule()
    return this.#running < this.#parts.concurrency
  }

  /** Status or event types of a subscription changed: what follows for its deliveries is done now. */
  changed(): void {
    if (this.#sweep) this.#sweep_wanted = true
    else this.#sweepIn(0)
  }

  /** What keeps this process from sending: its sweep is late. Null when it works, or is not meant to. */
  fault(): string | null {
    const late_ms = performance.now() - this.#sweep_due_at_ms
    if (this.#state !== 'running' || late_ms <= sweep_late_max_ms) return null
    return `the sweep is late by ${Math.round(late_ms)} ms`
  }

  /** Drives everything that is due now to its end, for tests and commands: answers the number of attempts made. */
  async runDue(): Promise<number> {
    if (this.#state !== 'stopped') throw new Error('the dispatcher is running by itself')
    let attempts = 0
    for (;;) {
      const { heads, moved, errors } = await this.#sweeps.sweep(this.#horizon_ms, true)
      if (errors.length > 0) throw errors[0]
      this.#learn(heads)
      const made = await this.#runKnown()
      attempts += made
      if (made === 0 && moved === 0) return attempts
    }
  }

  async #runKnown(): Promise<number> {
    let made = 0
    while (
      this.#running > 0 ||
      this.#results.length > 0 ||
      this.#hints.waitMs(this.#parts.clock.now(), this.#slots) === 0
    ) {
      const turn = await this.#takeTurn()
      made += turn.claims.length
      if (turn.outcomes.length === 0 && this.#results.length === 0 && this.#running > 0) await this.#news.promise
    }
    return made
  }

  #sweepIn(wait_ms: number): void {
    if (this.#state !== 'running') return
    clearTimeout(this.#sweep_timer)
    this.#sweep_timer = setTimeout(() => {
      this.#sweep = this.#sweepOnce()
    }, wait_ms)
  }

  async #sweepOnce(): Promise<void> {
    const started_at_ms = performance.now()
    this.#sweep_wanted = false
    const { heads, errors } = await this.#sweeps.sweep(this.#horizon_ms)
    for (const error of errors) this.#parts.log.error({ err: error }, 'webhook_sweep_failed')
    this.#learn(heads)
    observeOldest(heads, this.#hints, this.#parts.clock.now())
    this.#schedule()
    const pause_ms = Math.max(sweep_every_ms, sweep_share * (performance.now() - started_at_ms))
    this.#horizon_ms = 2 * pause_ms
    this.#sweep_due_at_ms = performance.now() + pause_ms
    await this.#sweeps.keep()
    this.#sweep = null
    this.#sweepIn(this.#sweep_wanted ? sweep_pause_min_ms : pause_ms)
  }

  #learn(heads: readonly Head[]): void {
    for (const head of heads) {
      this.#know(head)
      this.#hints.learn(head.subscription_id, head.attempt_no, Date.parse(head.next_attempt_at))
    }
  }

  #know({ subscription_id, organization_id, consecutive_failures, limit_now, mean_ms }: KnownLane): void {
    this.#hints.know(subscription_id, { organization_id, consecutive_failures, limit_now, mean_ms })
  }

  /** Begins the next turn when it is of use, and no sooner. */
  #schedule(): void {
    if (this.#state === 'stopped' || this.#turn) return
    clearTimeout(this.#turn_timer)
    const wait_ms = Math.max(this.#waitMs(), this.#paused_until_ms - performance.now())
    if (wait_ms <= 0) this.#begin()
    else if (wait_ms < Number.POSITIVE_INFINITY) this.#turn_timer = setTimeout(() => this.#begin(), wait_ms)
  }

  #begin(): void {
    if (this.#turn) return
    this.#turn = this.#takeTurn()
      .then(() => {
        this.#failures = 0
      })
      .catch((error: unknown) => this.#pause(error))
      .finally(() => {
        this.#turn = null
        this.#tell()
        this.#schedule()
      })
  }

  #pause(error: unknown): void {
    this.#parts.log.error({ err: error, results: this.#results.length }, 'webhook_turn_failed')
    this.#sweeps.delayReaping()
    this.#paused_until_ms = performance.now() + Math.min(pause_first_ms * 2 ** this.#failures, pause_max_ms)
    this.#failures += 1
  }

  #waitMs(): number {
    const now_ms = this.#parts.clock.now()
    const until_claim_ms = this.#hints.waitMs(now_ms, this.#slots)
    if (this.#results.length === 0) return until_claim_ms
    if (this.#state === 'draining') return 0
    return Math.min(until_claim_ms, this.#results.waitMs(this.#hints.isHeldBack(now_ms)))
  }

  get #slots(): number {
    return this.#state === 'draining' || this.#results.isCareful ? 0 : this.#parts.concurrency - this.#running
  }

  async #takeTurn(): Promise<Turn> {
    const wishes = this.#slots > 0 ? this.#hints.choose(this.#parts.clock.now(), this.#slots) : []
    const ended = wishes.length > 0 && this.#results.mayWait ? [] : this.#results.batch()
    if (ended.length === 0 && wishes.length === 0) return nothing_done
    const busy = this.#results.isPatient || this.#state === 'draining' ? 'wait' : 'skip'
    const turn = await takeTurn(this.#parts, ended, wishes, busy).catch((error: unknown) => {
      const lost = this.#results.failed(ended, error)
      if (lost) this.#hints.recorded(lost.claim.subscription_id)
      throw error
    })
    this.#results.recorded(ended.length, turn.deferred)
    for (const { wish, is_busy, exhausted, claimed } of turn.outcomes) {
      this.#hints.claimed(wish, claimed)
      if (is_busy) this.#hints.rest(wish)
      else this.#hints.exhausted(wish, exhausted)
    }
    for (const recorded of turn.recorded) this.#noteRecorded(recorded)
    for (const lane of turn.lanes) this.#know(lane)
    for (const claim of turn.claims) this.#begun(claim)
    // These keep this process busy for as long as the next turn does the database: that goes first.
    setImmediate(() => {
      for (const claim of turn.claims) void this.#send(claim)
      for (const recorded of turn.recorded) this.#report(recorded)
    })
    return turn
  }

  #noteRecorded(recorded: Turn['recorded'][number]): void {
    const { claim } = recorded.ended
    const { status, attempt_no, next_attempt_at_ms } = recorded.verdict?.delivery ?? {}
    // What is due beyond the horizon is found by a sweep in time; keeping it would fill the memory.
    const is_near = next_attempt_at_ms && next_attempt_at_ms - this.#parts.clock.now() <= this.#horizon_ms
    if (status === 'pending' && attempt_no !== undefined && is_near)
      this.#hints.learn(claim.subscription_id, attempt_no, next_attempt_at_ms)
    this.#hints.recorded(claim.subscription_id)
    if (recorded.lane) this.#know(recorded.lane)
  }

  #report(recorded: Turn['recorded'][number]): void {
    logAttempt(this.#parts.log, recorded, this.#parts.worker)
    observeAttempt(recorded)
  }

  #begun(claim: Claim): void {
    this.#running += 1
    claim.lane_class = this.#hints.started(claim)
  }

  async #send(claim: Claim): Promise<void> {
    const ended = await attempt(claim, this.#parts)
    this.#running -= 1
    this.#hints.ended(claim)
    this.#results.push(ended)
    this.#tell()
    this.#schedule()
  }

  #tell(): void {
    const told = this.#news
    this.#news = Promise.withResolvers<void>()
    told.resolve()
  }
}
