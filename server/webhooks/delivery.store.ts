import { createHash } from 'node:crypto'
import type { Transaction } from '#db/database.ts'
import { sql } from '#db/sql.ts'
import type { BodyChoice } from './event-body.ts'

export type DeliveryOrigin = 'event' | 'simulation' | 'redelivery' | 'replay'

/** A subscription as the fan-out sees it. */
export interface Subscriber extends BodyChoice {
  id: string
  status: 'active' | 'disabled'
  events: string[]
}

/** One event with the bodies and deliveries that are to be written for it. */
export interface DeliverySeed {
  event_id: string
  event_type: string
  is_simulation: boolean
  resource_ids: readonly string[]
  /** By rendering. */
  bodies: ReadonlyMap<string, Buffer>
  deliveries: readonly {
    id: string
    subscription_id: string
    rendering: string
    is_held: boolean
    source_delivery_id?: string
    replay_id?: string
  }[]
}

export function matchingSubscriptions(
  tx: Transaction,
  organization_id: string,
  types: readonly string[],
): Promise<Subscriber[]> {
  return tx.rows<Subscriber>(sql`
    select id, status, api_version, payload, sensitive_data, events from webhook_subscriptions
    where organization_id = ${organization_id} and status <> 'deleted' and events && ${types}::text[]`)
}

/**
 * Writes bodies, deliveries and resource ids of new or known events; due now, or held. Nothing waits for an answer in
 * between, so the three statements cost one round trip.
 */
export async function insertDeliveries(
  tx: Transaction,
  organization_id: string,
  origin: DeliveryOrigin,
  schedule_id: number,
  seeds: readonly DeliverySeed[],
): Promise<void> {
  await Promise.all([
    insertBodies(tx, organization_id, seeds),
    insertResourceIds(tx, organization_id, seeds),
    tx.run(sql`
      insert into webhook_deliveries (organization_id, event_id, id, subscription_id, event_type, is_simulation, rendering,
        origin, source_delivery_id, replay_id, status, hold_reason, schedule_id, next_attempt_at, created_at, updated_at)
      select ${organization_id}::uuid, d.event_id, d.id, d.subscription_id, d.event_type, d.is_simulation, d.rendering,
        ${origin}::text, d.source_delivery_id, d.replay_id,
        case when d.is_held then 'held' else 'pending' end, case when d.is_held then 'disabled' end,
        ${schedule_id}::smallint, case when d.is_held then null else app_now() end, app_now(), app_now()
      from json_to_recordset(${JSON.stringify(seeds.flatMap(deliveryRows))}::json)
        as d (event_id uuid, id uuid, subscription_id uuid, event_type text, is_simulation boolean, rendering text,
              source_delivery_id uuid, replay_id uuid, is_held boolean)`),
  ])
}

function deliveryRows({ event_id, event_type, is_simulation, deliveries }: DeliverySeed) {
  return deliveries.map((delivery) => ({ event_id, event_type, is_simulation, ...delivery }))
}

/** Bodies by rendering; one that is stored already stays as it is. */
export function insertBodies(
  tx: Transaction,
  organization_id: string,
  seeds: readonly DeliverySeed[],
): Promise<number> {
  const rows = seeds.flatMap(({ event_id, bodies }) =>
    [...bodies].map(([rendering, body]) => ({ event_id, rendering, body, digest: sha256Of(body) })),
  )
  return tx.run(sql`
    insert into event_bodies (organization_id, event_id, rendering, body, sha256)
    select ${organization_id}::uuid, b.event_id, b.rendering, b.body, b.sha256
    from unnest(${rows.map(({ event_id }) => event_id)}::uuid[], ${rows.map(({ rendering }) => rendering)}::text[],
                ${rows.map(({ body }) => body)}::bytea[], ${rows.map(({ digest }) => digest)}::bytea[])
      as b (event_id, rendering, body, sha256)
    on conflict do nothing`)
}

function insertResourceIds(tx: Transaction, organization_id: string, seeds: readonly DeliverySeed[]): Promise<number> {
  const rows = seeds.flatMap(({ event_id, resource_ids }) => resource_ids.map((id) => [event_id, id] as const))
  if (rows.length === 0) return Promise.resolve(0)
  return tx.run(sql`
    insert into event_resources (organization_id, event_id, resource_id)
    select ${organization_id}::uuid, r.event_id, r.resource_id
    from unnest(${rows.map(([event_id]) => event_id)}::uuid[], ${rows.map(([, id]) => id)}::uuid[])
      as r (event_id, resource_id)
    on conflict do nothing`)
}

function sha256Of(body: Buffer): Buffer {
  return createHash('sha256').update(body).digest()
}
