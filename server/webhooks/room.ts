import type { Cursors } from '#core/list.ts'
import type { RegisteredEvent } from '#core/registry.ts'
import type { EgressPolicy } from '#outbound/address-rules.ts'
import type { NameResolver } from '#outbound/resolver.ts'
import type { RetrySchedules } from './retry-schedule.store.ts'

/** Settings of the room with their units; the composition root reads them from the configuration. */
export interface WebhookSettings {
  /** Delays after a failed attempt. */
  delays_ms: readonly number[]
  /** Consecutive failures from which on the last failed attempt of a series disables. */
  disable_after: number
  /** Consecutive failures at which the others are told; less than `disable_after`. */
  warn_after: number
  timeout_ms: number
  /** Attempts that run at once in this process. */
  concurrency: number
  /** Attempts of one subscription that run at once over all processes. */
  in_flight_max: number
  /** Held deliveries released per second and subscription. */
  release_rate: number
  /** Subscriptions of one organization. */
  subscriptions_max: number
  retention_days: number
  /** Wake the workers of other processes by notifications. */
  notify: boolean
  /** Time that running attempts get at shutdown. */
  shutdown_ms: number
}

/** The parts that the operations of this room are handed beside the transaction. */
export interface WebhookRoom {
  settings: WebhookSettings
  catalogue: ReadonlyMap<string, RegisteredEvent>
  policy: EgressPolicy
  resolver: NameResolver
  schedules: RetrySchedules
  cursors: Cursors
  wake: Wake
}

/** Signals to the workers, given after a commit. Losing one costs at most the time to the next round. */
export interface Wake {
  /** These subscriptions have deliveries that are due now. */
  due(subscription_ids: readonly string[]): void
  /** The status or the event types of this subscription changed: deliveries are to be held, released or cancelled. */
  changed(subscription_id: string): void
}

declare module '#core/operation.ts' {
  interface Rooms {
    webhooks: WebhookRoom
  }
}
