import type { Logger } from 'pino'
import { changeTables } from '#db/change-tables.ts'
import type { Database } from '#db/database.ts'
import { defaultPartitionRows, postponedDrops } from './metrics.ts'
import {
  countDefaultRows,
  dropWeek,
  hasUnsent,
  raiseFeedFloor,
  shutOthersOut,
  takeWeek,
  weeksOlderThan,
} from './partition-set.store.ts'

/** Deliveries that ended at the end of the retention stay visible and replayable for this long. */
export const days_after_retention = 7

export interface RetentionParts {
  database: Database
  log: Logger
  /** `STINT_RETENTION_DELIVERIES`. */
  retention_days: number
}

/**
 * Drops the weekly partitions whose last event is older than the retention and a week: events, bodies, deliveries and
 * attempts together, one week per transaction, nothing else. A week with deliveries that are still to be sent stays and
 * raises an alarm. False if a week could not be dropped now and is to be tried again soon.
 */
export async function dropWeeks({ database, log, retention_days }: RetentionParts): Promise<boolean> {
  const oldest_kept_days = retention_days + days_after_retention
  const weeks = await database.transaction({ role: 'engine' }, (tx) => weeksOlderThan(tx, oldest_kept_days))
  let postponed = 0
  let is_done = true
  for (const week of weeks) {
    try {
      const dropped = await changeTables(database, async (tx) => {
        if (!(await takeWeek(tx, week))) return 'elsewhere'
        if (await hasUnsent(tx, week)) return 'postponed'
        await raiseFeedFloor(tx, week)
        await shutOthersOut(tx)
        // Looked at again, now that it is in memory and nobody can change it: a delivery may have been repeated.
        if (await hasUnsent(tx, week)) return 'postponed'
        await raiseFeedFloor(tx, week)
        await dropWeek(tx, week)
        return 'dropped'
      })
      if (dropped === 'dropped') log.info({ week }, 'webhook_partitions_dropped')
      if (dropped !== 'postponed') continue
      postponed += 1
      log.error({ week }, 'webhook_partitions_kept_unsent')
    } catch (error) {
      // Others hold the tables, mostly: the week is as it was.
      is_done = false
      log.warn({ err: error, week }, 'webhook_partitions_not_dropped')
    }
  }
  postponedDrops.set(postponed)
  await watchDefaults(database, log)
  return is_done
}

/** Rows outside the weekly partitions are delivered as any, but no retention reaches them: a person has to look. */
async function watchDefaults(database: Database, log: Logger): Promise<void> {
  const rows = await database.transaction({ role: 'engine', read_only: true }, countDefaultRows)
  defaultPartitionRows.set(rows)
  if (rows > 0) log.error({ rows }, 'webhook_default_partition_not_empty')
}
