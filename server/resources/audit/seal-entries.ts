import type { Logger } from 'pino'
import type { ExpiredRows } from '#core/jobs/clean-up.ts'
import { createJob } from '#core/jobs/job.ts'
import { createScrape, gauge } from '#core/metrics.ts'
import type { Database, Transaction } from '#db/database.ts'
import { nextBatches } from './chain.ts'
import {
  chainEnds,
  insertBatches,
  lockChains,
  readSealLag,
  removeBatches,
  sealed_entries_max,
  unsealedEntries,
} from './seal.store.ts'

/** An entry is sealed within a minute of its commit, also when one run fails. */
const pause_ms = 20_000
const after_failure_ms = 5_000
const transactions_per_run_max = 1_000

/**
 * Puts committed entries into batches, each chained to the one before it; any number of processes may run one, a single
 * one seals at a time. Requests wait for none of it: what they write stays as it is, and only its batch is noted.
 */
export function createSealing(database: Database, log: Logger) {
  const runDue = async () => {
    let entries = 0
    for (let transactions = 0; transactions < transactions_per_run_max; transactions += 1) {
      const sealed = await database.transaction({ role: 'engine' }, sealWaiting)
      entries += sealed
      if (sealed < sealed_entries_max || job.signal.aborted) break
    }
    if (entries > 0) log.info({ entries }, 'audit_sealed')
    return entries
  }
  const job = createJob(async () => {
    try {
      await runDue()
      return pause_ms
    } catch (err) {
      // Nothing is lost: what is in no batch is found again.
      log.error({ err }, 'audit_sealing_failed')
      return after_failure_ms
    }
  })
  return {
    /** Seals what is committed until nothing is left, or somebody else is at it; answers how many entries. */
    runDue,
    start(): void {
      lags.watch(database)
      job.start()
    },
    async stop(): Promise<void> {
      lags.watch(null)
      await job.stop()
    },
  }
}

async function sealWaiting(tx: Transaction): Promise<number> {
  if (!(await lockChains(tx))) return 0
  const waiting = await unsealedEntries(tx)
  if (waiting.length === 0) return 0
  const by_organization = Map.groupBy(waiting, ({ organization_id }) => organization_id)
  const ends = await chainEnds(tx, [...by_organization.keys()])
  const batches = [...by_organization].flatMap(([id, rows]) => {
    const entries = rows.map(({ entry }) => entry)
    return nextBatches(id, ends.get(id), entries, tx.real_now)
  })
  await insertBatches(tx, batches)
  return waiting.length
}

const lag = gauge(
  'audit_seal_lag_seconds',
  'How long the oldest entry of the audit log waits to be sealed; absent where nobody seals.',
  [],
  () => lags.read(),
)
const lags = createScrape(readLag, () => lag.remove())
lags.watch(null)

async function readLag(database: Database) {
  const seconds = await database.transaction({ role: 'engine', read_only: true }, readSealLag)
  return () => lag.set(seconds)
}

/** Entries that are older than what is kept. */
export function forgottenEntries(database: Database, days: number): ExpiredRows[] {
  const removeBatch = (rows_max: number) =>
    database.transaction({ role: 'engine' }, (tx) => removeBatches(tx, days, rows_max))
  return [{ name: 'audit_entries', removeBatch }]
}
