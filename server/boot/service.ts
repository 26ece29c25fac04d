import type { IncomingMessage } from 'node:http'
import { fileURLToPath } from 'node:url'
import type { FastifyServerFactory } from 'fastify'
import type pg from 'pg'
import type { Logger } from 'pino'
import { type Addresses, addressesOf } from '#authorization/addresses.ts'
import { noteNeededScope } from '#authorization/grants.ts'
import { type Authorization, openAuthorization } from '#authorization/index.ts'
import type { Clock } from '#core/clock.ts'
import type { Runtime } from '#core/invoke.ts'
import { createCleanUp, idempotentAnswers } from '#core/jobs/clean-up.ts'
import { createTimerJob } from '#core/jobs/fire-timers.ts'
import { createCursors, createTotals } from '#core/list.ts'
import { createRateLimit } from '#core/rate-limit.ts'
import { createRegistry } from '#core/registry.ts'
import { ownHostNames } from '#core/request-target.ts'
import type { Secrets } from '#core/secrets.ts'
import type { Database } from '#db/database.ts'
import {
  type Authenticate,
  canOpenTools,
  createAuthentication,
  createCredentialLookUps,
  createTokenUses,
} from '#identity/resolve-caller.ts'
import { createInspector } from '#operator/inspection.ts'
import { createGuardedGet } from '#outbound/guarded-get.ts'
import { isConsoleBuilt, mountConsole } from '#surfaces/console/mount-console.ts'
import { mountEntrance } from '#surfaces/entrance/mount-entrance.ts'
import { createHttpServer } from '#surfaces/http-server.ts'
import { networkOf } from '#surfaces/https/address.ts'
import { mountMcp } from '#surfaces/mcp/mount-mcp.ts'
import { mountOpenApi } from '#surfaces/openapi/openapi-document.ts'
import { mountReference } from '#surfaces/reference/mount-reference.ts'
import { mountHostRule } from '#surfaces/request-head.ts'
import { mountRest } from '#surfaces/rest/rest.ts'
import { openWebhooks } from '#webhooks/open-webhooks.ts'
import about from '../../package.json' with { type: 'json' }
import { type Config, egressSettings, settingsTable, webhookSettings } from './config.ts'
import { events, operations, timers } from './operations.ts'

export interface ServiceParts {
  config: Config
  /** Public origin, e.g. `https://stint.example`. */
  origin: string
  database: Database
  /** The same database, for the pools of background work. */
  connection: pg.PoolConfig
  secrets: Secrets
  clock: Clock
  log: Logger
  /** Checks of our own outputs; on in development and tests. */
  strict: boolean
  /** No other process can send from this database. */
  is_alone?: boolean
  serverFactory?: FastifyServerFactory
  clientAddress?: (request: IncomingMessage) => string
  /** Folder of the built console; `console/dist` unless a test built its own. */
  console_dir?: string
  /** Time that only moves forward; the process's own unless a test moves it. */
  monotonic_ms?: () => number
}

const built_console = fileURLToPath(new URL('../../console/dist', import.meta.url))

export type Service = ReturnType<typeof createService>

/** Puts the rooms together: registry → runtime → surfaces → workers. Listening is left to the caller. */
export function createService(parts: ServiceParts) {
  const { config, database, secrets, clock, log, strict, origin, console_dir = built_console } = parts
  const registry = createRegistry(operations, events)
  const egress = egressSettings(config, origin)
  const webhooks = openWebhooks({
    ...parts,
    registry,
    settings: webhookSettings(config),
    egress,
    release: about.version,
  })
  const runtime: Runtime = {
    database,
    registry,
    secrets,
    cursors: createCursors(secrets),
    totals: createTotals(clock.now),
    clock,
    log,
    strict,
    problem_base: `${origin}/docs/problems`,
    fanOut: webhooks.fanOut,
    rooms: { contracts: { origin }, webhooks: webhooks.room },
  }
  const uses = createTokenUses(database, log)
  const credentials = { database, uses, lookUps: createCredentialLookUps() }
  const authenticate = createAuthentication(credentials, 'rest')
  const authenticateTools = createAuthentication(credentials, 'mcp')
  const addresses = addressesOf(origin, config.STINT_AUTH_URL)
  const outward = createGuardedGet({
    ...egress,
    allow_loopback_http: false,
    allowed_networks: config.STINT_CLIENT_ALLOWED_NETWORKS,
  })
  const authorization = openAuthorization({
    ...{ runtime, addresses, networkOf, get: outward.get },
    grant_days: config.STINT_GRANT_LIFETIME_DAYS,
    client_documents: config.STINT_CLIENT_DOCUMENTS,
  })
  const timerJob = createTimerJob(runtime, timers)
  const cleanUp = createCleanUp(log, [...idempotentAnswers(database), ...authorization.expired])
  const workers = [timerJob, cleanUp, webhooks, createInspector(database, log)]
  const has_console = isConsoleBuilt(console_dir)
  const rooms = { runtime, addresses, authorization, authenticate, authenticateTools, console_dir, has_console }
  return {
    app: createApplication(parts, rooms),
    runtime,
    /** Tells who calls the REST API. */
    authenticate,
    /** The same at the tool server. */
    authenticateTools,
    /** Fires what is due; like the next two, it runs by itself only where the workers are started. */
    timers: timerJob,
    cleanUp,
    dispatcher: webhooks.dispatcher,
    /** False where the pages of the console were not built. */
    has_console,
    /** Starts background work: the role `worker` of a process. */
    startWorkers() {
      for (const worker of workers) worker.start()
    },
    /** Ends background work within the bound of the settings. */
    async stopWorkers() {
      await Promise.all(workers.map((worker) => worker.stop()))
    },
    /** After workers and application have ended: writes what is still noted in memory and closes what is open. */
    async close() {
      outward.close()
      await uses.flush()
      await webhooks.close()
    },
  }
}

interface Rooms {
  runtime: Runtime
  addresses: Addresses
  authorization: Authorization
  authenticate: Authenticate
  authenticateTools: Authenticate
  console_dir: string
  has_console: boolean
}

function createApplication(
  { config, clock: { now }, log, origin, serverFactory, clientAddress }: ServiceParts,
  { runtime, addresses, authorization, authenticate, authenticateTools, console_dir, has_console }: Rooms,
) {
  const { version } = about
  const { base_url, auth_url, api_host, mcp_url } = addresses
  const rest_addresses = { base_url, problem_base: runtime.problem_base, resource_metadata: addresses.rest_metadata }
  const app = createHttpServer({
    addresses: rest_addresses,
    hsts_max_age_s: config.STINT_HSTS_MAX_AGE_S,
    now,
    log,
    noteNeededScope: (caller, problem) => noteNeededScope(runtime, caller, problem),
    ...(serverFactory && { serverFactory }),
    ...(clientAddress && { clientAddress }),
  })
  mountHostRule(app, addresses, config.STINT_HOST)
  const limits = rateLimits(config, now)
  const rest = { runtime, addresses: rest_addresses, authenticate, limits }
  app.register(async (scope) => mountRest(scope, rest), { prefix: '/rest/v2' })
  const origins = [api_host, auth_url]
  const tool_server = {
    ...{ runtime, authenticate: authenticateTools, canOpen: canOpenTools, limits, mcp_url, version },
    resource_metadata: addresses.mcp_metadata,
    host_names: ownHostNames(origins, config.STINT_HOST),
    origins: new Set([...origins, ...config.STINT_MCP_ALLOWED_ORIGINS]),
  }
  app.register(async (scope) => mountMcp(scope, tool_server))
  mountEntrance(app, { origin, console_url: has_console ? `${auth_url}/console` : null, version })
  mountOpenApi(app, runtime.registry, { origin, auth_url, version })
  mountReference(app, { registry: runtime.registry, settings: settingsTable })
  authorization.mountAuthorization(app)
  mountConsole(app, console_dir)
  return app
}

function rateLimits(config: Config, now: () => number) {
  const limit = (name: string, requests_max: number) =>
    createRateLimit(name, { requests_max, window_s: config.STINT_RATE_LIMIT_WINDOW_S, now })
  return {
    open: limit('open', config.STINT_RATE_LIMIT_OPEN),
    requests: limit('requests', config.STINT_RATE_LIMIT_REQUESTS),
    failures: limit('failures', config.STINT_RATE_LIMIT_FAILURES),
  }
}
