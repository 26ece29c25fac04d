import type { Transaction } from '#db/database.ts'
import { sql } from '#db/sql.ts'
import { type MovingLane, moved_rows_max } from './move.store.ts'

/** Clocks of different transactions may differ by a little without anything being wrong. */
const slack = sql`interval '1 second'`
/** The longest wait after faults of our own. */
const faults_wait_max = sql`interval '300 seconds'`

/** A lane and attempt number whose furthest delivery waits longer than a schedule tells. */
export interface OverlongWait {
  subscription_id: string
  attempt_no: number
}

/** One probe per pair of lane and attempt number, however many deliveries wait. */
export function overlongWaits(tx: Transaction, pairs_max: number): Promise<OverlongWait[]> {
  return tx.rows<OverlongWait>(sql`
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

/** Pulls waits back that are longer than the position of the delivery allows: its own delay, 300 s after faults. */
export function clampWaits(tx: Transaction, lane: MovingLane, attempt_nos: readonly number[]): Promise<number> {
  return tx.run(sql`
    update webhook_deliveries d set next_attempt_at = app_now() + far.allowed, updated_at = app_now()
    from (
      select w.organization_id, w.event_id, w.id, a.allowed
      from unnest(${attempt_nos}::int[]) as n (attempt_no)
      join webhook_deliveries w on w.subscription_id = ${lane.subscription_id} and w.status = 'pending'
        and w.attempt_no = n.attempt_no and w.next_attempt_at > app_now() + ${slack}
      join webhook_schedules s on s.id = w.schedule_id
      cross join lateral (select case when w.faults > 0 then ${faults_wait_max}
        else coalesce(s.delays_ms[w.attempt_no], 0) * interval '1 millisecond' end as allowed) a
      where w.next_attempt_at > app_now() + ${slack} + a.allowed
      limit ${moved_rows_max}
    ) far
    where d.organization_id = far.organization_id and d.event_id = far.event_id and d.id = far.id`)
}
