import type { Logger } from 'pino'
import { type AttemptParts, attempt, type Claim, type EndedAttempt } from './attempt.ts'
import { logAttempt } from './attempt-log.ts'
import { readHeads } from './due.store.ts'
import { LaneHints } from './lane-hints.ts'
import { type Turn, type TurnParts, takeTurn } from './turn.ts'

export interface DispatcherParts extends TurnParts, AttemptParts {
  log: Logger
  /** Attempts that run at once in this process. */
  concurrency: number
  /** Time that running attempts get when the dispatcher stops. */
  shutdown_ms: number
  /** Ends running attempts as `shutdown`. */
  abort(): void
}

/** Results of one turn: beyond this many the lanes stay locked too long. */
const results_per_turn_max = 200
/** A turn begins at once when this many results wait, else … */
const results_waiting_max = 100
/** … this long after the first of them, unless it is needed for something that is due. */
const linger_ms = 10
/** Due deliveries that wait for results to be recorded shorten the wait: enough for a lane's attempts to end together. */
const linger_held_back_ms = 2
const sweep_ms = 1_000
/** The sweep never uses more than 5 % of its connection. */
const sweep_share = 20
const retry_first_ms = 100
const retry_max_ms = 5_000

/** The engine of one process: sweeps for due deliveries, claims, sends, records. Any number of processes may run one. */
export class Dispatcher {
  readonly #parts: DispatcherParts
  readonly #hints: LaneHints
  #state: 'stopped' | 'running' | 'draining' = 'stopped'
  #running = 0
  #results: EndedAttempt[] = []
  #first_result_at_ms = 0
  #turn: Promise<unknown> | null = null
  #turn_timer: NodeJS.Timeout | undefined
  #sweep: Promise<unknown> = Promise.resolve()
  #sweep_timer: NodeJS.Timeout | undefined
  #failures = 0
  #horizon_ms = 2 * sweep_ms
  #news = Promise.withResolvers<void>()

  constructor(parts: DispatcherParts) {
    this.#parts = parts
    this.#hints = new LaneHints(parts.in_flight_max)
  }

  /** Works until stopped: whenever something is due, and looks for it every second. */
  start(): void {
    if (this.#state !== 'stopped') throw new Error('the dispatcher is running already')
    this.#state = 'running'
    this.#sweepAgain(0)
  }

  /** Claims no more, lets running attempts end within the time they have, records everything. */
  async stop(): Promise<void> {
    if (this.#state === 'stopped') return
    this.#state = 'draining'
    clearTimeout(this.#sweep_timer)
    const abort = setTimeout(() => this.#parts.abort(), this.#parts.shutdown_ms)
    await this.#sweep
    this.#schedule()
    while (this.#running > 0 || this.#results.length > 0) await this.#news.promise
    await this.#turn
    clearTimeout(abort)
    clearTimeout(this.#turn_timer)
    this.#state = 'stopped'
  }

  /** Deliveries of these subscriptions are due now. False when this process cannot take them soon. */
  due(subscription_ids: readonly string[]): boolean {
    if (this.#state !== 'running') return false
    const now_ms = this.#parts.clock.now()
    for (const subscription_id of subscription_ids) this.#hints.learn(subscription_id, 0, now_ms)
    this.#schedule()
    return this.#running < this.#parts.concurrency
  }

  /** Drives everything that is due now to its end, for tests and commands: answers the number of attempts made. */
  async runDue(): Promise<number> {
    if (this.#state !== 'stopped') throw new Error('the dispatcher is running by itself')
    let attempts = 0
    for (;;) {
      await this.#learnHeads()
      let made = 0
      while (this.#running > 0 || this.#results.length > 0 || this.#waitMs() === 0) {
        const { claims, outcomes } = await this.#takeTurn()
        made += claims.length
        // Everything that could be claimed is; the lanes that are busy elsewhere are the others' work.
        if (claims.length === 0 && outcomes.length === 0 && this.#results.length === 0 && this.#running > 0)
          await this.#news.promise
      }
      attempts += made
      if (made === 0) return attempts
    }
  }

  #sweepAgain(wait_ms: number): void {
    if (this.#state !== 'running') return
    this.#sweep_timer = setTimeout(() => {
      this.#sweep = this.#sweepOnce()
    }, wait_ms)
  }

  async #sweepOnce(): Promise<void> {
    const started_at_ms = performance.now()
    try {
      await this.#learnHeads()
      this.#schedule()
    } catch (error) {
      this.#parts.log.error({ err: error }, 'webhook_sweep_failed')
    }
    const pause_ms = Math.max(sweep_ms, sweep_share * (performance.now() - started_at_ms))
    this.#horizon_ms = 2 * pause_ms
    this.#sweepAgain(pause_ms)
  }

  async #learnHeads(): Promise<void> {
    const heads = await this.#parts.database.transaction({ role: 'engine', read_only: true }, (tx) => {
      this.#parts.clock.observe(tx.now)
      return readHeads(tx, this.#horizon_ms)
    })
    for (const { subscription_id, attempt_no, next_attempt_at, status } of heads) {
      if (status === 'active') this.#hints.learn(subscription_id, attempt_no, Date.parse(next_attempt_at))
    }
  }

  /** Begins the next turn when it is of use, and no sooner. */
  #schedule(): void {
    if (this.#state === 'stopped' || this.#turn) return
    clearTimeout(this.#turn_timer)
    const wait_ms = this.#failures > 0 ? Math.min(retry_first_ms * 2 ** this.#failures, retry_max_ms) : this.#waitMs()
    if (wait_ms === 0) this.#begin()
    else if (wait_ms < Number.POSITIVE_INFINITY) this.#turn_timer = setTimeout(() => this.#begin(), wait_ms)
  }

  #begin(): void {
    if (this.#turn) return
    this.#turn = this.#takeTurn()
      .catch((error: unknown) => {
        this.#failures += 1
        this.#parts.log.error({ err: error, results: this.#results.length }, 'webhook_turn_failed')
      })
      .finally(() => {
        this.#turn = null
        this.#schedule()
      })
  }

  #waitMs(): number {
    const now_ms = this.#parts.clock.now()
    const claims = this.#slots > 0 ? this.#hints.waitMs(now_ms) : Number.POSITIVE_INFINITY
    if (this.#results.length === 0) return Math.min(claims, this.#horizon_ms)
    if (this.#results.length >= results_waiting_max) return 0
    const linger = this.#hints.isHeldBack(now_ms) ? linger_held_back_ms : linger_ms
    return Math.min(claims, Math.max(this.#first_result_at_ms + linger - performance.now(), 0))
  }

  get #slots(): number {
    return this.#state === 'draining' ? 0 : this.#parts.concurrency - this.#running
  }

  async #takeTurn(): Promise<Turn> {
    const ended = this.#results.slice(0, results_per_turn_max)
    const wishes = this.#slots > 0 ? this.#hints.choose(this.#parts.clock.now(), this.#slots) : []
    if (ended.length === 0 && wishes.length === 0) return { recorded: [], claims: [], outcomes: [] }
    const turn = await takeTurn(this.#parts, ended, wishes)
    this.#failures = 0
    this.#results.splice(0, ended.length)
    this.#first_result_at_ms = performance.now()
    for (const { wish, state } of turn.outcomes) {
      if (state === 'exhausted') this.#hints.exhausted(wish)
      if (state === 'busy') this.#hints.rest(wish)
    }
    for (const recorded of turn.recorded) {
      const { claim } = recorded.ended
      this.#hints.recorded(claim.subscription_id)
      const { status, attempt_no, next_attempt_at_ms } = recorded.verdict?.delivery ?? {}
      if (status === 'pending' && attempt_no !== undefined && next_attempt_at_ms)
        this.#learnRetry(claim.subscription_id, attempt_no, next_attempt_at_ms)
      logAttempt(this.#parts.log, recorded, this.#parts.worker)
    }
    for (const claim of turn.claims) void this.#send(claim)
    this.#tell()
    return turn
  }

  /** What lies beyond the horizon is found by a sweep in time; keeping it would fill the memory. */
  #learnRetry(subscription_id: string, attempt_no: number, due_at_ms: number): void {
    if (due_at_ms - this.#parts.clock.now() <= this.#horizon_ms)
      this.#hints.learn(subscription_id, attempt_no, due_at_ms)
  }

  async #send(claim: Claim): Promise<void> {
    this.#running += 1
    this.#hints.started(claim.subscription_id)
    const ended = await attempt(claim, this.#parts)
    this.#running -= 1
    if (this.#results.length === 0) this.#first_result_at_ms = performance.now()
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
