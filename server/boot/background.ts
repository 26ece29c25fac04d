import { authorizationExpired } from '#authorization/cleanup.store.ts'
import { createCleanUp, idempotentAnswers } from '#core/jobs/clean-up.ts'
import { createTimerJob } from '#core/jobs/fire-timers.ts'
import type { Instruments } from '#core/metrics.ts'
import { createRegistry } from '#core/registry.ts'
import type { Connection } from '#db/database.ts'
import { createInspector } from '#operator/inspection.ts'
import { createSealing, forgottenEntries } from '#resources/audit/index.ts'
import { createPaymentJob } from '#resources/payments/index.ts'
import { createRequestWeeks, forgottenRequests } from '#resources/request-logs/index.ts'
import { diskCheck } from '#surfaces/management/disk.ts'
import { openWebhooks } from '#webhooks/open-webhooks.ts'
import type { Wake } from '#webhooks/room.ts'
import about from '../../package.json' with { type: 'json' }
import { events, timers } from './operations.ts'
import { createRuntime, type RuntimeParts, webhookParts } from './runtime.ts'

export interface BackgroundParts extends RuntimeParts {
  /** The same database, for the engine's own pool. */
  connection: Connection
  /** No other process can send from this database. */
  is_alone?: boolean
  /** Time that only moves forward; the process's own unless a test moves it. */
  monotonic_ms?: () => number
}

/** The work that nobody calls for, the role `worker` of a process: deliveries, the feed, timers, the seal of the audit log, clean-up. */
export interface Background extends Wake {
  start(): Promise<void>
  /** Ends what runs within the bound of the settings. */
  stop(): Promise<void>
  /** After it has stopped. */
  close(): Promise<void>
  /** The reason why it does not do its work; null when it does, or is not meant to. */
  fault(): Promise<string | null>
  /** Its metrics, where they are not among those of this thread. */
  metrics(): Promise<Instruments>
}

/** The background in this thread (not started). */
export function createBackground(parts: BackgroundParts) {
  const { config, database, log } = parts
  const registry = createRegistry([], events)
  const webhooks = openWebhooks({ ...parts, ...webhookParts(parts), registry, release: about.version })
  const runtime = createRuntime(parts, registry, webhooks)
  const timerJob = createTimerJob(runtime, timers)
  const cleanUp = createCleanUp(log, [
    ...idempotentAnswers(database),
    ...authorizationExpired(runtime),
    ...forgottenRequests(database),
    ...forgottenEntries(database, config.STINT_RETENTION_AUDIT),
  ])
  const requestWeeks = createRequestWeeks(database, log)
  const paymentJob = createPaymentJob(runtime)
  const sealing = createSealing(database, log)
  const workers = [timerJob, paymentJob, sealing, cleanUp, webhooks, requestWeeks, createInspector(database, log)]
  const noteOfDisk = diskCheck(null, Date.now)
  return {
    ...webhooks.wake,
    dispatcher: webhooks.dispatcher,
    /** Fires what is due; like the clean-up, it also runs when told to. */
    timers: timerJob,
    cleanUp,
    requestWeeks,
    sealing,
    async start() {
      for (const worker of workers) worker.start()
    },
    async stop() {
      await Promise.all(workers.map((worker) => worker.stop()))
    },
    close: webhooks.close,
    async fault() {
      const found = webhooks.fault() ?? (await noteOfDisk())
      return typeof found === 'string' ? found : null
    },
    metrics: async () => [],
  }
}
