import type { Transaction } from '#db/database.ts'
import { type Sql, sql } from '#db/sql.ts'

/** Rows moved by one statement, so that a lane is never locked for long. */
export const moved_rows_max = 1_000

/** A lane on which something is to be moved; read after it was locked. */
export interface MovingLane {
  organization_id: string
  subscription_id: string
  status: 'active' | 'disabled' | 'deleted'
}

/** Locks one lane unless somebody works on it, and reads its status in a snapshot of after that. */
export async function lockLaneToMove(tx: Transaction, subscription_id: string): Promise<MovingLane | undefined> {
  const locked = await tx.row(sql`
    select from webhook_lanes where subscription_id = ${subscription_id} for update skip locked`)
  if (!locked) return undefined
  return tx.row<MovingLane>(sql`
    select organization_id, id as subscription_id, status from webhook_subscriptions where id = ${subscription_id}`)
}

/** Deliveries of a disabled subscription that were to be sent are held. */
export function holdPending(tx: Transaction, lane: MovingLane): Promise<number> {
  return move(tx, unsent.pending(lane), sql`status = 'held', hold_reason = 'disabled', next_attempt_at = null`)
}

/** Unsent deliveries of a deleted subscription are given up. */
export async function cancelUnsent(tx: Transaction, lane: MovingLane): Promise<number> {
  return (await move(tx, unsent.pending(lane), cancelled)) + (await move(tx, unsent.held(lane), cancelled))
}

/** Unsent deliveries of event types that the subscription lists no more are given up (interface specification 6.1). */
export async function cancelUnlisted(tx: Transaction, lane: MovingLane): Promise<number> {
  const unlisted = sql`d.event_type <> all (
    select unnest(s.events) from webhook_subscriptions s where s.id = ${lane.subscription_id})`
  const pending = sql`${unsent.pending(lane)} and ${unlisted}`
  const held = sql`${unsent.held(lane)} and ${unlisted}`
  return (await move(tx, pending, cancelled)) + (await move(tx, held, cancelled))
}

/** One status at a time, since each has its own partial index; all deliveries of a lane are far more. */
const unsent = {
  pending: (lane: MovingLane) => sql`d.subscription_id = ${lane.subscription_id} and d.status = 'pending'`,
  held: (lane: MovingLane) => sql`d.subscription_id = ${lane.subscription_id} and d.status = 'held'`,
}

const cancelled = sql`status = 'cancelled', hold_reason = null, next_attempt_at = null, completed_at = app_now()`

async function move(tx: Transaction, which: Sql, change: Sql): Promise<number> {
  return tx.run(sql`
    update webhook_deliveries d set ${change}, updated_at = app_now()
    from (
      select d.organization_id, d.event_id, d.id from webhook_deliveries d where ${which} limit ${moved_rows_max}
    ) moved
    where d.organization_id = moved.organization_id and d.event_id = moved.event_id and d.id = moved.id`)
}

/** Lanes with event types taken away whose deliveries are not all cancelled yet; those released are cancelled at the claim. */
export async function lanesWithUnlisted(tx: Transaction, lanes_max: number): Promise<string[]> {
  const rows = await tx.rows<{ subscription_id: string }>(sql`
    select subscription_id from webhook_lanes where has_unlisted limit ${lanes_max}`)
  return rows.map(({ subscription_id }) => subscription_id)
}

export async function clearUnlisted(tx: Transaction, { subscription_id }: MovingLane): Promise<void> {
  await tx.run(sql`update webhook_lanes set has_unlisted = false where subscription_id = ${subscription_id}`)
}

/** Lanes that hold deliveries although they are not disabled: a loose scan, one probe per lane with held deliveries. */
export async function lanesToRelease(tx: Transaction, lanes_max: number): Promise<string[]> {
  const rows = await tx.rows<{ subscription_id: string }>(sql`
    with recursive lane as (
      (select subscription_id from webhook_deliveries where status = 'held' order by subscription_id limit 1)
      union all
      select next.subscription_id from lane cross join lateral (
        select d.subscription_id from webhook_deliveries d
        where d.status = 'held' and d.subscription_id > lane.subscription_id order by d.subscription_id limit 1) next
    )
    select s.id as subscription_id from lane
    join webhook_subscriptions s on s.id = lane.subscription_id and s.status <> 'disabled'
    join webhook_lanes l on l.subscription_id = s.id
    where s.status = 'deleted' or l.released_at is null or l.released_at <= app_now() - interval '1 second'
    limit ${lanes_max}`)
  return rows.map(({ subscription_id }) => subscription_id)
}

/** Held deliveries recorded up to the moment of a discarding enable end unsent: the oldest first. */
export function discardHeld(tx: Transaction, { subscription_id }: MovingLane): Promise<number> {
  return tx.run(sql`
    update webhook_deliveries d
    set status = 'discarded', hold_reason = null, completed_at = app_now(), updated_at = app_now()
    from (
      select d.organization_id, d.event_id, d.id, d.created_at from webhook_deliveries d
      where d.subscription_id = ${subscription_id} and d.status = 'held' and d.hold_reason = 'disabled'
      order by d.id limit ${moved_rows_max}
    ) oldest
    where d.organization_id = oldest.organization_id and d.event_id = oldest.event_id and d.id = oldest.id
      and oldest.created_at <= (select l.discard_before from webhook_lanes l where l.subscription_id = ${subscription_id})`)
}

/**
 * Sends held deliveries in the order of their ids: a fresh series on the current schedule (one attempt stays one
 * attempt), at most `rate` per second, and none while `due_max` deliveries of the lane are due.
 */
export async function releaseHeld(
  tx: Transaction,
  { subscription_id }: MovingLane,
  { rate, due_max, schedule_id }: { rate: number; due_max: number; schedule_id: number },
): Promise<number> {
  await tx.run(sql`update webhook_lanes set released_at = app_now() where subscription_id = ${subscription_id}`)
  return tx.run(sql`
    update webhook_deliveries d
    set status = 'pending', hold_reason = null, series = d.series + 1, attempt_no = 0, next_attempt_at = app_now(),
      schedule_id = case when d.schedule_id = 0 then 0 else ${schedule_id} end, updated_at = app_now()
    from (
      select d.organization_id, d.event_id, d.id from webhook_deliveries d
      where d.subscription_id = ${subscription_id} and d.status = 'held' and d.hold_reason = 'disabled'
      order by d.id
      limit greatest(0, least(${rate}, ${due_max} - (
        select count(*) from (
          select from webhook_deliveries due
          where due.subscription_id = ${subscription_id} and due.status = 'pending' and due.next_attempt_at <= app_now()
          limit ${due_max}) due)))
    ) released
    where d.organization_id = released.organization_id and d.event_id = released.event_id and d.id = released.id`)
}
