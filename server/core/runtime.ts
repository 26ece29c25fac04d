import type { Logger } from 'pino'
import type { Database } from '#db/database.ts'
import type { Cursors } from './lists/page.ts'
import type { Totals } from './lists/totals.ts'
import type { Rooms } from './operation.ts'
import type { FanOut } from './outbox.ts'
import type { Registry } from './registry.ts'
import type { Secrets } from './secrets/secrets.ts'

/** Tells milliseconds since 1970; injected, so that tests move time instead of waiting. Rows use the database's clock. */
export interface Clock {
  now(): number
}

export const systemClock: Clock = { now: Date.now }

/** What calls need beside the caller; made once in main.ts. */
export interface Runtime {
  readonly database: Database
  readonly registry: Registry
  readonly secrets: Secrets
  readonly cursors: Cursors
  readonly totals: Totals
  readonly clock: Clock
  readonly log: Logger
  readonly fanOut: FanOut
  readonly rooms: Rooms
  /** Address below which each problem code has its documentation page. */
  readonly problem_base: string
  /** Development and tests: outputs, events and declared problems are checked, and a mistake of ours fails the call. */
  readonly strict: boolean
}
