import type { Transaction } from '#db/database.ts'
import { sql } from '#db/sql.ts'

export interface AttemptRecordRow {
  id: string
  series: number
  attempt_no: number
  counted: boolean
  started_at: string
  dns_ms: number | null
  connect_ms: number | null
  tls_ms: number | null
  first_byte_ms: number | null
  total_ms: number | null
  connection_reused: boolean | null
  resolved_ip: string | null
  tls_version: string | null
  url: string
  request_headers: Record<string, string>
  key_labels: string[]
  response_status: number | null
  response_headers: Record<string, string | string[]> | null
  response_body: Buffer | null
  response_cut: 'size' | 'time' | 'closed' | null
  retry_after: string | null
  outcome: 'succeeded' | 'failed' | 'unknown'
  error_class: string | null
  error_phase: string | null
  error_detail: string | null
  decision: 'done' | 'retry' | 'exhausted' | 'held' | 'cancelled' | 'repeat' | 'none'
  next_attempt_at: string | null
  worker: string
  applied: boolean
}

/** A delivery has 11 attempts per series; repeats of lost ones end at 20. Of more, the newest are shown. */
const attempts_max = 100

/** The attempts of one delivery, oldest first. */
export function findAttempts(
  tx: Transaction,
  organization_id: string,
  delivery: { id: string; event_id: string },
): Promise<AttemptRecordRow[]> {
  return tx.rows<AttemptRecordRow>(sql`
    select newest.* from (
      select id, series, attempt_no, counted, started_at, dns_ms, connect_ms, tls_ms, first_byte_ms, total_ms,
        connection_reused, resolved_ip, tls_version, url, request_headers, key_labels, response_status, response_headers,
        response_body, response_cut, retry_after, outcome, error_class, error_phase, error_detail, decision,
        next_attempt_at, worker, applied
      from webhook_attempts
      where organization_id = ${organization_id} and event_id = ${delivery.event_id} and delivery_id = ${delivery.id}
      order by id desc limit ${attempts_max}) newest
    order by newest.id`)
}

/** The stored bytes that every attempt of a delivery sends. */
export function findBody(
  tx: Transaction,
  organization_id: string,
  delivery_id: string,
  event_id: string,
): Promise<{ rendering: string; body: Buffer; sha256: Buffer } | undefined> {
  return tx.row<{ rendering: string; body: Buffer; sha256: Buffer }>(sql`
    select b.rendering, b.body, b.sha256
    from webhook_deliveries d
    join event_bodies b on b.organization_id = d.organization_id and b.event_id = d.event_id and b.rendering = d.rendering
    where d.organization_id = ${organization_id} and d.event_id = ${event_id} and d.id = ${delivery_id}`)
}
