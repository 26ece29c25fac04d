import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Database } from '#db/database.ts'
import { forgetAnswers } from './idempotency.ts'

export interface Keeper {
  /** Forgets now what is too old; answers the number of kept answers that went. */
  run(): Promise<number>
  /** Does so every hour, until stopped. */
  start(): void
  stop(): Promise<void>
}

const every_ms = 3_600_000
const rows_per_batch_max = 1_000
/** One run ends after this many batches; the next goes on. */
const batches_per_run_max = 10_000

/** Makes the keeper of a process: removes the answers kept for idempotent repeats when they are no longer of use. */
export function createKeeper(database: Database, log: Logger): Keeper {
  let ending = new AbortController()
  let loop: Promise<void> = Promise.resolve()

  const run = async () => {
    let forgotten = 0
    for (let batches = 0; batches < batches_per_run_max && !ending.signal.aborted; batches += 1) {
      const rows = await database.transaction({ role: 'engine' }, (tx) => forgetAnswers(tx, rows_per_batch_max))
      forgotten += rows
      if (rows < rows_per_batch_max) break
    }
    return forgotten
  }

  const runUntil = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      try {
        const answers = await run()
        if (answers > 0) log.info({ answers }, 'idempotent_answers_forgotten')
      } catch (error) {
        // What is too old is no longer repeated anyway; the next run removes it.
        log.error({ err: error }, 'keeper_failed')
      }
      await sleep(every_ms, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }

  return {
    run,
    start() {
      ending = new AbortController()
      loop = runUntil(ending.signal)
    },
    async stop() {
      ending.abort()
      await loop
    },
  }
}
