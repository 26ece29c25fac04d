import type { Logger } from 'pino'
import { createJob } from '#core/jobs/job.ts'
import type { Database } from '#db/database.ts'
import { numberEvents, numbered_events_max } from './feed.store.ts'

const pause_min_ms = 100
/** Events appear within a second of their change, so a round that was slow delays the next one by no more than this. */
const pause_max_ms = 500
/** Within these bounds it uses 5 % of its connection at most. */
const pause_per_round = 20
const after_failure_ms = 1_000
const batches_per_run_max = 1_000

/** Gives committed events their places in the feed; any number of processes may run one, a single one numbers at a time. */
export function createSequencer(database: Database, log: Logger) {
  const runDue = async () => {
    let numbered = 0
    for (let batches = 0; batches < batches_per_run_max; batches += 1) {
      const rows = await database.transaction({ role: 'engine' }, numberEvents)
      numbered += rows
      if (rows < numbered_events_max || loop.signal.aborted) break
    }
    return numbered
  }
  const loop = createJob(async () => {
    const started_at_ms = performance.now()
    try {
      await runDue()
    } catch (error) {
      // Nothing is lost: the events still have no number when the database is back.
      log.error({ err: error }, 'event_feed_numbering_failed')
      return after_failure_ms
    }
    return pauseAfter(performance.now() - started_at_ms)
  })
  // `runDue` numbers what is committed until nothing is left, or another process is at it; answers how many events.
  return { runDue, start: loop.start, stop: loop.stop }
}

/** The milliseconds to wait after a round that took `round_ms`. */
export function pauseAfter(round_ms: number): number {
  return Math.min(pause_max_ms, Math.max(pause_min_ms, pause_per_round * round_ms))
}
