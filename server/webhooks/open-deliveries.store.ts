import { type Sql, sql, type Transaction } from '#db/database.ts'

/** What names an open delivery `d`: one that was leased or recorded meanwhile is another. */
export const open_key = sql`d.organization_id, d.event_id, d.id, d.lease_token`

/** Holds for open delivery `d` and a row `u` with its key. */
export const is_same = sql`d.organization_id = u.organization_id and d.event_id = u.event_id and d.id = u.id
  and d.lease_token is not distinct from u.lease_token`

/** As a delivery is when nothing was tried since. */
const as_before = sql`d.attempt_no, d.last_status, d.last_error_class`

/**
 * The end of open deliveries, as two parts of a `with`: they leave their table and go into the history, where each is
 * written this one time. `chosen` are their keys, each with the `status` that it ends in.
 */
export const ending = (chosen: Sql, last: Sql = as_before): Sql => sql`
  ended as (
    delete from webhook_open_deliveries d using (${chosen}) u where ${is_same}
    returning d.organization_id, d.event_id, d.id, d.subscription_id, d.event_type, d.is_simulation, d.rendering,
      d.origin, d.source_delivery_id, d.replay_id, u.status, d.schedule_id, d.series, ${last}, d.created_at,
      app_now() as updated_at, d.first_attempt_at, app_now() as completed_at
  ), history as (
    insert into webhook_deliveries (organization_id, event_id, id, subscription_id, event_type, is_simulation, rendering,
      origin, source_delivery_id, replay_id, status, schedule_id, series, attempt_no, last_status, last_error_class,
      created_at, updated_at, first_attempt_at, completed_at)
    select * from ended
  )`

/** Ends the open deliveries that are chosen, unsent; answers how many. */
export async function endDeliveries(tx: Transaction, chosen: Sql): Promise<number> {
  const row = await tx.row<{ ended: number }>(sql`with ${ending(chosen)} select count(*)::int as ended from ended`)
  return row?.ended ?? 0
}
