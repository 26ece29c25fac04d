import type { Transaction } from '#db/database.ts'
import { sql } from '#db/sql.ts'

/** The id of the schedule with these delays; two first users at once get the same row. */
export async function ensureSchedule(
  tx: Transaction,
  delays_ms: readonly number[],
): Promise<{ id: number; is_committed: boolean }> {
  const row = await tx.row<{ id: number; is_committed: boolean }>(sql`
    with known as (select id from webhook_schedules where delays_ms = ${delays_ms}::bigint[]),
    made as (
      insert into webhook_schedules (delays_ms)
      select ${delays_ms}::bigint[] where not exists (select from known)
      on conflict (delays_ms) do update set delays_ms = excluded.delays_ms
      returning id
    )
    select id, true as is_committed from known union all select id, false from made`)
  if (!row) throw new Error('the retry schedule was not written')
  return row
}
