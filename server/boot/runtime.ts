import type { Logger } from 'pino'
import { addressesOf } from '#authorization/addresses.ts'
import type { Caller } from '#core/caller.ts'
import type { Clock } from '#core/clock.ts'
import type { FanOut } from '#core/effects.ts'
import type { Runtime } from '#core/invoke.ts'
import { createFiring } from '#core/jobs/fire-timers.ts'
import { createClockRun } from '#core/jobs/run-clock.ts'
import { createCursors, createTotals } from '#core/list.ts'
import { definedEvents } from '#core/operation.ts'
import { createRegistry, type Registry } from '#core/registry.ts'
import type { Replica } from '#core/replica.ts'
import type { Secrets } from '#core/secrets.ts'
import type { Database, Transaction } from '#db/database.ts'
import { scimOperations } from '#scim/mount.ts'
import type { WebhookRoom } from '#webhooks/room.ts'
import { type Config, egressSettings, webhookSettings } from './config.ts'
import { fillSandbox } from './demo/fill.ts'
import { timers } from './operations.ts'

export interface RuntimeParts {
  config: Config
  /** Public origin, e.g. `https://stint.example`. */
  origin: string
  database: Database
  /** A standby of it, for lists that may be behind. */
  replica?: Replica | undefined
  secrets: Secrets
  clock: Clock
  log: Logger
  /** Checks of our own outputs; on in development and tests. */
  strict: boolean
}

/** Makes the runtime of operations and timers; each thread that runs some has its own. */
export function createRuntime(
  { config, database, replica, secrets, clock, log, strict, origin }: RuntimeParts,
  registry: Registry,
  { room, fanOut }: { room: WebhookRoom; fanOut: FanOut },
): Runtime {
  const parts = {
    ...{ database, replica, registry, secrets, clock, log, strict, fanOut },
    cursors: createCursors(secrets, replica && 'primary'),
    totals: createTotals(clock.now),
    problem_base: `${origin}/docs/problems`,
  }
  const sandbox = createClockRun(parts, createFiring(parts, timers))
  const demo = {
    fill: (tx: Transaction, caller: Caller) => fillSandbox(runtime, tx, caller, { is_silent: true }),
  }
  const console_url = `${addressesOf(origin, config.STINT_AUTH_URL).auth_url}/console`
  const logged = [...registry.operations, ...createRegistry(scimOperations(), definedEvents()).operations]
  const operationsById = new Map(logged.map((one) => [one.definition.id, one]))
  const request_logs = { operationOf: (id: string) => operationsById.get(id.replace(/\.stream$/, '')) }
  const scim = { base: `${origin}/scim/v2`, cursors: parts.cursors, totals: parts.totals }
  const provisioning = { base_url: scim.base }
  const rooms = { contracts: { console_url }, webhooks: room, sandbox, demo, request_logs, scim, provisioning }
  const runtime: Runtime = { ...parts, rooms }
  return runtime
}

/** The parts of the webhooks' room, beside the registry. */
export function webhookParts({ config, origin, secrets, clock }: RuntimeParts) {
  return { settings: webhookSettings(config), egress: egressSettings(config, origin), secrets, clock }
}
