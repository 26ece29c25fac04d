import type { Logger } from 'pino'
import { clockDifference, clockJump } from '../metrics.ts'

/** More than this is no way of telling time apart, but a clock that was put. */
const jump_min_ms = 1_000
const told_for_ms = 3_600_000

/** When a transaction asked the database for its time, and when it had the answer, on the monotonic clock. */
export interface ClockReading {
  now: string
  asked_at_ms: number
  answered_at_ms: number
}

/**
 * The database's time as this process estimates it: the last time a transaction brought, plus what has passed since on
 * the monotonic clock. The application's own clock may be wrong without any due time being so.
 */
export class EngineClock {
  readonly #log: Logger
  readonly #own_ms: () => number
  readonly #monotonic_ms: () => number
  #offset_ms: number
  #last: ClockReading | undefined
  #jumped_at_ms = Number.NEGATIVE_INFINITY
  #has_jumped = false

  constructor(log: Logger, own_ms: () => number, monotonic_ms: () => number) {
    this.#log = log
    this.#own_ms = own_ms
    this.#monotonic_ms = monotonic_ms
    this.#offset_ms = own_ms() - monotonic_ms()
  }

  now(): number {
    return this.#offset_ms + this.#monotonic_ms()
  }

  /** Takes over the time of a transaction that has just begun. */
  observe(now: string): void {
    this.#offset_ms = Date.parse(now) - this.#monotonic_ms()
  }

  /** Called with a question to the database; what it answers is called with the database's time, and looks for jumps. */
  ask(): (now: string) => void {
    const asked_at_ms = this.#monotonic_ms()
    return (now) => {
      const reading = { now, asked_at_ms, answered_at_ms: this.#monotonic_ms() }
      const jump_ms = this.#last ? jumpOf(this.#last, reading) : 0
      this.#last = reading
      this.observe(now)
      clockDifference.set((this.#own_ms() - Date.parse(now)) / 1_000)
      if (Math.abs(jump_ms) > jump_min_ms) {
        this.#jumped_at_ms = reading.answered_at_ms
        this.#has_jumped = true
        clockJump.set(jump_ms / 1_000)
        this.#log.warn({ jump_ms: Math.round(jump_ms) }, 'webhook_clock_jumped')
      } else if (reading.answered_at_ms - this.#jumped_at_ms > told_for_ms) clockJump.set(0)
    }
  }

  /** True when the database's clock was put ahead or back since this was last asked. */
  takeJump(): boolean {
    const has_jumped = this.#has_jumped
    this.#has_jumped = false
    return has_jumped
  }
}

/** Milliseconds that the clock is beyond where it can be, whenever between question and answer it was read. */
export function jumpOf(last: ClockReading, reading: ClockReading): number {
  const moved_ms = Date.parse(reading.now) - Date.parse(last.now)
  const most_ms = reading.answered_at_ms - last.asked_at_ms
  const least_ms = reading.asked_at_ms - last.answered_at_ms
  if (moved_ms > most_ms) return moved_ms - most_ms
  return Math.min(0, moved_ms - least_ms)
}
