import { sql, type Transaction } from '#db/database.ts'

export interface QueueDepth {
  pending: number
  sending: number
  held: number
  held_internal: number
}

/** Counts end here, so that a scrape costs the same whatever waits. */
const counted_max = 100_000
const limit_ms = 2_000

/** Seconds that the oldest event has waited for its place in the feed: recorded, and told to no reader. */
export async function readFeedLag(tx: Transaction): Promise<number> {
  const row = await tx.row<{ lag_s: number }>(sql`
    select greatest(0, extract(epoch from app_now() - e.recorded_at))::float8 as lag_s from events e
    where e.feed_seq is null and not e.is_simulation order by e.event_id limit 1`)
  return row?.lag_s ?? 0
}

/** Deliveries of all organizations that wait, are under way and are held, each counted up to 100,000. */
export async function readQueueDepth(tx: Transaction): Promise<QueueDepth> {
  await tx.run(sql`select set_config('statement_timeout', ${String(limit_ms)}, true)`)
  const row = await tx.row<QueueDepth>(sql`
    select
      (select count(*)::int from (
        select from webhook_open_deliveries where status = 'pending' limit ${counted_max}) d) as pending,
      (select count(*)::int from (
        select from webhook_open_deliveries where status = 'sending' limit ${counted_max}) d) as sending,
      held.counted as held, held.internal as held_internal
    from (
      select count(*)::int as counted, (count(*) filter (where hold_reason = 'internal'))::int as internal
      from (select hold_reason from webhook_open_deliveries where status = 'held' limit ${counted_max}) d) held`)
  return row ?? { pending: 0, sending: 0, held: 0, held_internal: 0 }
}
