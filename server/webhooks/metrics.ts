import type { Gauge } from 'prom-client'
import { counter, createScrape, gauge, histogram } from '#core/metrics.ts'
import type { Database } from '#db/database.ts'
import type { AttemptResult } from '#outbound/attempt.ts'
import type { QueueClass } from './delivery/schedule.ts'
import { readFeedLag, readQueueDepth } from './metrics.store.ts'

export const attempts = counter('webhook_delivery_attempts_total', 'Recorded attempts.', [
  'outcome',
  'error_class',
  'origin',
])
export const durations = histogram(
  'webhook_attempt_duration_seconds',
  'Time of an attempt, by phase; `total` is the whole attempt.',
  [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  ['phase'],
)
export const lateness = histogram(
  'webhook_attempt_lateness_seconds',
  'Time from the moment an attempt was due to its start, by class of its subscription.',
  [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300],
  ['class'],
)
export const latency = histogram(
  'webhook_delivery_latency_seconds',
  'Time from the record of an event to the first answer 2xx of a subscription.',
  [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 30, 60, 300, 3_600, 86_400],
)
export const faults = counter(
  'webhook_faults_total',
  'Attempts whose end our side cannot tell: lost workers and errors of our own.',
  ['kind'],
)
export const leasesExpired = counter(
  'webhook_leases_expired_total',
  'Deliveries whose worker did not report within its lease.',
)
export const subscriptionsDisabled = counter(
  'webhook_subscriptions_disabled_total',
  'Subscriptions disabled, by failures or by hand.',
  ['reason'],
)
// Told as 0 before the first: Prometheus sees no increase in a series that begins with it.
for (const reason of ['failures', 'manual']) subscriptionsDisabled.inc({ reason }, 0)
export const claimDurations = histogram(
  'webhook_claim_seconds',
  'Time of one claim of due deliveries.',
  [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
)
export const completionBatches = histogram(
  'webhook_completion_batch_size',
  'Attempts recorded in one transaction.',
  [1, 2, 5, 10, 20, 50, 100, 200],
)
export const sweepDurations = histogram(
  'webhook_sweep_seconds',
  'Time of one round for due deliveries and deliveries to move.',
  [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30],
)
export const oldestDue = gauge(
  'webhook_oldest_due_seconds',
  'How long the oldest due delivery of an active subscription waits, as of the last round.',
  ['class'],
)
export const releasedDeliveries = counter(
  'webhook_released_total',
  'Held deliveries released after their subscription was enabled.',
)
export const expiredDeliveries = counter('webhook_expired_total', 'Held deliveries that expired.')
export const postponedDrops = gauge(
  'webhook_partition_drops_postponed',
  'Weeks past the retention that still hold deliveries to be sent.',
)
export const partitionsAhead = gauge(
  'webhook_partitions_ahead',
  'Weeks after the running one whose partitions stand ready.',
)
export const defaultPartitionRows = gauge(
  'webhook_default_partition_rows',
  'Events and deliveries outside the weekly partitions, counted up to 10,000.',
)
export const clockJump = gauge(
  'webhook_clock_jump_seconds',
  'The last jump of the database clock by over a second, within an hour; negative when it went back.',
)
export const clockDifference = gauge(
  'webhook_clock_difference_seconds',
  'By how much the clock of this process is ahead of that of the database; ids and partitions follow the former.',
)

export const egress = createEgressWatch()
gauge(
  'webhook_egress_suspect',
  '1 when over 90 % of the attempts of a minute, to 20 hosts or more, failed below HTTP: look at the network here.',
  [],
  function () {
    this.set(egress.isSuspect() ? 1 : 0)
  },
)

let countNow: (() => Record<QueueClass, { running: number; queues: number }>) | undefined

/** From now on the gauges tell of this engine; undefined when it has stopped. */
export function watchEngine(count: typeof countNow): void {
  countNow = count
}

const byClass = (what: 'running' | 'queues') =>
  function (this: Gauge<'class'>) {
    const counts = countNow?.()
    for (const queue_class of ['quick', 'slow'] as const)
      this.set({ class: queue_class }, counts?.[queue_class][what] ?? 0)
  }
gauge('webhook_slots_in_use', 'Attempts under way in this process.', ['class'], byClass('running'))
gauge(
  'webhook_lanes',
  'Subscriptions with deliveries that are due soon or under way, as this process knows them.',
  ['class'],
  byClass('queues'),
)

const depth = gauge('webhook_queue_depth', 'Deliveries by state, counted up to 100,000.', ['state'], () => queue.read())
const heldInternal = gauge('webhook_held_internal', 'Deliveries held for faults of our own: a person has to look.')
const feedLag = gauge('webhook_feed_lag_seconds', 'How long the oldest event waits for its place in the feed.')

const queue = createScrape(readQueue, () => depth.reset())
/** From now on the gauges tell of this database; null when its workers have stopped. */
export const watchQueue: (watched: Database | null) => void = queue.watch

async function readQueue(database: Database) {
  const { lag_s, depth_now } = await database.transaction({ role: 'engine', read_only: true }, async (tx) => ({
    depth_now: await readQueueDepth(tx),
    lag_s: await readFeedLag(tx),
  }))
  const { held_internal, ...states } = depth_now
  return () => {
    for (const [state, deliveries] of Object.entries(states)) depth.set({ state }, deliveries)
    heldInternal.set(held_internal)
    feedLag.set(lag_s)
  }
}

const window_ms = 60_000
const hosts_min = 20
const failed_share = 0.9
/** Attempts kept; beyond, the oldest are forgotten. */
const kept_max = 10_000

/** Failures that never came to a word of HTTP. */
const below_http = new Set(['dns', 'connect_refused', 'connect_unreachable', 'connect_reset', 'tls_handshake'])

type Ended = Pick<AttemptResult, 'outcome' | 'error_phase'> & { error_class: string | null }

/** True when the network here is at fault rather than many receivers at once. It informs only and changes no rule. */
export function createEgressWatch(monotonic_ms: () => number = () => performance.now()) {
  const seen: { at_ms: number; host: string; failed: boolean }[] = []
  return {
    note(url: string, { outcome, error_class, error_phase }: Ended): void {
      if (outcome === 'unknown' || error_class === 'blocked_address') return
      const isCut = error_class === 'timeout' && (error_phase === 'connect' || error_phase === 'tls')
      const failed = isCut || (error_class !== null && below_http.has(error_class))
      if (seen.length >= kept_max) seen.splice(0, seen.length / 2)
      seen.push({ at_ms: monotonic_ms(), host: URL.parse(url)?.host ?? '', failed })
    },
    isSuspect(): boolean {
      const since_ms = monotonic_ms() - window_ms
      const recent = seen.filter(({ at_ms }) => at_ms >= since_ms)
      const failed = recent.filter((reach) => reach.failed)
      const hosts = new Set(failed.map(({ host }) => host)).size
      return hosts >= hosts_min && failed.length > failed_share * recent.length
    },
  }
}
