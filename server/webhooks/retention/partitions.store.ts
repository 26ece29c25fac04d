import { sql, type Transaction } from '#db/database.ts'

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

/**
 * The partitions of the week that begins `weeks` after the running one; false if they exist. All tables are locked at
 * once and in the order of the engine: one by one, each with its default partition, deliveries and this wait in a circle.
 */
export async function addPartitions(tx: Transaction, weeks: number): Promise<boolean> {
  const moment = sql`(app_now() + ${weeks} * interval '7 days')`
  const week = await tx.row<{ is_missing: boolean }>(sql`
    select to_regclass('events_' || to_char(date_trunc('week', ${moment}, 'UTC') at time zone 'UTC', 'YYYYMMDD')) is null
      as is_missing`)
  if (!week?.is_missing) return false
  await shutOthersOut(tx)
  const row = await tx.row<{ is_new: boolean }>(sql`select add_event_partitions(${moment}) as is_new`)
  return row?.is_new ?? false
}

/** Weeks that ended at least this many days ago, the oldest first. */
export async function weeksOlderThan(tx: Transaction, days: number): Promise<string[]> {
  const rows = await tx.rows<{ week: string }>(sql`
    select week from (
      select right(c.relname, 8) as week from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = any (${[...partitionedTables]}::regclass[]) and c.relname ~ '_[0-9]{8}$') partition
    where (week::date + 7)::timestamp at time zone 'UTC' <= app_now() - ${days} * interval '1 day'
    group by week order by week limit ${weeks_max}`)
  return rows.map(({ week }) => week)
}

/** Drops the tables of a week, unless others drop it meanwhile or it holds deliveries that are still to be sent. */
export async function dropWeek(tx: Transaction, week: string): Promise<'dropped' | 'postponed' | 'elsewhere'> {
  if (!week_form.test(week)) throw new TypeError(`${week} is not the week of a partition`)
  const lock = await tx.row<{ is_ours: boolean }>(sql`
    select pg_try_advisory_xact_lock(hashtext('drop_event_partitions')) as is_ours`)
  if (!lock?.is_ours) return 'elsewhere'
  const table = await tx.row<{ exists: boolean }>(sql`
    select to_regclass(${`webhook_deliveries_${week}`}) is not null as exists`)
  if (!table?.exists) return 'elsewhere'
  if (await hasUnsent(tx, week)) return 'postponed'
  const raiseFloor = sql`call raise_event_feed_floor(${`events_${week}`}::regclass)`
  await tx.run(raiseFloor)
  await shutOthersOut(tx)
  // Looked at again, now that it is in memory and nobody can change it: a delivery may have been repeated.
  if (await hasUnsent(tx, week)) return 'postponed'
  // Readers of the feed that have not come past a week are told that they missed something.
  await tx.run(raiseFloor)
  await tx.run(sql`select drop_event_partitions(${week})`)
  return 'dropped'
}

/** True when a delivery of the week is still to be sent. */
async function hasUnsent(tx: Transaction, week: string): Promise<boolean> {
  const monday = sql`(${week}::date::timestamp at time zone 'UTC')`
  const row = await tx.row<{ is_kept: boolean }>(sql`
    select exists (select from webhook_open_deliveries where event_id >= first_id_at(${monday})
      and event_id < first_id_at(${monday} + interval '7 days')) as is_kept`)
  return row?.is_kept ?? false
}

/**
 * Keeps everybody from all weeks until the end of the transaction. The tables before their partitions, as every query
 * locks them, and in the order in which the engine does: the other way round whoever reads meanwhile holds what
 * this waits for, and waits for what this holds.
 */
async function shutOthersOut(tx: Transaction): Promise<void> {
  await tx.run(sql`
    lock table only events, only event_bodies, only event_resources, only webhook_attempts, only webhook_deliveries
    in access exclusive mode`)
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
