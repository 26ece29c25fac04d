import { createJob } from '#core/jobs/job.ts'
import { changeTables } from '#db/change-tables.ts'
import type { Engine } from '../delivery/deliver.ts'
import { defaultPartitionRows, partitionsAhead, postponedDrops } from '../metrics.ts'
import { addPartitions, countDefaultRows, dropWeek, weeksOlderThan } from './partitions.store.ts'

/** Deliveries that ended at the end of the retention stay visible and replayable for this long. */
export const days_after_retention = 7
/** The week that runs and these after it. */
const weeks_ahead = 4
const every_ms = 3_600_000
/** Pause before the next try when others kept a week from being dropped. */
const again_ms = 60_000

type RetentionParts = Pick<Engine, 'database' | 'log' | 'retention_days'>

/** Makes the partitions of the weeks to come and drops those past the retention, once an hour. */
export function createPartitionLoop(parts: RetentionParts) {
  return createJob(async () => {
    await makePartitions(parts.database, parts.log)
    try {
      return (await dropWeeks(parts)) ? every_ms : again_ms
    } catch (error) {
      // Nothing is lost by keeping what could be dropped.
      parts.log.error({ err: error }, 'webhook_retention_failed')
      return again_ms
    }
  })
}

/**
 * Makes the weekly partitions of events and deliveries, one set per transaction. A set that cannot be made is tried
 * again by the next run: until then its rows go into the default partitions, and no business change fails for it.
 */
export async function makePartitions(database: Engine['database'], log: Engine['log']): Promise<void> {
  let ready = 0
  for (let weeks = 0; weeks <= weeks_ahead; weeks += 1) {
    try {
      const is_new = await changeTables(database, (tx) => addPartitions(tx, weeks))
      if (is_new) log.info({ weeks_ahead: weeks }, 'webhook_partitions_made')
      if (weeks > 0) ready += 1
    } catch (error) {
      log.error({ err: error, weeks_ahead: weeks }, 'webhook_partitions_missing')
    }
  }
  partitionsAhead.set(ready)
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
      const dropped = await changeTables(database, (tx) => dropWeek(tx, week))
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
  // Rows outside the weekly partitions are delivered as any, but no retention reaches them: a person has to look.
  const rows = await database.transaction({ role: 'engine', read_only: true }, countDefaultRows)
  defaultPartitionRows.set(rows)
  if (rows > 0) log.error({ rows }, 'webhook_default_partition_not_empty')
  return is_done
}
