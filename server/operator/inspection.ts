import type { Logger } from 'pino'
import { system_actor } from '#core/caller.ts'
import { recordAudit } from '#core/effects.ts'
import { createJob } from '#core/jobs/job.ts'
import { gauge } from '#core/metrics.ts'
import type { Database } from '#db/database.ts'
import {
  findHeld,
  type InspectionScope,
  type Invariant,
  invariants,
  look_ms_max,
  releaseInternal,
  type Violations,
  violationsOf,
} from '#webhooks/inspection.store.ts'

export interface Finding extends Violations {
  invariant: Invariant
}

/** Looking needs no more of a database. */
export type Inspected = Pick<Database, 'transaction'>

/** Asks the rows themselves whether the engine's promises hold, one invariant after the other. */
export async function inspectWebhooks(database: Inspected, scope: InspectionScope): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const invariant of Object.keys(invariants) as Invariant[]) {
    const violations = await database.transaction(
      { role: 'engine', read_only: true, answer_ms_max: look_ms_max + 10_000 },
      (tx) => violationsOf(tx, invariant, scope),
    )
    findings.push({ invariant, ...violations })
  }
  return findings
}

const every_ms = 3_600_000
/** Processes that are restarted more often than once an hour look too, but not while they begin. */
const first_after_ms = 60_000
/** A run looks at the events since the last one, and at those that were being sent meanwhile; bounded, so that it stays cheap. */
const hourly_scope = { hours: 2, concurrent_s: 60, rows_max: 10_000 }

const violations = gauge(
  'webhook_invariant_violations',
  'Rows that break a promise of the engine, as of the last hourly look; `stint webhooks check` names them.',
  ['invariant'],
)

/** Looks every hour whether the engine's promises hold, and tells the operator where one does not. */
export function createInspector(database: Inspected, log: Logger) {
  const run = async () => {
    for (const { invariant, count, examples } of await inspectWebhooks(database, hourly_scope)) {
      violations.set({ invariant }, count)
      if (count > 0) log.error({ invariant, count, examples }, 'webhook_invariant_violated')
    }
  }
  // It changes nothing, so a look that fails is only made up for by the next one.
  const failed = (error: unknown) => log.error({ err: error }, 'webhook_inspection_failed')
  const { start, stop } = createJob(
    () =>
      run()
        .catch(failed)
        .then(() => every_ms),
    { first_after_ms },
  )
  return { run, start, stop }
}

/** Sends a delivery that 20 faults of our own had stopped: the same attempt again, due now. */
export async function releaseDelivery(database: Database, id: string): Promise<void> {
  await database.transaction({ role: 'engine' }, async (tx) => {
    const delivery = await findHeld(tx, id)
    if (!delivery) throw new Error(`no delivery ${id} is held`)
    if (delivery.hold_reason !== 'internal') {
      throw new Error(`delivery ${id} is held because its subscription is disabled; enabling that releases it`)
    }
    if (!(await releaseInternal(tx, delivery, id))) throw new Error(`delivery ${id} is no longer held`)
    recordAudit(tx, {
      organization_id: delivery.organization_id,
      actor: system_actor,
      action: 'webhooks.release',
      subject: { kind: 'webhooks', id: delivery.subscription_id },
      changed_fields: ['status'],
    })
  })
}
