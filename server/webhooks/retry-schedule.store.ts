import { sql, type Transaction } from '#db/database.ts'

/** The schedule without delays: one attempt. */
export const single_attempt = 0

/**
 * Retry schedules as rows, so that a series keeps the schedule it began with when the setting changes. `delays_ms[n]`
 * follows attempt n; attempt 0 is the first.
 */
export function createRetrySchedules(delays_ms: readonly number[]) {
  let current_id: number | undefined
  return {
    /** Id of the configured schedule; its row is made by the first delivery, and two first users get the same row. */
    async current(tx: Transaction): Promise<number> {
      if (current_id !== undefined) return current_id
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
      // A row of this transaction may still be rolled back.
      if (row.is_committed) current_id = row.id
      return row.id
    },
  }
}

export type RetrySchedules = ReturnType<typeof createRetrySchedules>
