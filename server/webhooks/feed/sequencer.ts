import type { Logger } from 'pino'
import { createJob } from '#core/jobs/job.ts'
import type { Database } from '#db/database.ts'
import { numberEvents, numbered_events_max } from './feed.store.ts'

/** Events appear within a second of their change, sooner while there are others: each run numbers all that wait. */
const pause_ms = 200
/** A service in which nothing happens looks now and then: ten looks a second were a third of what it took while idle. */
const idle_pause_ms = 800
const after_failure_ms = 1_000
const batches_per_run_max = 1_000

/** Gives committed events their places in the feed; any number of processes may run one, a single one numbers at a time. */
export function createSequencer(database: Database, log: Logger) {
  let ended_at_ms: number | null = null
  const runDue = async () => {
    let numbered = 0
    for (let batches = 0; batches < batches_per_run_max; batches += 1) {
      const rows = await database.transaction({ role: 'engine' }, numberEvents)
      // Somebody who keeps the lock for long has hung: then no process numbers, and each has to say so.
      if (rows !== null && ended_at_ms !== null) ended_at_ms = performance.now()
      numbered += rows ?? 0
      if (rows !== numbered_events_max || loop.signal.aborted) break
    }
    return numbered
  }
  const loop = createJob(async () => {
    try {
      return (await runDue()) > 0 ? pause_ms : idle_pause_ms
    } catch (error) {
      // Nothing is lost: the events still have no number when the database is back.
      log.error({ err: error }, 'event_feed_numbering_failed')
      return after_failure_ms
    }
  })
  return {
    /** Numbers what is committed until nothing is left, or somebody else is at it; answers how many events. */
    runDue,
    start(): void {
      ended_at_ms = performance.now()
      loop.start()
    },
    async stop(): Promise<void> {
      ended_at_ms = null
      await loop.stop()
    },
    /** Milliseconds since events were last numbered, if only none; 0 where they are not meant to be. */
    runAgeMs: () => (ended_at_ms === null ? 0 : performance.now() - ended_at_ms),
  }
}
