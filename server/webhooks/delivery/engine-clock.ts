/** A difference that the way between database and process does not explain. */
const jump_min_ms = 2_000

/**
 * The database's time as this process estimates it: the last time a transaction brought, plus what has passed since on
 * the monotonic clock. The application's own clock may be wrong without any due time being so.
 */
export class EngineClock {
  readonly #monotonic_ms: () => number
  #offset_ms: number
  #is_set = false
  #jumped_ms = 0

  constructor(monotonic_ms: () => number, start_ms: number) {
    this.#monotonic_ms = monotonic_ms
    this.#offset_ms = start_ms - monotonic_ms()
  }

  /** Takes over the time of a transaction that has just begun. */
  observe(now: string): void {
    const ahead_ms = Date.parse(now) - this.now()
    if (this.#is_set && Math.abs(ahead_ms) >= jump_min_ms) this.#jumped_ms += ahead_ms
    this.#is_set = true
    this.#offset_ms += ahead_ms
  }

  /** How far the database's clock was put ahead (or back, below zero) since this was last asked. */
  takeJump(): number {
    const jumped_ms = this.#jumped_ms
    this.#jumped_ms = 0
    return jumped_ms
  }

  now(): number {
    return this.#offset_ms + this.#monotonic_ms()
  }
}
