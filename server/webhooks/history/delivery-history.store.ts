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
