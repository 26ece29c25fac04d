import type { Transaction } from '#db/database.ts'
import { ensureSchedule } from './retry-schedule.store.ts'

/** The schedule without delays: one attempt. */
export const single_attempt = 0

/**
 * Retry schedules as rows, so that a series keeps the schedule it began with when the setting changes. `delays_ms[n]`
 * follows attempt n; attempt 0 is the first.
 */
export function createRetrySchedules(delays_ms: readonly number[]) {
  let current_id: number | undefined
  return {
    /** Id of the configured schedule; its row is made by the first delivery. */
    async current(tx: Transaction): Promise<number> {
      if (current_id !== undefined) return current_id
      const { id, is_committed } = await ensureSchedule(tx, delays_ms)
      // A row of this transaction may still be rolled back.
      if (is_committed) current_id = id
      return id
    },
  }
}

export type RetrySchedules = ReturnType<typeof createRetrySchedules>
