import type { IncomingMessage } from 'node:http'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyServerFactory } from 'fastify'
import type pg from 'pg'
import type { Logger } from 'pino'
import {
  type Addresses,
  type Authorization,
  addressesOf,
  noteNeededScope,
  openAuthorization,
} from '#authorization/index.ts'
import type { Clock } from '#core/clock.ts'
import type { Runtime } from '#core/invoke.ts'
import { type CleanUp, createCleanUp, idempotentAnswers } from '#core/jobs/clean-up.ts'
import { createTimerJob, type TimerJob } from '#core/jobs/fire-timers.ts'
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
import { isConsoleBuilt, mountConsole } from '#surfaces/console/mount-console.ts'
import { mountEntrance } from '#surfaces/entrance/mount-entrance.ts'
import { createHttpServer } from '#surfaces/http-server.ts'
import { networkOf } from '#surfaces/https/address.ts'
import { mountMcp } from '#surfaces/mcp/mount-mcp.ts'
import { mountOpenApi } from '#surfaces/openapi/mount-openapi.ts'
import { mountReference } from '#surfaces/reference/mount-reference.ts'
import { mountHostRule } from '#surfaces/request-head.ts'
import { mountRest } from '#surfaces/rest/rest.ts'
import { createGuardedGet, openWebhooks, type Webhooks } from '#webhooks/index.ts'
import about from '../../package.json' with { type: 'json' }
import { type Config, settingsTable } from './config.ts'
import { events, operations, timers } from './operations.ts'
import { egressSettings, webhookSettings } from './webhook-settings.ts'

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

export interface Service {
  app: FastifyInstance
  runtime: Runtime
  /** Tells who calls the REST API. */
  authenticate: Authenticate
  /** The same at the tool server. */
  authenticateTools: Authenticate
  /** Fires what is due; runs by itself only where the workers are started. */
  timers: TimerJob
  /** Removes what is kept for a time only; runs by itself only where the workers are started. */
  cleanUp: CleanUp
  /** Sends what webhooks are due; runs by itself only where the workers are started. */
  dispatcher: Webhooks['dispatcher']
  /** False where the pages of the console were not built. */
  has_console: boolean
  /** Starts background work: the role `worker` of a process. */
  startWorkers(): Promise<void>
  /** Ends background work within the bound of the settings. */
  stopWorkers(): Promise<void>
  /** After workers and application have ended: writes what is still noted in memory and closes what is open. */
  close(): Promise<void>
}

const built_console = fileURLToPath(new URL('../../console/dist', import.meta.url))

/** Puts the rooms together: registry → runtime → surfaces → workers. Listening is left to the caller. */
export function createService(parts: ServiceParts): Service {
  const { config, database, secrets, clock, log, strict, origin } = parts
  const registry = createRegistry(operations, events)
  const webhooks = openWebhooks({
    ...parts,
    registry,
    settings: webhookSettings(config),
    egress: egressSettings(config, origin),
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
  const timerJob = createTimerJob(runtime, timers)
  const credentials = { database, uses, lookUps: createCredentialLookUps() }
  const authenticate = createAuthentication(credentials, 'rest')
  const authenticateTools = createAuthentication(credentials, 'mcp')
  const addresses = addressesOf(origin, config.STINT_AUTH_URL)
  const outward = createGuardedGet({
    ...egressSettings(config, origin),
    allow_loopback_http: false,
    allowed_networks: config.STINT_CLIENT_ALLOWED_NETWORKS,
  })
  const authorization = openAuthorization({
    ...{ runtime, addresses, networkOf, get: outward.get },
    grant_days: config.STINT_GRANT_LIFETIME_DAYS,
    client_documents: config.STINT_CLIENT_DOCUMENTS,
  })
  const inspector = createInspector(database, log)
  const cleanUp = createCleanUp(log, [...idempotentAnswers(database), ...authorization.expired])
  return {
    app: createApplication(parts, { runtime, addresses, authorization, authenticate, authenticateTools }),
    runtime,
    authenticate,
    authenticateTools,
    timers: timerJob,
    cleanUp,
    dispatcher: webhooks.dispatcher,
    has_console: isConsoleBuilt(parts.console_dir ?? built_console),
    async startWorkers() {
      timerJob.start()
      cleanUp.start()
      webhooks.start()
      inspector.start()
    },
    async stopWorkers() {
      await Promise.all([timerJob.stop(), cleanUp.stop(), webhooks.stop(), inspector.stop()])
    },
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
}

function createApplication(parts: ServiceParts, rooms: Rooms) {
  const { runtime, addresses, authorization, authenticate, authenticateTools } = rooms
  const { config, clock, log, origin, serverFactory, clientAddress } = parts
  const { now } = clock
  const rest_addresses = {
    base_url: addresses.base_url,
    problem_base: runtime.problem_base,
    resource_metadata: addresses.rest_metadata,
  }
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
  const surface = { runtime, addresses: rest_addresses, authenticate, limits }
  app.register(async (rest) => mountRest(rest, surface), { prefix: '/rest/v2' })
  const origins = [addresses.api_host, addresses.auth_url]
  const tool_server = {
    runtime,
    authenticate: authenticateTools,
    canOpen: canOpenTools,
    limits,
    resource_metadata: addresses.mcp_metadata,
    mcp_url: addresses.mcp_url,
    host_names: ownHostNames(origins, config.STINT_HOST),
    origins: new Set([...origins, ...config.STINT_MCP_ALLOWED_ORIGINS]),
    version: about.version,
  }
  app.register(async (mcp) => mountMcp(mcp, tool_server))
  const has_console = isConsoleBuilt(parts.console_dir ?? built_console)
  const console_url = has_console ? `${addresses.auth_url}/console` : null
  mountEntrance(app, { origin, console_url, version: about.version })
  mountOpenApi(app, runtime.registry, { origin, auth_url: addresses.auth_url, version: about.version })
  mountReference(app, { registry: runtime.registry, settings: settingsTable })
  authorization.mountAuthorization(app)
  mountConsole(app, parts.console_dir ?? built_console)
  return app
}

function rateLimits(config: Config, now: () => number) {
  const window_s = config.STINT_RATE_LIMIT_WINDOW_S
  return {
    open: createRateLimit('open', { requests_max: config.STINT_RATE_LIMIT_OPEN, window_s, now }),
    requests: createRateLimit('requests', { requests_max: config.STINT_RATE_LIMIT_REQUESTS, window_s, now }),
    failures: createRateLimit('failures', { requests_max: config.STINT_RATE_LIMIT_FAILURES, window_s, now }),
  }
}
