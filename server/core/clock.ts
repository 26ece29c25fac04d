/** Tells milliseconds since 1970; injected, so that tests move time instead of waiting. Rows use the database's clock. */
export interface Clock {
  now(): number
}

export const systemClock: Clock = { now: Date.now }
