import type { Tenant } from '#core/caller.ts'
import type { ListQuery } from '#core/list.ts'
import type { Static } from '#core/schema/schema.ts'
import { join, raw, type Sql, sql, type Transaction } from '#db/database.ts'
import { Attempt, type AttemptRow } from './attempt.ts'
import { Delivery, type DeliveryRow, type deliveryFilters } from './delivery.ts'

export type DeliveryFilter = {
  [Name in keyof typeof deliveryFilters]?: Static<(typeof deliveryFilters)[Name]> | undefined
}

/** Columns are called as the fields that they are shown in, but for one. */
const columns = raw(
  Object.keys(Delivery.properties)
    .filter((name) => name !== 'expires_at')
    .map((name) => (name === 'webhook_id' ? 'd.subscription_id as webhook_id' : `d.${name}`))
    .join(', '),
)

/** The deliveries of one subscription, also of a deleted one, newest first. */
export function deliveryList(tenant: Tenant, subscription_id: string, filter: DeliveryFilter): ListQuery {
  const where = conditions(tenant, subscription_id, filter)
  return { columns, from: sql`all_webhook_deliveries d`, where, order: ['d.id'], updated_at: 'd.updated_at' }
}

/** Deliveries of a subscription that a stream looks at for changes: no index leads to a change, and none is worth it. */
export const watched_deliveries_max = 1_000

/** Those of the newest deliveries that changed at this time or later, in the order of their changes. */
export function changedDeliveries(
  tx: Transaction,
  tenant: Tenant,
  subscription_id: string,
  filter: DeliveryFilter,
  since: string,
): Promise<DeliveryRow[]> {
  const where = [...conditions(tenant, subscription_id, filter), sql`d.updated_at >= ${since}`]
  return tx.rows<DeliveryRow>(sql`
    select ${columns} from (
      select * from all_webhook_deliveries newest
      where newest.organization_id = ${tenant.organization_id} and newest.subscription_id = ${subscription_id}
      order by newest.id desc limit ${watched_deliveries_max}
    ) d
    where ${join(where, ' and ')} order by d.updated_at, d.id`)
}

function conditions({ organization_id }: Tenant, subscription_id: string, filter: DeliveryFilter): Sql[] {
  const { statuses, event_types, origins, since, until, resource_id, event_id, is_simulation } = filter
  const where: Sql[] = [sql`d.organization_id = ${organization_id}`, sql`d.subscription_id = ${subscription_id}`]
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

/** True when the organization has, or had, this subscription: its history outlives it. */
export async function hasHistory(tx: Transaction, { organization_id }: Tenant, subscription_id: string) {
  const row = await tx.row(sql`
    select from webhook_subscriptions where organization_id = ${organization_id} and id = ${subscription_id}`)
  return row !== undefined
}

export function findDelivery(tx: Transaction, { organization_id }: Tenant, subscription_id: string, id: string) {
  return tx.row<DeliveryRow>(sql`
    select ${columns} from all_webhook_deliveries d
    where d.organization_id = ${organization_id} and d.subscription_id = ${subscription_id} and d.id = ${id}`)
}

/** The deliveries of one event to all subscriptions, newest first. */
export function deliveriesOfEvent(tx: Transaction, { organization_id }: Tenant, event_id: string, rows_max: number) {
  return tx.rows<DeliveryRow>(sql`
    select ${columns} from all_webhook_deliveries d
    where d.organization_id = ${organization_id} and d.event_id = ${event_id} order by d.id desc limit ${rows_max}`)
}

/** A delivery has 11 attempts per series; repeats of lost ones end at 20. Of more, the newest are shown. */
const attempts_max = 100

const attempt_columns = raw(
  Object.keys(Attempt.properties)
    .filter((name) => name !== 'response_text')
    .join(', '),
)

/** The attempts of one delivery, oldest first. */
export function findAttempts(tx: Transaction, { organization_id }: Tenant, { id, event_id }: DeliveryRow) {
  return tx.rows<AttemptRow>(sql`
    select newest.* from (
      select ${attempt_columns} from webhook_attempts
      where organization_id = ${organization_id} and event_id = ${event_id} and delivery_id = ${id}
      order by id desc limit ${attempts_max}) newest
    order by newest.id`)
}

/** The stored bytes that every attempt of a delivery sends. */
export function findBody(tx: Transaction, { organization_id }: Tenant, { id, event_id }: DeliveryRow) {
  return tx.row<{ rendering: string; body: Buffer; sha256: Buffer }>(sql`
    select b.rendering, b.body, b.sha256
    from all_webhook_deliveries d
    join event_bodies b on b.organization_id = d.organization_id and b.event_id = d.event_id and b.rendering = d.rendering
    where d.organization_id = ${organization_id} and d.event_id = ${event_id} and d.id = ${id}`)
}

/** The recorded facts of an event, with every sensitive field. */
export interface RecordedEvent {
  organization_id: string
  event_id: string
  event_type: string
  occurred_at: string
  recorded_at: string
  is_simulation: boolean
  trace_id: string | null
  request_id: string | null
  entries: Record<string, unknown>[]
}

/** The events of these ids that are there, in no order. */
export function findEvents(tx: Transaction, { organization_id }: Tenant, event_ids: readonly string[]) {
  return tx.rows<RecordedEvent>(sql`
    select organization_id, event_id, event_type, occurred_at, recorded_at, is_simulation, trace_id, request_id,
      resource as entries
    from events where organization_id = ${organization_id} and event_id = any (${event_ids}::uuid[])`)
}

/**
 * Takes one of the simulations of the rolling hour, with the queue locked; answers 0, or the whole seconds until the next
 * one is free. Exact, since every accepted call leaves its time.
 */
export async function takeSimulation(
  tx: Transaction,
  { organization_id }: Tenant,
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
