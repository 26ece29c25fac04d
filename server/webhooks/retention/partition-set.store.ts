import type { Transaction } from '#db/database.ts'
import { raw, sql } from '#db/sql.ts'

/** Tables that are partitioned by week with identical bounds: all rows of one event lie in one set. */
export const partitionedTables = [
  'events',
  'event_resources',
  'event_bodies',
  'webhook_deliveries',
  'webhook_attempts',
] as const

/** Monday of a week as the names of its partitions end: `20260302`. */
const week_form = /^\d{8}$/

/** Weeks dropped by one run; the next run takes the rest. */
const weeks_max = 52

/** Weeks that ended at least this many days ago, the oldest first. */
export async function weeksOlderThan(tx: Transaction, days: number): Promise<string[]> {
  const rows = await tx.rows<{ week: string }>(sql`
    select week from (
      select right(c.relname, 8) as week from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = any (array['events', 'event_resources', 'event_bodies', 'webhook_deliveries',
                                     'webhook_attempts']::regclass[]) and c.relname ~ '_[0-9]{8}$') partition
    where (week::date + 7)::timestamp at time zone 'UTC' <= app_now() - ${days} * interval '1 day'
    group by week order by week limit ${weeks_max}`)
  return rows.map(({ week }) => week)
}

/** Whether a week holds deliveries that are still to be sent; three probes of partial indexes. */
export async function hasUnsent(tx: Transaction, week: string): Promise<boolean> {
  const deliveries = partition('webhook_deliveries', week)
  const row = await tx.row<{ is_kept: boolean }>(sql`
    select exists (select from ${deliveries} where status = 'pending')
        or exists (select from ${deliveries} where status = 'sending')
        or exists (select from ${deliveries} where status = 'held') as is_kept`)
  return row?.is_kept ?? false
}

/** Keeps everybody from the deliveries of a week until the end of the transaction; false if somebody else drops it. */
export async function lockWeek(tx: Transaction, week: string): Promise<boolean> {
  const lock = await tx.row<{ is_ours: boolean }>(sql`
    select pg_try_advisory_xact_lock(hashtext('drop_event_partitions')) as is_ours`)
  if (!lock?.is_ours) return false
  const table = await tx.row<{ exists: boolean }>(sql`
    select to_regclass(${`webhook_deliveries_${checked(week)}`}) is not null as exists`)
  if (!table?.exists) return false
  await tx.run(sql`lock table ${partition('webhook_deliveries', week)} in access exclusive mode`)
  return true
}

/** Drops the tables of a week; readers of the feed that have not come past it are told that they missed something. */
export async function dropWeek(tx: Transaction, week: string): Promise<void> {
  await tx.run(sql`call raise_event_feed_floor(${`events_${checked(week)}`}::regclass)`)
  for (const table of partitionedTables) await tx.run(sql`drop table if exists ${partition(table, week)}`)
}

/** A count that no longer matters ends here. */
const default_rows_max = 10_000

/** Events and deliveries that lie outside the weekly partitions, up to 10,000. */
export async function countDefaultRows(tx: Transaction): Promise<number> {
  const row = await tx.row<{ rows: number }>(sql`
    select count(*)::int as rows from (
      (select from events_default limit ${default_rows_max})
      union all (select from webhook_deliveries_default limit ${default_rows_max})) outside`)
  return row?.rows ?? 0
}

function partition(table: string, week: string) {
  return raw(`${table}_${checked(week)}`)
}

function checked(week: string): string {
  if (!week_form.test(week)) throw new TypeError(`${week} is not the week of a partition`)
  return week
}
