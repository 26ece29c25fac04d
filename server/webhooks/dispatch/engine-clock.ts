/**
 * The database's time as this process estimates it: the last time a transaction brought, plus what has passed since on
 * the monotonic clock. The application's own clock may be wrong without any due time being so.
 */
export class EngineClock {
  readonly #monotonic_ms: () => number
  #offset_ms: number

  constructor(monotonic_ms: () => number, start_ms: number) {
    this.#monotonic_ms = monotonic_ms
    this.#offset_ms = start_ms - monotonic_ms()
  }

  /** Takes over the time of a transaction that has just begun. */
  observe(now: string): void {
    this.#offset_ms = Date.parse(now) - this.#monotonic_ms()
  }

  now(): number {
    return this.#offset_ms + this.#monotonic_ms()
  }
}
