import type { Logger } from 'pino'
import { clockDifference, clockJump } from '../metrics.ts'

/** A slower answer does not tell the time; a difference beyond is no way of telling time apart, but a clock that was put. */
const precision_ms = 1_000
const told_for_ms = 3_600_000

/**
 * The database's time as this process estimates it: the last time a transaction brought, plus what has passed since on
 * the monotonic clock. The application's own clock may be wrong without any due time being so.
 */
export class EngineClock {
  readonly #log: Logger
  readonly #own_ms: () => number
  readonly #monotonic_ms: () => number
  /** Database time ahead of the monotonic clock; unknown before the first answer. */
  #ahead_ms: number | undefined
  #jumped_at_ms = Number.NEGATIVE_INFINITY
  /** The database's clock was put ahead or back; whoever acts on it takes this back. */
  has_jumped = false

  constructor(log: Logger, own_ms: () => number, monotonic_ms: () => number) {
    this.#log = log
    this.#own_ms = own_ms
    this.#monotonic_ms = monotonic_ms
  }

  now(): number {
    return this.#ahead_ms === undefined ? this.#own_ms() : this.#ahead_ms + this.#monotonic_ms()
  }

  /** Takes over the time of a transaction, which was asked for at this time of the monotonic clock. */
  observe(now: string, asked_at_ms: number): void {
    const answered_at_ms = this.#monotonic_ms()
    if (answered_at_ms - asked_at_ms >= precision_ms) return
    const ahead_ms = Date.parse(now) - answered_at_ms
    const jump_ms = ahead_ms - (this.#ahead_ms ?? ahead_ms)
    this.#ahead_ms = ahead_ms
    clockDifference.set((this.#own_ms() - Date.parse(now)) / 1_000)
    if (Math.abs(jump_ms) > precision_ms) {
      this.#jumped_at_ms = answered_at_ms
      this.has_jumped = true
      clockJump.set(jump_ms / 1_000)
      this.#log.warn({ jump_ms: Math.round(jump_ms) }, 'webhook_clock_jumped')
    } else if (answered_at_ms - this.#jumped_at_ms > told_for_ms) clockJump.set(0)
  }
}
