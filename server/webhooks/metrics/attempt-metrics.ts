import { Counter, Histogram } from 'prom-client'
import { metrics } from '#core/metrics.ts'
import type { RecordedAttempt } from '../delivery/recorded-rows.ts'
import { egressWatch } from './egress-suspect.ts'

const registers = [metrics]

const attempts = new Counter({
  name: 'webhook_delivery_attempts_total',
  help: 'Recorded attempts.',
  labelNames: ['outcome', 'error_class', 'origin'],
  registers,
})
const durations = new Histogram({
  name: 'webhook_attempt_duration_seconds',
  help: 'Time of an attempt, by phase; `total` is the whole attempt.',
  labelNames: ['phase'],
  buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  registers,
})
const lateness = new Histogram({
  name: 'webhook_attempt_lateness_seconds',
  help: 'Time from the moment an attempt was due to its start, by class of its subscription.',
  labelNames: ['class'],
  buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300],
  registers,
})
const latency = new Histogram({
  name: 'webhook_delivery_latency_seconds',
  help: 'Time from the record of an event to the first answer 2xx of a subscription.',
  buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 30, 60, 300, 3_600, 86_400],
  registers,
})
const faults = new Counter({
  name: 'webhook_faults_total',
  help: 'Attempts whose end our side cannot tell: lost workers and errors of our own.',
  labelNames: ['kind'],
  registers,
})
export const leasesExpired = new Counter({
  name: 'webhook_leases_expired_total',
  help: 'Deliveries whose worker did not report within its lease.',
  registers,
})
export const subscriptionsDisabled = new Counter({
  name: 'webhook_subscriptions_disabled_total',
  help: 'Subscriptions disabled, by failures or by hand.',
  labelNames: ['reason'],
  registers,
})

const phases = ['dns', 'connect', 'tls', 'first_byte', 'total'] as const

/** Counts one recorded attempt, whether its result still applied or not. */
export function observeAttempt({ ended, verdict, disabled }: RecordedAttempt): void {
  const { claim, result, started_at_ms } = ended
  const { outcome, error_class } = result
  attempts.inc({ outcome, error_class: error_class ?? 'none', origin: claim.origin })
  egressWatch.note(claim.url, result)
  if (disabled) subscriptionsDisabled.inc({ reason: 'failures' })
  if (error_class === 'worker_lost' || error_class === 'internal') {
    faults.inc({ kind: error_class })
    return
  }
  for (const phase of phases) {
    const duration_ms = result[`${phase}_ms`]
    if (duration_ms !== null) durations.observe({ phase }, duration_ms / 1_000)
  }
  lateness.observe(
    { class: claim.lane_class ?? 'quick' },
    Math.max(0, started_at_ms - Date.parse(claim.next_attempt_at)) / 1_000,
  )
  if (outcome !== 'succeeded' || claim.origin !== 'event' || !verdict) return
  latency.observe(Math.max(0, started_at_ms + (result.total_ms ?? 0) - recordedAtMs(claim.event_id)) / 1_000)
}

/** The time part of a UUIDv7. */
function recordedAtMs(event_id: string): number {
  return Number.parseInt(event_id.slice(0, 8) + event_id.slice(9, 13), 16)
}
