import type { Logger } from 'pino'
import { attempts, durations, egress, faults, latency, lateness, subscriptionsDisabled } from '../metrics.ts'
import type { RecordedAttempt } from './deliver.ts'

const phases = ['dns', 'connect', 'tls', 'first_byte', 'total'] as const

/** Logs and counts one recorded attempt, whether its result still applied or not. */
export function reportAttempt(log: Logger, recorded: RecordedAttempt, worker: string): void {
  logAttempt(log, recorded, worker)
  const { ended, outcome: decided, disabled } = recorded
  const { claim, result, started_at_ms } = ended
  const { outcome, error_class } = result
  attempts.inc({ outcome, error_class: error_class ?? 'none', origin: claim.origin })
  egress.note(claim.url, result)
  if (disabled) subscriptionsDisabled.inc({ reason: 'failures' })
  if (error_class === 'worker_lost' || error_class === 'internal') {
    faults.inc({ kind: error_class })
    return
  }
  for (const phase of phases) {
    const duration_ms = result[`${phase}_ms`]
    if (duration_ms !== null) durations.observe({ phase }, duration_ms / 1_000)
  }
  const late_ms = Math.max(0, started_at_ms - Date.parse(claim.next_attempt_at))
  lateness.observe({ class: claim.slot_class ?? 'quick' }, late_ms / 1_000)
  if (outcome !== 'succeeded' || claim.origin !== 'event' || !decided) return
  // The time part of a UUIDv7.
  const recorded_at_ms = Number.parseInt(claim.event_id.slice(0, 8) + claim.event_id.slice(9, 13), 16)
  latency.observe(Math.max(0, started_at_ms + result.total_ms - recorded_at_ms) / 1_000)
}

/** The one line of an attempt (webhooks.md 9). Never body, headers or keys, and of the url the host only. */
function logAttempt(log: Logger, { ended, outcome, queue, disabled }: RecordedAttempt, worker: string): void {
  const { claim, id, started_at_ms, result, request_headers } = ended
  const { organization_id, subscription_id: webhook_id, event_id, event_type, origin, series, attempt_no } = claim
  const { resolved_ip, dns_ms, connect_ms, tls_ms, first_byte_ms, total_ms, response_status: status } = result
  const next_ms = outcome?.delivery.next_attempt_at_ms
  const level = result.outcome === 'succeeded' ? 'info' : result.error_class === 'internal' ? 'error' : 'warn'
  log[level](
    {
      attempt_id: id,
      delivery_id: claim.id,
      ...{ event_id, event_type, webhook_id, organization_id, origin, series, attempt_no },
      host: request_headers.host ?? URL.parse(claim.url)?.host ?? null,
      ...{ resolved_ip, dns_ms, connect_ms, tls_ms, first_byte_ms, total_ms },
      late_ms: Math.round(started_at_ms - Date.parse(claim.next_attempt_at)),
      status,
      outcome: result.outcome,
      error_class: result.error_class,
      decision: outcome?.decision ?? 'none',
      next_attempt_at: next_ms ? new Date(next_ms).toISOString() : null,
      consecutive_failures: queue?.consecutive_failures ?? null,
      key_label: ended.key_labels[0] ?? null,
      trace_id: request_headers.traceparent?.split('-')[1] ?? null,
      worker,
    },
    'webhook_attempt',
  )
  if (!disabled) return
  const last_error = { class: result.error_class, response_status: status }
  log.warn({ webhook_id, organization_id, reason: 'failures', last_error }, 'webhook_disabled')
}
