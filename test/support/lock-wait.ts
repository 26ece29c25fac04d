import assert from 'node:assert/strict'
import { sql } from '#db/database.ts'
import type { TestService } from './service.ts'

/** Resolves when so many statements of the service's database wait for other transactions. */
export async function isWaitingForLock(
  { database: { database } }: Pick<TestService, 'database'>,
  statements = 1,
): Promise<void> {
  for (let looks = 0; looks < 10_000; looks += 1) {
    const waiting = await database.transaction({ role: 'owner' }, (tx) =>
      tx.rows(sql`select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`),
    )
    if (waiting.length >= statements) return
  }
  assert.fail('nothing waits for a lock')
}
