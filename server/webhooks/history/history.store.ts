import type { ListQuery } from '#core/lists/list.ts'
import type { Transaction } from '#db/database.ts'
import { join, type Sql, sql } from '#db/sql.ts'
import type { DeliveryOrigin } from '../delivery.store.ts'

export interface DeliveryRow {
  id: string
  webhook_id: string
  event_id: string
  event_type: string
  is_simulation: boolean
  origin: DeliveryOrigin
  source_delivery_id: string | null
  replay_id: string | null
  status: 'pending' | 'sending' | 'held' | 'succeeded' | 'failed' | 'discarded' | 'cancelled' | 'expired'
  hold_reason: 'disabled' | 'internal' | null
  series: number
  attempt_no: number
  next_attempt_at: string | null
  last_status: number | null
  last_error_class: string | null
  created_at: string
  updated_at: string
  first_attempt_at: string | null
  completed_at: string | null
  recovered_at: string | null
}

const columns = sql`d.id, d.subscription_id as webhook_id, d.event_id, d.event_type, d.is_simulation, d.origin,
  d.source_delivery_id, d.replay_id, d.status, d.hold_reason, d.series, d.attempt_no, d.next_attempt_at, d.last_status,
  d.last_error_class, d.created_at, d.updated_at, d.first_attempt_at, d.completed_at, d.recovered_at`

export interface DeliveryFilter {
  statuses?: string[] | undefined
  event_types?: string[] | undefined
  origins?: string[] | undefined
  /** Inclusive. */
  since?: string | undefined
  /** Exclusive. */
  until?: string | undefined
  resource_id?: string | undefined
  event_id?: string | undefined
  is_simulation?: boolean | undefined
}

/** The deliveries of one subscription, also of a deleted one, newest first. */
export function deliveryList(organization_id: string, webhook_id: string, filter: DeliveryFilter): ListQuery {
  const where = conditions(organization_id, webhook_id, filter)
  return { columns, from: sql`webhook_deliveries d`, where, order: ['d.id'], updated_at: 'd.updated_at' }
}

/** Deliveries of a subscription that a stream looks at for changes: no index leads to a change, and none is worth it. */
export const watched_deliveries_max = 1_000

/** Those of the newest deliveries that changed at this time or later, in the order of their changes. */
export function changedDeliveries(
  tx: Transaction,
  organization_id: string,
  webhook_id: string,
  filter: DeliveryFilter,
  since: string,
): Promise<DeliveryRow[]> {
  const where = [...conditions(organization_id, webhook_id, filter), sql`d.updated_at >= ${since}`]
  return tx.rows<DeliveryRow>(sql`
    select ${columns} from (
      select * from webhook_deliveries newest
      where newest.organization_id = ${organization_id} and newest.subscription_id = ${webhook_id}
      order by newest.id desc limit ${watched_deliveries_max}
    ) d
    where ${join(where, ' and ')} order by d.updated_at, d.id`)
}

function conditions(organization_id: string, webhook_id: string, filter: DeliveryFilter): Sql[] {
  const { statuses, event_types, origins, since, until, resource_id, event_id, is_simulation } = filter
  const where: Sql[] = [sql`d.organization_id = ${organization_id}`, sql`d.subscription_id = ${webhook_id}`]
  if (statuses) where.push(sql`d.status = any (${statuses})`)
  if (event_types) where.push(sql`d.event_type = any (${event_types})`)
  if (origins) where.push(sql`d.origin = any (${origins})`)
  if (since) where.push(sql`d.created_at >= ${since}`)
  if (until) where.push(sql`d.created_at < ${until}`)
  if (event_id) where.push(sql`d.event_id = ${event_id}`)
  if (is_simulation !== undefined) where.push(sql`d.is_simulation = ${is_simulation}`)
  if (resource_id) {
    where.push(sql`d.event_id in (select r.event_id from event_resources r
      where r.organization_id = ${organization_id} and r.resource_id = ${resource_id})`)
  }
  return where
}

/** Whether the organization has, or had, this subscription: its history outlives it. */
export async function hasHistory(tx: Transaction, organization_id: string, webhook_id: string): Promise<boolean> {
  const row = await tx.row(sql`
    select from webhook_subscriptions where organization_id = ${organization_id} and id = ${webhook_id}`)
  return row !== undefined
}

export function findDelivery(
  tx: Transaction,
  organization_id: string,
  webhook_id: string,
  id: string,
): Promise<DeliveryRow | undefined> {
  return tx.row<DeliveryRow>(sql`
    select ${columns} from webhook_deliveries d
    where d.organization_id = ${organization_id} and d.subscription_id = ${webhook_id} and d.id = ${id}`)
}

/** The deliveries of one event to all subscriptions, newest first. */
export function deliveriesOfEvent(
  tx: Transaction,
  organization_id: string,
  event_id: string,
  rows_max: number,
): Promise<DeliveryRow[]> {
  return tx.rows<DeliveryRow>(sql`
    select ${columns} from webhook_deliveries d
    where d.organization_id = ${organization_id} and d.event_id = ${event_id} order by d.id desc limit ${rows_max}`)
}

export interface EventRow {
  event_id: string
  occurred_at: string
  is_simulation: boolean
  entries: Record<string, unknown>[]
}

/** The recorded facts of an event, with every sensitive field. */
export function findEvent(tx: Transaction, organization_id: string, event_id: string): Promise<EventRow | undefined> {
  return tx.row<EventRow>(sql`
    select event_id, occurred_at, is_simulation, resource as entries from events
    where organization_id = ${organization_id} and event_id = ${event_id}`)
}

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

/**
 * Takes one of the simulations of the rolling hour, with the lane locked; answers 0, or the whole seconds until the next
 * one is free. Exact, since every accepted call leaves its time.
 */
export async function takeSimulation(
  tx: Transaction,
  organization_id: string,
  subscription_id: string,
  per_hour_max: number,
): Promise<number> {
  const row = await tx.row<{ used: number; free_in_s: number }>(sql`
    select count(*)::int as used,
      coalesce(ceil(extract(epoch from min(at) + interval '1 hour' - app_now()))::int, 0) as free_in_s
    from webhook_lanes l cross join unnest(l.simulated_at) at
    where l.organization_id = ${organization_id} and l.subscription_id = ${subscription_id}
      and at > app_now() - interval '1 hour'`)
  if (row && row.used >= per_hour_max) return Math.max(1, row.free_in_s)
  await tx.run(sql`
    update webhook_lanes
    set simulated_at = array(select at from unnest(simulated_at) at where at > app_now() - interval '1 hour') || app_now()
    where organization_id = ${organization_id} and subscription_id = ${subscription_id}`)
  return 0
}

interface SimulatedEvent {
  organization_id: string
  event_id: string
  type: { type: { type: string } }
  occurred_at: string
  entries: readonly object[]
}

/** The call that asked for it. */
interface Cause {
  request_id: string
  trace_id: string | null
}

/** In the history like any event, but never in the feed. */
export async function insertSimulatedEvent(
  tx: Transaction,
  event: SimulatedEvent,
  { request_id, trace_id }: Cause,
): Promise<void> {
  await tx.run(sql`
    insert into events (organization_id, event_id, event_type, occurred_at, recorded_at, is_simulation, resource, request_id,
      trace_id)
    values (${event.organization_id}, ${event.event_id}, ${event.type.type.type}, ${event.occurred_at}, app_now(), true,
      ${JSON.stringify(event.entries)}, ${request_id}, ${trace_id})`)
}
