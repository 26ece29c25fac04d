/** Twice a lease: whoever took it is gone, whatever the clock of the database says. */
const unchanged_max_ms = 120_000

/** Remembers when leases were first seen, so that they also end when the clock of the database was put back. */
export class LeaseWatch {
  #first_seen_ms = new Map<string, number>()

  /** Takes over the tokens of all leases; answers those that have stood for too long on the monotonic clock. */
  stale(tokens: readonly string[], monotonic_ms: number): string[] {
    this.#first_seen_ms = new Map(tokens.map((token) => [token, this.#first_seen_ms.get(token) ?? monotonic_ms]))
    return tokens.filter((token) => monotonic_ms - (this.#first_seen_ms.get(token) ?? monotonic_ms) >= unchanged_max_ms)
  }
}
