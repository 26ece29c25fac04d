import type { Logger } from 'pino'
import type { ExpiredRows } from '#core/jobs/clean-up.ts'
import { createJob } from '#core/jobs/job.ts'
import type { Database, Transaction } from '#db/database.ts'
import { addWeek, dropWeeks, forgetCounts, forgetStrays, waitShortly } from './request-log.store.ts'

/** The week that runs and these after it. */
const weeks_ahead = 3
const every_ms = 3_600_000
const again_ms = 60_000

/** Makes the partitions of the weeks to come and drops those that are older than what is kept, once an hour. */
export function createRequestWeeks(database: Database, log: Logger) {
  const changeTables = (work: (tx: Transaction) => Promise<unknown>) =>
    database.transaction({ role: 'engine' }, async (tx) => {
      await waitShortly(tx)
      return work(tx)
    })
  /** False if it is to be tried again soon; rows of a week without a partition go into that of all others. */
  const run = async (): Promise<boolean> => {
    try {
      for (let weeks = 0; weeks <= weeks_ahead; weeks += 1) await changeTables((tx) => addWeek(tx, weeks))
      const dropped = await changeTables(dropWeeks)
      if (Number(dropped) > 0) log.info({ weeks: dropped }, 'request_log_dropped')
      return true
    } catch (err) {
      log.warn({ err }, 'request_log_weeks_not_kept')
      return false
    }
  }
  const job = createJob(async () => ((await run()) ? every_ms : again_ms))
  return { run, start: job.start, stop: job.stop }
}

/** Counts that are older than what is kept, and requests that lie outside the partitions of weeks. */
export function forgottenRequests(database: Database): ExpiredRows[] {
  const rowsOf = (name: string, forget: typeof forgetCounts): ExpiredRows => ({
    name,
    removeBatch: (rows_max) => database.transaction({ role: 'engine' }, (tx) => forget(tx, rows_max)),
  })
  return [rowsOf('request_counts', forgetCounts), rowsOf('request_log_strays', forgetStrays)]
}
