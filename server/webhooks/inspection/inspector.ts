import type { Logger } from 'pino'
import { Gauge } from 'prom-client'
import { createBackgroundLoop } from '#core/background-loop.ts'
import { metrics } from '#core/metrics.ts'
import { type Inspected, inspect } from './invariants.ts'

export interface Inspector {
  run(): Promise<void>
  /** Does so every hour, until stopped. */
  start(): void
  stop(): Promise<void>
}

const every_ms = 3_600_000
/** A run looks at the events since the last one, and at those that were being sent meanwhile; bounded, so that it stays cheap. */
const scope = { hours: 2, concurrent_s: 60, rows_max: 10_000 }

const violations = new Gauge({
  name: 'webhook_invariant_violations',
  help: 'Rows that break a promise of the engine, as of the last hourly look; `stint webhooks check` names them.',
  labelNames: ['invariant'],
  registers: [metrics],
})

/** Looks every hour whether the engine's promises hold, and tells the operator where one does not. */
export function createInspector(database: Inspected, log: Logger): Inspector {
  const run = async () => {
    for (const { invariant, count, examples } of await inspect(database, scope)) {
      violations.set({ invariant }, count)
      if (count > 0) log.error({ invariant, count, examples }, 'webhook_invariant_violated')
    }
  }
  const look = async () => {
    // It changes nothing, so a look that fails is only made up for by the next one.
    await run().catch((error: unknown) => log.error({ err: error }, 'webhook_inspection_failed'))
    return every_ms
  }
  const { start, stop } = createBackgroundLoop(look, { first_after_ms: every_ms })
  return { run, start, stop }
}
