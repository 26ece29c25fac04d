import { sql } from '#db/database.ts'
import type { TestService } from './service.ts'

/** Fires what is due, in so many runs at once, and answers how many timers of a kind fired. */
export async function firedNow({ database, timers }: TestService, kind: string, runs = 1): Promise<number> {
  const fired = async () => {
    const row = await database.database.transaction({ role: 'engine' }, (tx) =>
      tx.row<{ fired: number }>(
        sql`select count(*)::int as fired from timers where kind = ${kind} and fired_at is not null`,
      ),
    )
    return row?.fired ?? 0
  }
  const before = await fired()
  await Promise.all(Array.from({ length: runs }, () => timers.runDue()))
  return (await fired()) - before
}
