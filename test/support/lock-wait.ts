import assert from 'node:assert/strict'
import { sql } from '#db/database.ts'
import type { TestService } from './service.ts'

/** Resolves when a statement of the service's database waits for another transaction. */
export async function isWaitingForLock({ database: { database } }: Pick<TestService, 'database'>): Promise<void> {
  for (let looks = 0; looks < 10_000; looks += 1) {
    const waiting = await database.transaction({ role: 'owner' }, (tx) =>
      tx.row(
        sql`select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' limit 1`,
      ),
    )
    if (waiting) return
  }
  assert.fail('nothing waits for a lock')
}
