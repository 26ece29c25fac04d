import type { Transaction } from '#db/database.ts'
import { sql } from '#db/sql.ts'

/** The partitions of the week that begins `weeks` after the running one; false if they exist. */
export async function addPartitions(tx: Transaction, weeks: number): Promise<boolean> {
  const row = await tx.row<{ is_new: boolean }>(sql`
    select add_event_partitions(app_now() + ${weeks} * interval '7 days') as is_new`)
  return row?.is_new ?? false
}
