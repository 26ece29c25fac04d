import { type Sql, sql, type Transaction } from '#db/database.ts'
import type { LeasedDelivery } from './deliver.ts'
import type { QueueFacts } from './schedule.ts'

/** Rows changed by one statement, so that a queue is never locked for long. */
export const changed_rows_max = 1_000

/** The queue of one subscription on which something is to be changed; read after it was locked. */
export interface LockedQueue {
  organization_id: string
  subscription_id: string
  status: 'active' | 'disabled' | 'deleted'
}

/** Locks one queue unless somebody works on it, and reads its status in a snapshot of after that. */
export async function lockQueue(tx: Transaction, subscription_id: string): Promise<LockedQueue | undefined> {
  const locked = await tx.row(sql`
    select from webhook_lanes where subscription_id = ${subscription_id} for update skip locked`)
  if (!locked) return undefined
  return tx.row<LockedQueue>(sql`
    select organization_id, id as subscription_id, status from webhook_subscriptions where id = ${subscription_id}`)
}

/** Changes deliveries `d`, at most so many at once. */
function change(tx: Transaction, which: Sql, how: Sql): Promise<number> {
  return tx.run(sql`
    update webhook_deliveries d set ${how}, updated_at = app_now()
    from (
      select d.organization_id, d.event_id, d.id, d.created_at from webhook_deliveries d
      where ${which} limit ${changed_rows_max}
    ) chosen
    where d.organization_id = chosen.organization_id and d.event_id = chosen.event_id and d.id = chosen.id`)
}

/** One status at a time, since each has its own partial index; all deliveries of a subscription are far more. */
const unsentOf = ({ subscription_id }: LockedQueue, status: 'pending' | 'held'): Sql =>
  status === 'pending'
    ? sql`d.subscription_id = ${subscription_id} and d.status = 'pending'`
    : sql`d.subscription_id = ${subscription_id} and d.status = 'held'`

const cancelled = sql`status = 'cancelled', hold_reason = null, next_attempt_at = null, completed_at = app_now()`

/** Deliveries of a disabled subscription that were to be sent are held. */
export function holdPending(tx: Transaction, queue: LockedQueue): Promise<number> {
  return change(tx, unsentOf(queue, 'pending'), sql`status = 'held', hold_reason = 'disabled', next_attempt_at = null`)
}

/** Unsent deliveries of a deleted subscription are given up. */
export async function cancelUnsent(tx: Transaction, queue: LockedQueue): Promise<number> {
  const pending = await change(tx, unsentOf(queue, 'pending'), cancelled)
  return pending + (await change(tx, unsentOf(queue, 'held'), cancelled))
}

/** Unsent deliveries of event types that the subscription lists no more are given up (interface specification 6.1). */
export async function cancelUnlisted(tx: Transaction, queue: LockedQueue): Promise<number> {
  const unlisted = sql`d.event_type <> all (
    select unnest(s.events) from webhook_subscriptions s where s.id = ${queue.subscription_id})`
  const pending = await change(tx, sql`${unsentOf(queue, 'pending')} and ${unlisted}`, cancelled)
  const gone = pending + (await change(tx, sql`${unsentOf(queue, 'held')} and ${unlisted}`, cancelled))
  if (gone === 0)
    await tx.run(sql`update webhook_lanes set has_unlisted = false where subscription_id = ${queue.subscription_id}`)
  return gone
}

const idsOf = async (tx: Transaction, statement: Sql): Promise<string[]> =>
  (await tx.rows<{ subscription_id: string }>(statement)).map(({ subscription_id }) => subscription_id)

/** Queues with event types taken away whose deliveries are not all cancelled yet; those released are cancelled at the claim. */
export function queuesWithUnlisted(tx: Transaction, queues_max: number): Promise<string[]> {
  return idsOf(tx, sql`select subscription_id from webhook_lanes where has_unlisted limit ${queues_max}`)
}

/** Queues that hold deliveries although they are not disabled: a loose scan, one probe per queue with held deliveries. */
export function queuesToRelease(tx: Transaction, queues_max: number): Promise<string[]> {
  return idsOf(
    tx,
    sql`
    with recursive queue as (
      (select subscription_id from webhook_deliveries where status = 'held' order by subscription_id limit 1)
      union all
      select next.subscription_id from queue cross join lateral (
        select d.subscription_id from webhook_deliveries d
        where d.status = 'held' and d.subscription_id > queue.subscription_id order by d.subscription_id limit 1) next
    )
    select s.id as subscription_id from queue
    join webhook_subscriptions s on s.id = queue.subscription_id and s.status <> 'disabled'
    join webhook_lanes l on l.subscription_id = s.id
    where s.status = 'deleted' or l.released_at is null or l.released_at <= app_now() - interval '1 second'
    limit ${queues_max}`,
  )
}

/** Held deliveries in the order of their ids. */
const oldestHeld = ({ subscription_id }: LockedQueue): Sql =>
  sql`d.subscription_id = ${subscription_id} and d.status = 'held' and d.hold_reason = 'disabled' order by d.id`

/** Held deliveries recorded up to the moment of a discarding enable end unsent: the oldest first. */
export function discardHeld(tx: Transaction, queue: LockedQueue): Promise<number> {
  return tx.run(sql`
    update webhook_deliveries d
    set status = 'discarded', hold_reason = null, completed_at = app_now(), updated_at = app_now()
    from (
      select d.organization_id, d.event_id, d.id, d.created_at from webhook_deliveries d
      where ${oldestHeld(queue)} limit ${changed_rows_max}
    ) oldest
    where d.organization_id = oldest.organization_id and d.event_id = oldest.event_id and d.id = oldest.id
      and oldest.created_at <= (
        select l.discard_before from webhook_lanes l where l.subscription_id = ${queue.subscription_id})`)
}

/**
 * Sends held deliveries in the order of their ids: a fresh series on the current schedule (one attempt stays one
 * attempt), at most `rate` per second, and none while `due_max` deliveries of the subscription are due.
 */
export async function releaseHeld(
  tx: Transaction,
  queue: LockedQueue,
  { rate, due_max, schedule_id }: { rate: number; due_max: number; schedule_id: number },
): Promise<number> {
  const { subscription_id } = queue
  await tx.run(sql`update webhook_lanes set released_at = app_now() where subscription_id = ${subscription_id}`)
  return tx.run(sql`
    update webhook_deliveries d
    set status = 'pending', hold_reason = null, series = d.series + 1, attempt_no = 0, next_attempt_at = app_now(),
      schedule_id = case when d.schedule_id = 0 then 0 else ${schedule_id} end, updated_at = app_now()
    from (
      select d.organization_id, d.event_id, d.id from webhook_deliveries d
      where ${oldestHeld(queue)}
      limit greatest(0, least(${rate}, ${due_max} - (
        select count(*) from (
          select from webhook_deliveries due
          where due.subscription_id = ${subscription_id} and due.status = 'pending' and due.next_attempt_at <= app_now()
          limit ${due_max}) due)))
    ) released
    where d.organization_id = released.organization_id and d.event_id = released.event_id and d.id = released.id`)
}

/** An event is as old as its id: only the partitions past the retention are looked into. */
const pastRetention = (retention_days: number): Sql =>
  sql`d.status = 'held' and d.event_id < first_id_at(app_now() - ${retention_days} * interval '1 day')`

/** Queues that hold deliveries of events older than the retention. */
export function queuesToExpire(tx: Transaction, retention_days: number, queues_max: number): Promise<string[]> {
  return idsOf(
    tx,
    sql`
    select distinct d.subscription_id from webhook_deliveries d where ${pastRetention(retention_days)} limit ${queues_max}`,
  )
}

/** Ends held deliveries unsent, whatever held them; they stay visible and replayable until their week is dropped. */
export function expireHeld(tx: Transaction, { subscription_id }: LockedQueue, retention_days: number): Promise<number> {
  return change(
    tx,
    sql`d.subscription_id = ${subscription_id} and ${pastRetention(retention_days)}`,
    sql`status = 'expired', hold_reason = null, completed_at = app_now()`,
  )
}

/** Clocks of different transactions may differ by a little without anything being wrong. */
const slack = sql`interval '1 second'`
/** The longest wait after faults of our own. */
const faults_wait_max = sql`interval '300 seconds'`

/** Pairs of queue and attempt number whose furthest delivery waits longer than a schedule tells: one probe per pair. */
export function overlongWaits(
  tx: Transaction,
  pairs_max: number,
): Promise<{ subscription_id: string; attempt_no: number }[]> {
  return tx.rows(sql`
    with recursive furthest as (
      (select subscription_id, attempt_no, next_attempt_at from webhook_deliveries where status = 'pending'
       order by subscription_id desc, attempt_no desc, next_attempt_at desc limit 1)
      union all
      select next.subscription_id, next.attempt_no, next.next_attempt_at
      from furthest cross join lateral (
        select d.subscription_id, d.attempt_no, d.next_attempt_at from webhook_deliveries d
        where d.status = 'pending' and (d.subscription_id, d.attempt_no) < (furthest.subscription_id, furthest.attempt_no)
        order by d.subscription_id desc, d.attempt_no desc, d.next_attempt_at desc limit 1) next
    )
    select f.subscription_id, f.attempt_no from furthest f
    where f.next_attempt_at > app_now() + ${slack} + coalesce(
      (select min(s.delays_ms[f.attempt_no]) from webhook_schedules s), 0) * interval '1 millisecond'
    limit ${pairs_max}`)
}

/** Shortens waits that are longer than the position of the delivery allows: its own delay, 300 s after faults. */
export function shortenWaits(
  tx: Transaction,
  { subscription_id }: LockedQueue,
  attempt_nos: readonly number[],
): Promise<number> {
  return tx.run(sql`
    update webhook_deliveries d set next_attempt_at = app_now() + far.allowed, updated_at = app_now()
    from (
      select w.organization_id, w.event_id, w.id, a.allowed
      from unnest(${attempt_nos}::int[]) as n (attempt_no)
      join webhook_deliveries w on w.subscription_id = ${subscription_id} and w.status = 'pending'
        and w.attempt_no = n.attempt_no and w.next_attempt_at > app_now() + ${slack}
      join webhook_schedules s on s.id = w.schedule_id
      cross join lateral (select case when w.faults > 0 then ${faults_wait_max}
        else coalesce(s.delays_ms[w.attempt_no], 0) * interval '1 millisecond' end as allowed) a
      where w.next_attempt_at > app_now() + ${slack} + a.allowed
      limit ${changed_rows_max}
    ) far
    where d.organization_id = far.organization_id and d.event_id = far.event_id and d.id = far.id`)
}

/** A delivery whose worker has not reported within its lease. */
export interface ExpiredLease extends LeasedDelivery {
  lease_owner: string
}

/** Leases of this many deliveries are watched; all processes together seldom have as many under way. */
const watched_max = 20_000

/** Tokens of the leases under way; one claim gives the same to all its deliveries. */
export async function leaseTokens(tx: Transaction): Promise<string[]> {
  const rows = await tx.rows<{ lease_token: string }>(sql`
    select distinct lease_token from (
      select lease_token from webhook_deliveries where status = 'sending' limit ${watched_max}) watched`)
  return rows.map(({ lease_token }) => lease_token)
}

/**
 * The oldest leases that have run out, those of `stale_tokens`, and where only one process can hold leases (`only_owner`)
 * those of any other. Only as many deliveries are leased as there are slots, so the index is small.
 */
export function expiredLeases(
  tx: Transaction,
  { stale_tokens, only_owner }: { stale_tokens: readonly string[]; only_owner: string | null },
  leases_max: number,
): Promise<ExpiredLease[]> {
  return tx.rows<ExpiredLease>(sql`
    select d.organization_id, d.event_id, d.id, d.subscription_id, d.event_type, d.origin, d.source_delivery_id,
      d.series, d.attempt_no, d.faults, d.next_attempt_at, d.lease_token, d.lease_owner, s.url,
      (c.delays_ms[d.attempt_no + 1])::float8 as delay_ms
    from webhook_deliveries d
    join webhook_schedules c on c.id = d.schedule_id
    join webhook_subscriptions s on s.organization_id = d.organization_id and s.id = d.subscription_id
    where d.status = 'sending' and (d.lease_expires_at <= app_now() or d.lease_token = any (${stale_tokens}::uuid[])
      or d.lease_owner <> ${only_owner}::text)
    order by d.lease_expires_at limit ${leases_max}`)
}

/** The earliest pending delivery of one queue and attempt number. */
export interface DueRow extends QueueFacts {
  subscription_id: string
  attempt_no: number
  next_attempt_at: string
  status: 'active' | 'disabled' | 'deleted'
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
      (select subscription_id, attempt_no, next_attempt_at, 1 as place from webhook_deliveries where status = 'pending'
       order by subscription_id, attempt_no, next_attempt_at limit 1)
      union all
      select next.subscription_id, next.attempt_no, next.next_attempt_at, head.place + 1
      from head cross join lateral (
        select d.subscription_id, d.attempt_no, d.next_attempt_at from webhook_deliveries d
        where d.status = 'pending' and (d.subscription_id, d.attempt_no) > (head.subscription_id, head.attempt_no)
        order by d.subscription_id, d.attempt_no, d.next_attempt_at limit 1) next
      where head.place < ${pairs_max}
    )
    select h.subscription_id, h.attempt_no, h.next_attempt_at, s.status, l.organization_id, l.consecutive_failures,
      l.limit_now, l.mean_ms
    from head h join webhook_subscriptions s on s.id = h.subscription_id
    join webhook_lanes l on l.subscription_id = h.subscription_id
    where s.status <> 'active' or h.next_attempt_at <= app_now() + ${`${horizon_ms} milliseconds`}::interval`)
}
