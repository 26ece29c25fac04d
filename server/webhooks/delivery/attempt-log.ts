import type { Logger } from 'pino'
import type { RecordedAttempt } from './recorded-rows.ts'

/** The one line of an attempt (webhooks.md 9). Never body, headers or keys, and of the url the host only. */
export function logAttempt(log: Logger, { ended, verdict, lane, disabled }: RecordedAttempt, worker: string): void {
  const { claim, id, started_at_ms, result, request_headers } = ended
  const next_ms = verdict?.delivery.next_attempt_at_ms
  const line = {
    attempt_id: id,
    delivery_id: claim.id,
    event_id: claim.event_id,
    event_type: claim.event_type,
    webhook_id: claim.subscription_id,
    organization_id: claim.organization_id,
    origin: claim.origin,
    series: claim.series,
    attempt_no: claim.attempt_no,
    host: request_headers.host ?? URL.parse(claim.url)?.host ?? null,
    resolved_ip: result.resolved_ip,
    dns_ms: result.dns_ms,
    connect_ms: result.connect_ms,
    tls_ms: result.tls_ms,
    first_byte_ms: result.first_byte_ms,
    total_ms: result.total_ms,
    late_ms: Math.round(started_at_ms - Date.parse(claim.next_attempt_at)),
    status: result.response_status,
    outcome: result.outcome,
    error_class: result.error_class,
    decision: verdict?.decision ?? 'none',
    next_attempt_at: next_ms ? new Date(next_ms).toISOString() : null,
    consecutive_failures: lane?.consecutive_failures ?? null,
    key_label: ended.key_labels[0] ?? null,
    trace_id: request_headers.traceparent?.split('-')[1] ?? null,
    worker,
  }
  log[levelOf(result)](line, 'webhook_attempt')
  if (!disabled) return
  const { organization_id, subscription_id: webhook_id } = claim
  const last_error = { class: result.error_class, response_status: result.response_status }
  log.warn({ webhook_id, organization_id, reason: 'failures', last_error }, 'webhook_disabled')
}

function levelOf({ outcome, error_class }: RecordedAttempt['ended']['result']): 'info' | 'warn' | 'error' {
  if (outcome === 'succeeded') return 'info'
  return error_class === 'internal' ? 'error' : 'warn'
}
