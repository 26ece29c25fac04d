import type { Transaction } from '#db/database.ts'
import { sql } from '#db/sql.ts'
import { shutOthersOut } from '../retention/partition-set.store.ts'

/**
 * The partitions of the week that begins `weeks` after the running one; false if they exist. All tables are locked at
 * once and in the order of the engine: one by one, each with its default partition, turns and this wait in a circle.
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
