import type { Logger } from 'pino'
import { DatabaseUnavailable } from '#db/errors.ts'
import { leasesExpired, observeAttempt } from '../metrics/attempt-metrics.ts'
import { sweepDurations } from '../metrics/engine-metrics.ts'
import { dropWeeks } from '../retention/drop-weeks.ts'
import { destroyRetired } from '../signing-keys/signing-key.store.ts'
import { logAttempt } from './attempt-log.ts'
import { type Head, readHeads } from './due.store.ts'
import type { EngineClock } from './engine-clock.ts'
import { keepPartitions } from './keeper.ts'
import { createMovers, type MoverParts } from './movers.ts'

export interface SweepParts extends MoverParts {
  clock: EngineClock
  log: Logger
}

export interface Swept {
  /** Of active lanes. */
  heads: Head[]
  /** Deliveries whose status was changed. */
  moved: number
  errors: unknown[]
}

const reap_every_ms = 5_000
/** After the database was away finished attempts are recorded before leases count as lost. */
const reap_after_outage_ms = 10_000
/** Signing keys destroyed in one round; the next takes the rest. */
const keys_per_pass_max = 1_000
const expire_every_ms = 60_000
const clamp_every_ms = 600_000
const keep_every_ms = 3_600_000
/** What others kept from being dropped is tried again sooner. */
const keep_again_ms = 60_000

/** What is looked for in regular rounds: deliveries to move, lost leases, what is due, and missing partitions. */
export function createSweep(parts: SweepParts) {
  const movers = createMovers(parts)
  let reap_at_ms = 0
  let expire_at_ms = 0
  let clamp_at_ms = 0
  let keep_at_ms = 0

  const reap = async () => {
    reap_at_ms = performance.now() + reap_every_ms
    const recorded = await movers.reap()
    for (const row of recorded) {
      logAttempt(parts.log, row, parts.worker)
      observeAttempt(row)
    }
    leasesExpired.inc(recorded.length)
    return recorded.length
  }
  const destroyKeys = () =>
    parts.database.transaction({ role: 'engine' }, (tx) => destroyRetired(tx, keys_per_pass_max))
  return {
    /** One round; `everything` also reaps, whenever that was done last. Never rejects. */
    async sweep(horizon_ms: number, everything = false): Promise<Swept> {
      const stopTimer = sweepDurations.startTimer()
      const swept: Swept = { heads: [], moved: 0, errors: [] }
      const step = async (work: () => Promise<number>) => {
        try {
          swept.moved += await work()
        } catch (error) {
          // One rule that fails must not stop the others.
          if (error instanceof DatabaseUnavailable) reap_at_ms = performance.now() + reap_after_outage_ms
          swept.errors.push(error)
        }
      }
      if (everything || performance.now() >= reap_at_ms) {
        await step(reap)
        await step(destroyKeys)
      }
      if (everything || performance.now() >= expire_at_ms) {
        expire_at_ms = performance.now() + expire_every_ms
        await step(movers.expire)
      }
      const jumped_ms = parts.clock.takeJump()
      if (jumped_ms !== 0) parts.log.warn({ jumped_ms }, 'webhook_clock_jump')
      if (everything || jumped_ms !== 0 || performance.now() >= clamp_at_ms) {
        clamp_at_ms = performance.now() + clamp_every_ms
        await step(movers.clamp)
      }
      await step(movers.cancelUnlisted)
      await step(movers.release)
      await step(movers.replay)
      await step(async () => {
        const heads = await parts.database.transaction({ role: 'engine', read_only: true }, (tx) => {
          parts.clock.observe(tx.now)
          return readHeads(tx, horizon_ms)
        })
        swept.heads = heads.filter(({ status }) => status === 'active')
        const stopped = new Set(heads.filter(({ status }) => status !== 'active').map((head) => head.subscription_id))
        return movers.hold([...stopped])
      })
      stopTimer()
      return swept
    },
    /** Partitions of the weeks to come and of those past the retention, once an hour. Never rejects. */
    async keep(): Promise<void> {
      if (performance.now() < keep_at_ms) return
      keep_at_ms = performance.now() + keep_every_ms
      await keepPartitions(parts.database, parts.log)
      try {
        if (!(await dropWeeks(parts))) keep_at_ms = performance.now() + keep_again_ms
      } catch (error) {
        // Nothing is lost by keeping what could be dropped.
        keep_at_ms = performance.now() + keep_again_ms
        parts.log.error({ err: error }, 'webhook_retention_failed')
      }
    },
    /** The database was away. */
    delayReaping(): void {
      reap_at_ms = performance.now() + reap_after_outage_ms
    },
  }
}
