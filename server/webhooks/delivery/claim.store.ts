import type { Transaction } from '#db/database.ts'
import { type Sql, sql } from '#db/sql.ts'
import type { DeliveryOrigin } from '../delivery.store.ts'
import type { Head } from './lane.ts'

/** A delivery that this process has leased, with everything an attempt needs but url and keys. */
export interface ClaimedRow {
  organization_id: string
  event_id: string
  id: string
  subscription_id: string
  event_type: string
  origin: DeliveryOrigin
  source_delivery_id: string | null
  schedule_id: number
  series: number
  attempt_no: number
  faults: number
  /** When it was due. */
  next_attempt_at: string
  body: Buffer
  trace_id: string | null
}

/** What a lane's attempts have in common, as it is at the claim. */
export interface LaneRow {
  organization_id: string
  subscription_id: string
  status: 'active' | 'disabled' | 'deleted'
  url: string
  events: string[]
  api_version: string
  /** Live keys, the primary one first. */
  labels: string[]
  sealed_keys: Buffer[]
  /** Attempts under way over all processes. */
  running: number
  consecutive_failures: number
  limit_now: number | null
  mean_ms: number | null
}

/** A lease outlasts the 30 s of an attempt by far; after it another process may take the delivery. */
export const lease_ms = 60_000

/** The given lanes. Nobody changes those that the caller has locked. */
export function readLanes(tx: Transaction, subscription_ids: readonly string[]): Promise<LaneRow[]> {
  return tx.rows<LaneRow>(sql`
    select s.organization_id, s.id as subscription_id, s.status, s.url, s.events, s.api_version, keys.labels,
      keys.sealed_keys, l.consecutive_failures, l.limit_now, l.mean_ms,
      (select count(*)::int from webhook_deliveries d
       where d.subscription_id = s.id and d.status = 'sending') as running
    from webhook_subscriptions s
    join webhook_lanes l on l.organization_id = s.organization_id and l.subscription_id = s.id
    cross join lateral (
      select coalesce(array_agg(k.label order by k.activates_at <= app_now() desc, k.activates_at desc), '{}') as labels,
        coalesce(array_agg(k.sealed order by k.activates_at <= app_now() desc, k.activates_at desc), '{}') as sealed_keys
      from webhook_signing_keys k
      where k.organization_id = s.organization_id and k.subscription_id = s.id and k.sealed is not null
        and (k.retires_at is null or k.retires_at > app_now())) keys
    where s.id = any (${subscription_ids}::uuid[])`)
}

/** Due deliveries of one lane and attempt number to take: while fewer than `room` of its lane are taken. */
export interface HeadClaim extends Head {
  subscription_id: string
  room: number
}

/**
 * Leases due deliveries of locked lanes. Furthest series first, then due time, then id: a backlog cannot keep the
 * leading delivery from finishing its series.
 */
export function leaseDue(
  tx: Transaction,
  heads: readonly HeadClaim[],
  lease: { token: string; owner: string },
): Promise<ClaimedRow[]> {
  return tx.rows<ClaimedRow>(leasing(heads, lease))
}

/**
 * One index probe per lane and attempt number, which ends after as many rows as there is room for. It begins where the
 * last one ended: index entries of what was taken stay for as long as an old snapshot is open, and each claim would walk
 * over all of them again.
 */
export function leasing(heads: readonly HeadClaim[], { token, owner }: { token: string; owner: string }): Sql {
  return sql`
    with candidate as materialized (
      select d.organization_id, d.event_id, d.id, head.room,
        row_number() over (partition by head.subscription_id
                           order by head.attempt_no desc, d.next_attempt_at, d.id) as place
      from unnest(${heads.map(({ subscription_id }) => subscription_id)}::uuid[],
                  ${heads.map(({ attempt_no }) => attempt_no)}::int[], ${heads.map(({ room }) => room)}::int[],
                  ${heads.map(({ due_at_ms }) => new Date(due_at_ms).toISOString())}::timestamptz[],
                  ${heads.map(({ id }) => id)}::uuid[])
        as head (subscription_id, attempt_no, room, due_from, id_from)
      cross join lateral (
        select d.organization_id, d.event_id, d.id, d.next_attempt_at from webhook_deliveries d
        where d.subscription_id = head.subscription_id and d.status = 'pending' and d.attempt_no = head.attempt_no
          and d.next_attempt_at <= app_now() and (d.next_attempt_at, d.id) >= (head.due_from, head.id_from)
        order by d.next_attempt_at, d.id limit head.room
        for update skip locked) d
    ), leased as (
      update webhook_deliveries d
      set status = 'sending', lease_token = ${token}, lease_owner = ${owner},
        lease_expires_at = app_now() + ${`${lease_ms} milliseconds`}::interval, updated_at = app_now(),
        first_attempt_at = coalesce(d.first_attempt_at, app_now())
      from candidate c
      where c.place <= c.room and d.organization_id = c.organization_id and d.event_id = c.event_id and d.id = c.id
      returning d.organization_id, d.event_id, d.id, d.subscription_id, d.event_type, d.origin, d.source_delivery_id,
        d.schedule_id, d.series, d.attempt_no, d.faults, d.next_attempt_at, d.rendering
    )
    select leased.organization_id, leased.event_id, leased.id, leased.subscription_id, leased.event_type, leased.origin,
      leased.source_delivery_id, leased.schedule_id, leased.series, leased.attempt_no, leased.faults,
      leased.next_attempt_at, b.body, e.trace_id
    from leased
    join event_bodies b on b.organization_id = leased.organization_id and b.event_id = leased.event_id
      and b.rendering = leased.rendering
    join events e on e.organization_id = leased.organization_id and e.event_id = leased.event_id
    order by leased.attempt_no desc, leased.next_attempt_at, leased.id`
}

/** A lease by the row it is on. */
export type Lease = Pick<ClaimedRow, 'organization_id' | 'event_id' | 'id'> & { lease_token: string }

/** Gives leased deliveries up that are not to be sent. */
export async function cancelLeased(tx: Transaction, leases: readonly Lease[]): Promise<void> {
  await endLeases(tx, leases, sql`status = 'cancelled', next_attempt_at = null, completed_at = app_now()`)
}

/** Gives leased deliveries back unsent: due as before. */
export async function giveBack(tx: Transaction, leases: readonly Lease[]): Promise<void> {
  await endLeases(tx, leases, sql`status = 'pending'`)
}

async function endLeases(tx: Transaction, leases: readonly Lease[], change: Sql): Promise<void> {
  const keys = leases.map(({ organization_id, event_id, id, lease_token }) => ({
    organization_id,
    event_id,
    id,
    lease_token,
  }))
  await tx.run(sql`
    update webhook_deliveries d
    set ${change}, lease_token = null, lease_owner = null, lease_expires_at = null, updated_at = app_now()
    from json_to_recordset(${JSON.stringify(keys)}::json) as k (organization_id uuid, event_id uuid, id uuid, lease_token uuid)
    where d.organization_id = k.organization_id and d.event_id = k.event_id and d.id = k.id
      and d.lease_token = k.lease_token`)
}
