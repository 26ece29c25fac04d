import type { Logger } from 'pino'
import { changeTables } from '#db/change-tables.ts'
import type { Database } from '#db/database.ts'
import { partitionsAhead } from '../retention/metrics.ts'
import { addPartitions } from './keeper.store.ts'

/** The week that runs and these after it. */
const weeks_ahead = 4

/**
 * Makes the weekly partitions of events and deliveries, one set per transaction. A set that cannot be made is tried
 * again by the next run: until then its rows go into the default partitions, and no business change fails for it.
 */
export async function keepPartitions(database: Database, log: Logger): Promise<void> {
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
