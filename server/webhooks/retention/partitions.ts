import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { createJob } from '#core/jobs/job.ts'
import { type Database, sql, type Transaction } from '#db/database.ts'
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

/**
 * A change of tables takes locks that shut everybody out, several one after the other, and traffic takes the same tables
 * in other orders: they can wait for each other. PostgreSQL looks for such a circle after 1 s and breaks the one who
 * looks first, mostly the traffic. So the change gives up long before, lets the traffic pass, and comes again.
 */
const lock_wait = '250ms'
const tries_max = 20
const pause_ms = 100

const lock_not_available = '55P03'

/** Runs `work` as the engine, in one transaction, beside running traffic; whatever `work` asks may be asked again. */
async function changeTables<Result>(database: Database, work: (tx: Transaction) => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await database.transaction({ role: 'engine' }, async (tx) => {
        await tx.run(sql`select set_config('lock_timeout', ${lock_wait}, true)`)
        return work(tx)
      })
    } catch (error) {
      const is_busy = error instanceof pg.DatabaseError && error.code === lock_not_available
      if (!is_busy || tries >= tries_max) throw error
    }
    await sleep(pause_ms)
  }
}
