import type { Logger } from 'pino'
import type { Database } from '#db/database.ts'
import { forgetAnswers, forgetSecrets } from '../idempotency.ts'
import { createJob } from './job.ts'

/** Rows that are kept for a time only. */
export interface ExpiredRows {
  /** Names the rows in the log. */
  name: string
  /** Removes one batch of those that are too old; answers how many rows went. */
  removeBatch(rows_max: number): Promise<number>
}

const every_ms = 3_600_000
const rows_per_batch_max = 1_000
/** One run ends after this many batches; the next goes on. */
const batches_per_run_max = 10_000

/** The answers kept for idempotent repeats and their secrets, each when it is no longer of use. */
export function idempotentAnswers(database: Database): ExpiredRows[] {
  const rowsOf = (name: string, forget: typeof forgetAnswers): ExpiredRows => ({
    name,
    removeBatch: (rows_max) => database.transaction({ role: 'engine' }, (tx) => forget(tx, rows_max)),
  })
  return [rowsOf('idempotent_answers', forgetAnswers), rowsOf('idempotent_secrets', forgetSecrets)]
}

/** Makes the clean-up of a process; any number of processes may clean up at once. */
export function createCleanUp(log: Logger, expired: readonly ExpiredRows[]) {
  const removeAll = async ({ name, removeBatch }: ExpiredRows) => {
    let rows = 0
    for (let batches = 0; batches < batches_per_run_max && !job.signal.aborted; batches += 1) {
      const batch = await removeBatch(rows_per_batch_max)
      rows += batch
      if (batch < rows_per_batch_max) break
    }
    if (rows > 0) log.info({ name, rows }, 'cleaned_up')
    return rows
  }
  /** Removes now what is too old; answers the number of rows that went. */
  const run = async () => {
    let rows = 0
    for (const one of expired) {
      // Old rows are no longer used anyway: the next run removes them, and a failure holds up none of the others.
      rows += await removeAll(one).catch((error: unknown) => {
        log.error({ name: one.name, err: error }, 'clean_up_failed')
        return 0
      })
    }
    return rows
  }
  const job = createJob(async () => {
    await run()
    return every_ms
  })
  return { run, start: job.start, stop: job.stop }
}
