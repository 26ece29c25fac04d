import { type Sql, sql, type Transaction } from '#db/database.ts'

/**
 * The place of the row of open delivery `d`, by which it is found again within the same statement, not by its key: the
 * table is mostly empty when it is analyzed, and by keys the planner joined from its side, walking a whole index to end three
 * deliveries (24,036 entries in the test). By place it can only probe. A row that moved meanwhile
 * is looked at once more: under another lease it stays.
 */
export const place_of_row = sql`d.ctid as row_place, d.lease_token`
export const is_in_place = sql`d.ctid = u.row_place and d.lease_token is not distinct from u.lease_token`

/** As a delivery is when nothing was tried since. */
const as_before = sql`d.attempt_no, d.last_status, d.last_error_class`

/**
 * The end of open deliveries, as two parts of a `with`: they leave their table and go into the history, where each is
 * written this one time. `chosen` are their places, each with the `status` that it ends in.
 */
export const ending = (chosen: Sql, last: Sql = as_before): Sql => sql`
  ended as (
    delete from webhook_open_deliveries d using (${chosen}) u where ${is_in_place}
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
