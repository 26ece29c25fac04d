import type { Transaction } from '#db/database.ts'
import { sql } from '#db/sql.ts'

/**
 * How the statements of a turn are run; sent before the first of them.
 *
 * The commit answers before its log record is on disk: after a crash of the database the lease or the result is missing,
 * and the delivery is made again, which at-least-once allows (10–40 % more deliveries/s).
 *
 * Everything goes by index, one probe per row. The planner does not know how long an array is or what a `limit` from a
 * row comes to; it assumed a tenth of a backlog and read all deliveries to lease one (20,000 rows in the test).
 *
 * Nor is anything planned again for the values at hand: the tables have a partition per week, and planning a turn took
 * longer than running it (4.4 against 3.2 ms).
 */
export async function prepareTurn(tx: Transaction): Promise<void> {
  await tx.run(sql`
    select set_config('synchronous_commit', 'off', true), set_config('enable_seqscan', 'off', true),
      set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
      set_config('jit', 'off', true), set_config('plan_cache_mode', 'force_generic_plan', true)`)
}
