import { raw, type Sql, sql, type Transaction } from '#db/database.ts'
import { endDeliveries, is_in_place, lease_ms, leased_columns, place_of_row, type QueueRow } from './deliver.store.ts'
import type { LeasedDelivery } from './deliver.ts'
import type { QueueFacts } from './schedule.ts'

/** Rows changed by one statement, so that a queue is never locked for long. */
const changed_rows_max = 1_000
/** Queues locked by one transaction. */
const queues_max = 20

/** Queues of these subscriptions that nobody works on, locked: what follows in the transaction sees them as they are. */
export async function lockFree(tx: Transaction, subscription_ids: Sql): Promise<string[]> {
  const rows = await tx.rows<{ subscription_id: string }>(sql`
    select subscription_id from webhook_lanes where subscription_id in (${subscription_ids} limit ${queues_max})
    order by subscription_id for update skip locked`)
  return rows.map(({ subscription_id }) => subscription_id)
}

/** The queue of one subscription, locked; undefined while somebody works on it. */
export async function lockQueue(tx: Transaction, subscription_id: string) {
  const [locked] = await lockFree(tx, sql`select ${subscription_id}::uuid`)
  if (locked === undefined) return undefined
  return tx.row<Pick<QueueRow, 'organization_id' | 'status'>>(sql`
    select organization_id, status from webhook_subscriptions where id = ${subscription_id}`)
}

/** Changes the open deliveries that are chosen. */
function change(tx: Transaction, how: Sql, chosen: Sql): Promise<number> {
  return tx.run(sql`
    update webhook_open_deliveries d set ${how}, updated_at = app_now() from (${chosen}) u where ${is_in_place}`)
}

/** Those of the given subscriptions that are not active although deliveries of theirs wait to be sent. */
export const stopped = (subscription_ids: readonly string[]): Sql => sql`
  select s.id from webhook_subscriptions s where s.id = any (${subscription_ids}::uuid[]) and s.status <> 'active'
    and exists (select from webhook_open_deliveries d where d.subscription_id = s.id and d.status = 'pending')`

/** Deliveries that were to be sent are held for a disabled subscription, and given up for a deleted one. */
export async function stop(tx: Transaction, subscription_ids: readonly string[]): Promise<number> {
  const pendingOf = (status: 'disabled' | 'deleted') => sql`
    select ${place_of_row}, 'cancelled' as status from webhook_subscriptions s
    join webhook_open_deliveries d on d.subscription_id = s.id and d.status = 'pending'
    where s.id = any (${subscription_ids}::uuid[]) and s.status = ${status} limit ${changed_rows_max}`
  const held = sql`status = 'held', hold_reason = 'disabled', next_attempt_at = null`
  return (await endDeliveries(tx, pendingOf('deleted'))) + (await change(tx, held, pendingOf('disabled')))
}

/** Subscriptions with event types taken away whose deliveries are not all cancelled yet. */
export const unlisted = sql`select subscription_id from webhook_lanes where has_unlisted`

/**
 * Unsent deliveries of event types that the subscription lists no more are given up (interface specification 6.1). One
 * status at a time, since each has its own partial index; those sent meanwhile are cancelled at their next claim.
 */
export async function cancelUnlisted(tx: Transaction, subscription_ids: readonly string[]): Promise<number> {
  let cancelled = 0
  for (const status of ['pending', 'held']) {
    const chosen = sql`
      select ${place_of_row}, 'cancelled' as status from webhook_subscriptions s
      join webhook_open_deliveries d on d.subscription_id = s.id and d.status = ${raw(`'${status}'`)}
      where s.id = any (${subscription_ids}::uuid[]) and d.event_type <> all (s.events) limit ${changed_rows_max}`
    cancelled += await endDeliveries(tx, chosen)
  }
  if (cancelled === 0)
    await tx.run(sql`
      update webhook_lanes set has_unlisted = false where subscription_id = any (${subscription_ids}::uuid[])`)
  return cancelled
}

/** Held delivery `held` ends unsent: of a deleted subscription, or recorded before an enable that discards. */
const is_to_end = sql`(s.status = 'deleted' or s.status = 'active' and held.created_at <= l.discard_before)`

/** Subscriptions by the first of the deliveries that they hold although they are not disabled: two probes for each that holds any. */
const holding = (condition: Sql): Sql => sql`
  with recursive queue as (
    (select subscription_id from webhook_open_deliveries where status = 'held' order by subscription_id limit 1)
    union all
    select next.subscription_id from queue cross join lateral (
      select d.subscription_id from webhook_open_deliveries d
      where d.status = 'held' and d.subscription_id > queue.subscription_id order by d.subscription_id limit 1) next
  )
  select s.id from queue
  join webhook_subscriptions s on s.id = queue.subscription_id and s.status <> 'disabled'
  join webhook_lanes l on l.subscription_id = s.id
  cross join lateral (
    select held.created_at from webhook_open_deliveries held
    where held.subscription_id = s.id and held.status = 'held'
      and (s.status = 'deleted' or held.hold_reason = 'disabled')
    order by held.id limit 1) held
  where ${condition}`

/** Subscriptions that hold what is to end. */
export const endingHeld = holding(is_to_end)

/** Active subscriptions that hold deliveries to be sent, once a second. */
export const releasing = holding(sql`
  ${is_to_end} is not true and (l.released_at is null or l.released_at <= app_now() - interval '1 second')`)

/** Held deliveries that are to end unsent. */
export const heldToEnd = (subscription_ids: readonly string[]): Sql => sql`
  select ${place_of_row}, case when s.status = 'deleted' then 'cancelled' else 'discarded' end as status
  from webhook_subscriptions s join webhook_lanes l on l.subscription_id = s.id
  cross join lateral (
    select held.ctid, held.*, ${is_to_end} as is_to_end from webhook_open_deliveries held
    where held.subscription_id = s.id and held.status = 'held'
      and (s.status = 'deleted' or held.hold_reason = 'disabled')
    order by held.id limit ${changed_rows_max}) d
  where s.id = any (${subscription_ids}::uuid[]) and d.is_to_end
  limit ${changed_rows_max}`

/**
 * Sends held deliveries in the order of their ids: a fresh series on the current schedule (one attempt stays one
 * attempt), at most `rate` per second and subscription, and none while `due_max` deliveries of it are due.
 */
export async function releaseHeld(
  tx: Transaction,
  subscription_ids: readonly string[],
  { rate, due_max, schedule_id }: { rate: number; due_max: number; schedule_id: number },
): Promise<number> {
  await tx.run(sql`
    update webhook_lanes set released_at = app_now() where subscription_id = any (${subscription_ids}::uuid[])`)
  return change(
    tx,
    sql`status = 'pending', hold_reason = null, series = d.series + 1, attempt_no = 0, next_attempt_at = app_now(),
      schedule_id = case when d.schedule_id = 0 then 0 else ${schedule_id} end`,
    sql`
      select ${place_of_row} from webhook_subscriptions s join webhook_lanes l on l.subscription_id = s.id
      cross join lateral (
        select held.ctid, held.* from webhook_open_deliveries held
        where held.subscription_id = s.id and held.status = 'held' and held.hold_reason = 'disabled'
          and ${is_to_end} is not true
        order by held.id limit greatest(0, least(${rate}, ${due_max} - (
          select count(*) from (
            select from webhook_open_deliveries due
            where due.subscription_id = s.id and due.status = 'pending' and due.next_attempt_at <= app_now()
            limit ${due_max}) due)))) d
      where s.id = any (${subscription_ids}::uuid[]) and s.status = 'active'`,
  )
}

/** An event is as old as its id. */
const pastRetention = (retention_days: number): Sql =>
  sql`d.status = 'held' and d.event_id < first_id_at(app_now() - ${retention_days} * interval '1 day')`

/** Subscriptions that hold deliveries of events older than the retention. */
export const outlived = (retention_days: number): Sql =>
  sql`select distinct d.subscription_id from webhook_open_deliveries d where ${pastRetention(retention_days)}`

/** Held deliveries that are to end unsent, whatever held them; they stay visible and replayable until their week is dropped. */
export const heldTooLong = (subscription_ids: readonly string[], retention_days: number): Sql => sql`
  select ${place_of_row}, 'expired' as status from webhook_open_deliveries d
  where d.subscription_id = any (${subscription_ids}::uuid[]) and ${pastRetention(retention_days)}
  limit ${changed_rows_max}`

/** Clocks of different transactions may differ by this much without anything being wrong. */
const slack = sql`interval '1 second'`

/**
 * After the clock was put back: shortens waits that are longer than the position of a delivery allows (its own delay,
 * 300 s after faults) and leases that end later than a new one. Answers how many, or null when none was left.
 */
export async function shortenWaits(tx: Transaction): Promise<number | null> {
  const lease = sql`${`${lease_ms} milliseconds`}::interval`
  const too_long = sql`status = 'sending' and lease_expires_at > app_now() + ${slack} + ${lease}`
  // Under the locks of their queues: a result that is being recorded finds its row where it was.
  await tx.run(sql`
    select from webhook_lanes where subscription_id in (select subscription_id from webhook_open_deliveries where ${too_long})
    order by subscription_id for update`)
  const leases = await tx.run(sql`
    update webhook_open_deliveries set lease_expires_at = app_now() + ${lease} where ${too_long}`)
  const waits = await change(
    tx,
    sql`next_attempt_at = app_now() + u.allowed`,
    sql`
      select ${place_of_row}, a.allowed from webhook_open_deliveries d
      join webhook_schedules s on s.id = d.schedule_id
      cross join lateral (select case when d.faults > 0 then interval '300 seconds'
        else coalesce(s.delays_ms[d.attempt_no], 0) * interval '1 millisecond' end as allowed) a
      where d.status = 'pending' and d.next_attempt_at > app_now() + ${slack} + a.allowed
      limit ${changed_rows_max} for update of d skip locked`,
  )
  return leases + waits || null
}

/** A delivery whose worker has not reported within its lease. */
export interface ExpiredLease extends LeasedDelivery {
  lease_owner: string
}

/**
 * The oldest leases that have run out and, where only one process can hold leases (`only_owner`), those of any other.
 * Only as many deliveries are leased as there are slots, so the index is small.
 */
export function expiredLeases(tx: Transaction, only_owner: string | null, leases_max: number): Promise<ExpiredLease[]> {
  return tx.rows<ExpiredLease>(sql`
    select ${leased_columns}, d.lease_owner, s.url from webhook_open_deliveries d
    join webhook_schedules c on c.id = d.schedule_id
    join webhook_subscriptions s on s.organization_id = d.organization_id and s.id = d.subscription_id
    where d.status = 'sending' and (d.lease_expires_at <= app_now() or d.lease_owner <> ${only_owner}::text)
    order by d.lease_expires_at limit ${leases_max}`)
}

/** The earliest pending delivery of one queue and attempt number. */
export interface DueRow extends QueueFacts {
  subscription_id: string
  attempt_no: number
  next_attempt_at: string
  status: QueueRow['status']
}

/** Pairs of queue and attempt number looked at in one round. */
const pairs_max = 50_000

/**
 * Deliveries due within the horizon, and everything pending of subscriptions that are not active: a loose scan of the
 * due index, one probe per pair, however many deliveries wait (24 ms for 1,001 queues, one of them with 100,000 due
 * rows).
 */
export function readDue(tx: Transaction, horizon_ms: number): Promise<DueRow[]> {
  return tx.rows<DueRow>(sql`
    with recursive head as (
      (select subscription_id, attempt_no, next_attempt_at, 1 as place from webhook_open_deliveries where status = 'pending'
       order by subscription_id, attempt_no, next_attempt_at limit 1)
      union all
      select next.subscription_id, next.attempt_no, next.next_attempt_at, head.place + 1
      from head cross join lateral (
        select d.subscription_id, d.attempt_no, d.next_attempt_at from webhook_open_deliveries d
        where d.status = 'pending' and (d.subscription_id, d.attempt_no) > (head.subscription_id, head.attempt_no)
        order by d.subscription_id, d.attempt_no, d.next_attempt_at limit 1) next
      where head.place < ${pairs_max}
    )
    select h.subscription_id, h.attempt_no, h.next_attempt_at, s.status, l.organization_id, l.consecutive_failures,
      l.window_size, l.is_quick
    from head h join webhook_subscriptions s on s.id = h.subscription_id
    join webhook_lanes l on l.subscription_id = h.subscription_id
    where s.status <> 'active' or h.next_attempt_at <= app_now() + ${`${horizon_ms} milliseconds`}::interval`)
}
