import type { Logger } from 'pino'
import type { Database } from '#db/database.ts'
import { createBackgroundLoop } from './background-loop.ts'
import { forgetAnswers, forgetSecrets } from './idempotency.ts'

/** Something that is kept for a time only. */
export interface Chore {
  /** Names what goes, in the log. */
  name: string
  /** Removes one batch of what is too old; answers how many rows went. */
  removeBatch(rows_max: number): Promise<number>
}

export interface Keeper {
  /** Forgets now what is too old; answers the number of rows that went. */
  run(): Promise<number>
  /** Does so every hour, until stopped. */
  start(): void
  stop(): Promise<void>
}

const every_ms = 3_600_000
const rows_per_batch_max = 1_000
/** One run ends after this many batches; the next goes on. */
const batches_per_run_max = 10_000

/** The answers kept for idempotent repeats and their secrets, each when it is no longer of use. */
export function idempotentAnswers(database: Database): Chore[] {
  const chore = (name: string, forget: typeof forgetAnswers): Chore => ({
    name,
    removeBatch: (rows_max) => database.transaction({ role: 'engine' }, (tx) => forget(tx, rows_max)),
  })
  return [chore('idempotent_answers', forgetAnswers), chore('idempotent_secrets', forgetSecrets)]
}

/** Makes the keeper of a process; any number of processes may keep at once. */
export function createKeeper(log: Logger, chores: readonly Chore[]): Keeper {
  const runChore = async ({ name, removeBatch }: Chore) => {
    let rows = 0
    for (let batches = 0; batches < batches_per_run_max && !loop.signal.aborted; batches += 1) {
      const batch = await removeBatch(rows_per_batch_max)
      rows += batch
      if (batch < rows_per_batch_max) break
    }
    if (rows > 0) log.info({ chore: name, rows }, 'kept_rows_forgotten')
    return rows
  }
  const run = async () => {
    let rows = 0
    for (const chore of chores) {
      // What is too old is no longer used anyway; the next run removes it, and what fails holds up nothing else.
      rows += await runChore(chore).catch((error: unknown) => {
        log.error({ chore: chore.name, err: error }, 'keeper_failed')
        return 0
      })
    }
    return rows
  }

  const loop = createBackgroundLoop(async () => {
    await run()
    return every_ms
  })
  return { run, start: loop.start, stop: loop.stop }
}
