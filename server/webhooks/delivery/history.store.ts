import type { Actor } from '#core/caller.ts'
import type { Transaction } from '#db/database.ts'
import { raw, sql } from '#db/sql.ts'
import { recordRevision } from '../subscriptions/subscription.store.ts'
import type { LastErrorRow } from '../subscriptions/subscription.ts'
import type { EndedAttempt } from './attempt.ts'
import type { Pace } from './pace.ts'
import type { LaneState } from './settle.ts'

export interface LockedLane extends LaneState, Pace {
  organization_id: string
  subscription_id: string
  url: string
  name: string | null
  /** When the first of its consecutive failures was recorded. */
  failing_since: string | null
}

/** Locks lanes in the order of their ids, as everybody does; waits for those that are busy, or leaves them out. */
export async function lockLanes(
  tx: Transaction,
  subscription_ids: readonly string[],
  busy: 'wait' | 'skip',
): Promise<Set<string>> {
  const rows = await tx.rows<{ subscription_id: string }>(sql`
    select subscription_id from webhook_lanes where subscription_id = any (${subscription_ids}::uuid[])
    order by subscription_id for update ${raw(busy === 'skip' ? 'skip locked' : '')}`)
  return new Set(rows.map(({ subscription_id }) => subscription_id))
}

/** The state of locked lanes; a statement of its own, since the locking one may have an older snapshot. */
export function readLaneStates(tx: Transaction, subscription_ids: readonly string[]): Promise<LockedLane[]> {
  return tx.rows<LockedLane>(sql`
    select l.organization_id, l.subscription_id, l.consecutive_failures, l.limit_now, l.success_run, l.mean_ms,
      l.failing_since, (extract(epoch from l.limit_halved_at) * 1000)::float8 as limit_halved_at_ms, s.status, s.url, s.name
    from webhook_lanes l
    join webhook_subscriptions s on s.organization_id = l.organization_id and s.id = l.subscription_id
    where l.subscription_id = any (${subscription_ids}::uuid[])`)
}

/** Ids of the deliveries whose lease is still this one. Nobody changes it while the lanes are locked. */
export async function stillLeased(tx: Transaction, attempts: readonly EndedAttempt[]): Promise<Set<string>> {
  const keys = attempts.map(({ claim: { organization_id, event_id, id, lease_token } }) => ({
    organization_id,
    event_id,
    id,
    lease_token,
  }))
  const rows = await tx.rows<{ lease: string }>(sql`
    select d.id || ' ' || d.lease_token as lease from json_to_recordset(${JSON.stringify(keys)}::json)
      as k (organization_id uuid, event_id uuid, id uuid, lease_token uuid)
    join webhook_deliveries d on d.organization_id = k.organization_id and d.event_id = k.event_id and d.id = k.id
      and d.lease_token = k.lease_token`)
  return new Set(rows.map(({ lease }) => lease))
}

/** The row of one attempt; columns of the table by name, bytes in base64. */
export type AttemptRow = Record<string, unknown>

/** Repeating it after a lost connection is harmless: the id exists. */
export async function insertAttempts(tx: Transaction, rows: readonly AttemptRow[]): Promise<void> {
  await tx.run(sql`
    insert into webhook_attempts (organization_id, event_id, id, delivery_id, subscription_id, series, attempt_no, counted,
      started_at, dns_ms, connect_ms, tls_ms, first_byte_ms, total_ms, connection_reused, resolved_ip, tls_version, url,
      request_headers, key_labels, response_status, response_headers, response_body, response_cut, retry_after, outcome,
      error_class, error_phase, error_detail, decision, next_attempt_at, worker, applied)
    select a.organization_id, a.event_id, a.id, a.delivery_id, a.subscription_id, a.series, a.attempt_no, a.counted,
      a.started_at, a.dns_ms, a.connect_ms, a.tls_ms, a.first_byte_ms, a.total_ms, a.connection_reused, a.resolved_ip,
      a.tls_version, a.url, a.request_headers, a.key_labels, a.response_status, a.response_headers,
      decode(a.response_body, 'base64'), a.response_cut, a.retry_after, a.outcome, a.error_class, a.error_phase,
      a.error_detail, a.decision, a.next_attempt_at, a.worker, a.applied
    from json_to_recordset(${JSON.stringify(rows)}::json) as a (organization_id uuid, event_id uuid, id uuid,
      delivery_id uuid, subscription_id uuid, series int, attempt_no int, counted boolean, started_at timestamptz,
      dns_ms real, connect_ms real, tls_ms real, first_byte_ms real, total_ms real, connection_reused boolean,
      resolved_ip text, tls_version text, url text, request_headers jsonb, key_labels text[], response_status int,
      response_headers jsonb, response_body text, response_cut text, retry_after text, outcome text, error_class text,
      error_phase text, error_detail text, decision text, next_attempt_at timestamptz, worker text, applied boolean)
    on conflict do nothing`)
}

/** How one delivery goes on. */
export interface DeliveryUpdate {
  organization_id: string
  event_id: string
  id: string
  lease_token: string
  status: string
  hold_reason: string | null
  attempt_no: number
  next_attempt_at: string | null
  faults: number
  last_status: number | null
  last_error_class: string | null
  is_final: boolean
}

export async function updateDeliveries(tx: Transaction, updates: readonly DeliveryUpdate[]): Promise<void> {
  await tx.run(sql`
    update webhook_deliveries d
    set status = u.status, hold_reason = u.hold_reason, attempt_no = u.attempt_no, next_attempt_at = u.next_attempt_at,
      faults = u.faults, last_status = u.last_status, last_error_class = u.last_error_class, updated_at = app_now(),
      completed_at = case when u.is_final then app_now() end,
      lease_token = null, lease_owner = null, lease_expires_at = null
    from json_to_recordset(${JSON.stringify(updates)}::json) as u (organization_id uuid, event_id uuid, id uuid,
      lease_token uuid, status text, hold_reason text, attempt_no int, next_attempt_at timestamptz, faults int,
      last_status int, last_error_class text, is_final boolean)
    where d.organization_id = u.organization_id and d.event_id = u.event_id and d.id = u.id
      and d.lease_token = u.lease_token`)
}

/** What a successful redelivery means for its source: recovered when it had been given up, done when it still waits. */
export async function recoverSources(
  tx: Transaction,
  sources: readonly { organization_id: string; event_id: string; id: string }[],
): Promise<void> {
  await tx.run(sql`
    update webhook_deliveries d
    set status = case when d.status = 'pending' then 'succeeded' else d.status end,
      next_attempt_at = null, updated_at = app_now(),
      completed_at = coalesce(d.completed_at, app_now()),
      recovered_at = case when d.status = 'pending' then d.recovered_at else coalesce(d.recovered_at, app_now()) end
    from json_to_recordset(${JSON.stringify(sources)}::json) as s (organization_id uuid, event_id uuid, id uuid)
    where d.organization_id = s.organization_id and d.event_id = s.event_id and d.id = s.id
      and d.status in ('pending', 'failed', 'discarded', 'expired')`)
}

export interface LaneUpdate {
  organization_id: string
  subscription_id: string
  consecutive_failures: number
  failing_since: string | null
  limit_now: number | null
  limit_halved_at: string | null
  success_run: number
  mean_ms: number | null
  last_attempt_at: string
  last_success_at: string | null
  last_error: LastErrorRow | null
}

export async function updateLanes(tx: Transaction, updates: readonly LaneUpdate[]): Promise<void> {
  await tx.run(sql`
    update webhook_lanes l
    set consecutive_failures = u.consecutive_failures, failing_since = u.failing_since, limit_now = u.limit_now, limit_halved_at = u.limit_halved_at,
      success_run = u.success_run, mean_ms = u.mean_ms,
      last_attempt_at = greatest(l.last_attempt_at, u.last_attempt_at),
      last_success_at = greatest(l.last_success_at, u.last_success_at),
      last_error = coalesce(u.last_error, l.last_error)
    from json_to_recordset(${JSON.stringify(updates)}::json) as u (organization_id uuid, subscription_id uuid,
      consecutive_failures int, failing_since timestamptz, limit_now int, limit_halved_at timestamptz, success_run int, mean_ms real,
      last_attempt_at timestamptz, last_success_at timestamptz, last_error jsonb)
    where l.organization_id = u.organization_id and l.subscription_id = u.subscription_id`)
}

/** The status change of a subscription whose last attempt failed once too often; answers when. */
export async function disableForFailures(
  tx: Transaction,
  { organization_id, subscription_id }: LockedLane,
  error: LastErrorRow | null,
  by: Actor,
): Promise<void> {
  const disabled = await tx.run(sql`
    update webhook_subscriptions
    set status = 'disabled', disabled_reason = 'failures', disabled_at = ${tx.now}, disabled_by = null,
      disabled_error = ${error && JSON.stringify(error)}, revision = revision + 1, updated_at = app_now()
    where organization_id = ${organization_id} and id = ${subscription_id} and status = 'active'`)
  if (disabled > 0) await recordRevision(tx, organization_id, subscription_id, by)
}

/** When keys were last used, to the minute: more would rewrite the row with every batch. */
export async function noteKeyUse(
  tx: Transaction,
  keys: readonly { organization_id: string; label: string }[],
): Promise<void> {
  await tx.run(sql`
    update webhook_signing_keys k set last_used_at = app_now()
    from json_to_recordset(${JSON.stringify(keys)}::json) as u (organization_id uuid, label text)
    where k.organization_id = u.organization_id and k.label = u.label`)
}
