import { Counter, Gauge, Histogram } from 'prom-client'
import { metrics } from '#core/metrics.ts'
import type { LaneClass } from '../delivery/lane.ts'

const registers = [metrics]

/** What one engine of this process does now, by class. */
type LaneCounts = Record<LaneClass, { running: number; lanes: number }>

const engines = new Set<() => LaneCounts>()

new Gauge({
  name: 'webhook_slots_in_use',
  help: 'Attempts under way in this process.',
  labelNames: ['class'],
  registers,
  collect() {
    tellByClass(this, 'running')
  },
})
new Gauge({
  name: 'webhook_lanes',
  help: 'Subscriptions with deliveries that are due soon or under way, as this process knows them.',
  labelNames: ['class'],
  registers,
  collect() {
    tellByClass(this, 'lanes')
  },
})

function tellByClass(gauge: Gauge<'class'>, what: 'running' | 'lanes'): void {
  const counts = [...engines].map((count) => count())
  for (const lane_class of ['quick', 'slow'] as const)
    gauge.set(
      { class: lane_class },
      counts.reduce((sum, count) => sum + count[lane_class][what], 0),
    )
}

/** From now on the gauges tell of this engine; answers what ends that. */
export function watchLanes(count: () => LaneCounts): () => void {
  engines.add(count)
  return () => void engines.delete(count)
}

export const claimDurations = new Histogram({
  name: 'webhook_claim_seconds',
  help: 'Time of one claim of due deliveries.',
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
  registers,
})
export const completionBatches = new Histogram({
  name: 'webhook_completion_batch_size',
  help: 'Attempts recorded in one transaction.',
  buckets: [1, 2, 5, 10, 20, 50, 100, 200],
  registers,
})
export const sweepDurations = new Histogram({
  name: 'webhook_sweep_seconds',
  help: 'Time of one sweep for due deliveries and deliveries to move.',
  buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30],
  registers,
})
export const oldestDue = new Gauge({
  name: 'webhook_oldest_due_seconds',
  help: 'How long the oldest due delivery of an active subscription waits, as of the last sweep.',
  labelNames: ['class'],
  registers,
})
export const releasedDeliveries = new Counter({
  name: 'webhook_released_total',
  help: 'Held deliveries released after their subscription was enabled.',
  registers,
})
