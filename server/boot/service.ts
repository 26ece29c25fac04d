import type { IncomingMessage } from 'node:http'
import { fileURLToPath } from 'node:url'
import type { FastifyRequest, FastifyServerFactory } from 'fastify'
import { type Addresses, addressesOf } from '#authorization/addresses.ts'
import { categoryWords, scopeWords } from '#authorization/consent-offers.ts'
import { noteNeededScope } from '#authorization/grants.ts'
import { type Authorization, openAuthorization } from '#authorization/index.ts'
import type { Caller } from '#core/caller.ts'
import type { Runtime } from '#core/invoke.ts'
import type { Problem } from '#core/problems.ts'
import { createRateLimit } from '#core/rate-limit.ts'
import { createRegistry } from '#core/registry.ts'
import { ownHostNames } from '#core/request-target.ts'
import { createConsoleAuthentication } from '#identity/console-request.ts'
import {
  type Authenticate,
  canOpenTools,
  createAuthentication,
  createCredentialLookUps,
  createTokenUses,
} from '#identity/resolve-caller.ts'
import { createGuardedGet } from '#outbound/guarded-get.ts'
import { type AnsweredRequests, createRequestKeeper } from '#resources/request-logs/index.ts'
import { mountScim, sendRefusal } from '#scim/mount.ts'
import { isConsoleBuilt, mountConsole } from '#surfaces/console/mount-console.ts'
import { mountEntrance } from '#surfaces/entrance/mount-entrance.ts'
import { createHttpServer } from '#surfaces/http-server.ts'
import { networkOf } from '#surfaces/https/address.ts'
import { mountMcp } from '#surfaces/mcp/mount-mcp.ts'
import { mountOpenApi } from '#surfaces/openapi/openapi-document.ts'
import { mountReference } from '#surfaces/reference/mount-reference.ts'
import { type Admission, admitCaller, countedAs, mountHostRule } from '#surfaces/request-head.ts'
import { mountRest } from '#surfaces/rest/rest.ts'
import { headersOf, problemOf } from '#surfaces/send-problem.ts'
import { openRoom } from '#webhooks/open-webhooks.ts'
import type { Wake } from '#webhooks/room.ts'
import about from '../../package.json' with { type: 'json' }
import { type BackgroundParts, createBackground } from './background.ts'
import { type Config, settingsTable } from './config.ts'
import { events, operations } from './operations.ts'
import { createRuntime, webhookParts } from './runtime.ts'

export interface ServiceParts extends BackgroundParts {
  serverFactory?: FastifyServerFactory
  clientAddress?: (request: IncomingMessage) => string
  /** Folder of the built console; `console/dist` unless a test built its own. */
  console_dir?: string
}

const built_console = fileURLToPath(new URL('../../console/dist', import.meta.url))

export type Service = ReturnType<typeof createService>

/** Makes the part that answers callers: registry → runtime → surfaces. Listening is left to the caller. */
export function createService(parts: ServiceParts, wake: Wake) {
  const { config, database, log, origin, console_dir = built_console } = parts
  const registry = createRegistry(operations, events)
  const room_parts = webhookParts(parts)
  const webhooks = openRoom({ ...parts, ...room_parts, registry }, wake)
  const runtime = createRuntime(parts, registry, webhooks)
  const uses = createTokenUses(database, log)
  const requests = createRequestKeeper({
    ...{ database, registry, log, problem_base: runtime.problem_base },
    rows_per_minute_max: config.STINT_REQUEST_LOG_PER_MINUTE,
  })
  requests.start()
  const credentials = { database, uses, lookUps: createCredentialLookUps() }
  const authenticate = createAuthentication(credentials, 'rest')
  const authenticateTools = createAuthentication(credentials, 'mcp')
  const addresses = addressesOf(origin, config.STINT_AUTH_URL)
  const outward = createGuardedGet({
    ...room_parts.egress,
    allow_loopback_http: false,
    allowed_networks: config.STINT_CLIENT_ALLOWED_NETWORKS,
  })
  const authorization = openAuthorization({
    ...{ runtime, addresses, networkOf, get: outward.get },
    grant_days: config.STINT_GRANT_LIFETIME_DAYS,
    client_documents: config.STINT_CLIENT_DOCUMENTS,
  })
  const has_console = isConsoleBuilt(console_dir)
  const { answered } = requests
  const rooms = {
    runtime,
    addresses,
    authorization,
    authenticate,
    authenticateTools,
    console_dir,
    has_console,
    answered,
  }
  return {
    app: createApplication(parts, rooms),
    runtime,
    /** Tells who calls the REST API. */
    authenticate,
    /** The same at the tool server. */
    authenticateTools,
    /** Writes what was answered into the request log. */
    requests,
    /** False where the pages of the console were not built. */
    has_console,
    /** After the application has ended: writes what is still noted in memory and closes what is open. */
    async close() {
      outward.close()
      webhooks.close()
      await Promise.all([uses.flush(), requests.close()])
    },
  }
}

export type WholeService = ReturnType<typeof createWholeService>

/** The same beside its background work in one thread, as tests and benchmarks drive both. */
export function createWholeService(parts: ServiceParts) {
  const background = createBackground(parts)
  const { close, ...service } = createService(parts, background)
  const { dispatcher, timers, cleanUp, requestWeeks, sealing } = background
  return {
    ...{ ...service, dispatcher, timers, cleanUp, requestWeeks, sealing },
    startWorkers: background.start,
    stopWorkers: background.stop,
    async close() {
      await close()
      await background.close()
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
  answered: AnsweredRequests
}

function createApplication(
  { config, clock: { now }, log, origin, serverFactory, clientAddress }: ServiceParts,
  { runtime, addresses, authorization, authenticate, authenticateTools, console_dir, has_console, answered }: Rooms,
) {
  const { version } = about
  const { base_url, auth_url, api_host, mcp_url } = addresses
  const rest_addresses = { base_url, problem_base: runtime.problem_base, resource_metadata: addresses.rest_metadata }
  const limits = rateLimits(config, now)
  const rest = { runtime, addresses: rest_addresses, limits }
  const by_token = { ...rest, name: 'rest', authenticate: byBearer(authenticate) } as const
  const scim = {
    ...{ runtime, problemOf },
    admit: (request: FastifyRequest) =>
      admitCaller({ ...by_token, limits: { ...limits, requests: limits.scim } }, request),
    count: (caller: Caller) => void limits.scim.take(countedAs(caller)),
    headersOf: (problem: Problem, request: FastifyRequest) => headersOf(problem, request, addresses.rest_metadata),
  }
  const app = createHttpServer({
    addresses: rest_addresses,
    hsts_max_age_s: config.STINT_HSTS_MAX_AGE_S,
    now,
    log,
    answered,
    own_words: { below: '/scim/', send: (error, request, reply) => sendRefusal(scim, error, request, reply) },
    noteNeededScope: (caller, problem) => noteNeededScope(runtime, caller, problem),
    ...(serverFactory && { serverFactory }),
    ...(clientAddress && { clientAddress }),
  })
  mountHostRule(app, addresses, config.STINT_HOST)
  const by_session = createConsoleAuthentication(runtime.database, auth_url)
  const of_console = { ...rest, name: 'console', authenticate: by_session } as const
  app.register(async (scope) => mountRest(scope, by_token), { prefix: '/rest/v2' })
  app.register(async (scope) => mountRest(scope, of_console), { prefix: '/console/rest/v2' })
  app.register(async (scope) => mountScim(scope, scim), { prefix: '/scim' })
  const origins = [api_host, auth_url]
  const tool_server = {
    ...{ runtime, authenticate: byBearer(authenticateTools), canOpen: canOpenTools, limits, mcp_url, version },
    resource_metadata: addresses.mcp_metadata,
    host_names: ownHostNames(origins, config.STINT_HOST),
    origins: new Set([...origins, ...config.STINT_MCP_ALLOWED_ORIGINS]),
  }
  app.register(async (scope) => mountMcp(scope, tool_server))
  mountEntrance(app, { origin, console_url: has_console ? `${auth_url}/console` : null, version })
  mountOpenApi(app, runtime.registry, { origin, auth_url, version })
  const rights = { scopes: scopeWords, categories: categoryWords }
  mountReference(app, { registry: runtime.registry, settings: settingsTable, rights, origin: addresses.api_host })
  authorization.mountAuthorization(app)
  mountConsole(app, console_dir)
  return app
}

const byBearer =
  (authenticate: Authenticate): Admission['authenticate'] =>
  ({ headers, client_address }) =>
    authenticate(headers.authorization, client_address)

function rateLimits(config: Config, now: () => number) {
  const limit = (name: string, requests_max: number) =>
    createRateLimit(name, { requests_max, window_s: config.STINT_RATE_LIMIT_WINDOW_S, now })
  return {
    open: limit('open', config.STINT_RATE_LIMIT_OPEN),
    requests: limit('requests', config.STINT_RATE_LIMIT_REQUESTS),
    scim: limit('scim', config.STINT_RATE_LIMIT_SCIM),
    failures: limit('failures', config.STINT_RATE_LIMIT_FAILURES),
  }
}
