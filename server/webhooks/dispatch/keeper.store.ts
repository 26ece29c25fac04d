import type { Transaction } from '#db/database.ts'
import { sql } from '#db/sql.ts'

/** Making a partition waits for running transactions and lets later ones wait meanwhile: not longer than this. */
export async function limitLockWait(tx: Transaction): Promise<void> {
  await tx.run(sql`set local lock_timeout = '2s'`)
}

/** The partitions of the week that begins `weeks` after the running one; false if they exist. */
export async function addPartitions(tx: Transaction, weeks: number): Promise<boolean> {
  const row = await tx.row<{ is_new: boolean }>(sql`
    select add_event_partitions(app_now() + ${weeks} * interval '7 days') as is_new`)
  return row?.is_new ?? false
}
