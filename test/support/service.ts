import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { TestContext } from 'node:test'
import type { InjectOptions } from 'fastify'
import type { Logger } from 'pino'
import { type Config, settingsTable } from '#boot/config.ts'
import { createWholeService, type ServiceParts, type WholeService } from '#boot/service.ts'
import { readSettings } from '#boot/settings.ts'
import type { Scope, SensitiveCategory } from '#core/caller.ts'
import { createLog } from '#core/log.ts'
import type { Replica } from '#core/replica.ts'
import type { Secrets } from '#core/secrets.ts'
import { newId } from '#core/values.ts'
import { sql } from '#db/database.ts'
import { organizationScopes, sensitiveCategories } from '#identity/scopes.ts'
import { issueToken } from '#identity/token.store.ts'
import { insertOrganization } from '#resources/organizations/index.ts'
import { createTestDatabase, type TestClock, type TestDatabase } from './database.ts'
import { secretsLeft } from './secrets.ts'

export interface TestCallOptions {
  token?: string | null
  query?: Record<string, unknown>
  body?: unknown
  headers?: Record<string, string>
}

export interface TestAnswer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  body: any
  headers: Record<string, string | string[] | number | undefined>
}

export interface TestOrganization {
  id: string
  /** Organization token with every scope and category. */
  token: string
}

export interface TestService extends WholeService {
  config: Config
  clock: TestClock
  database: TestDatabase
  /** Lines of the log so far. */
  logged: string[]
  /** Calls the REST API in process, as the organization made at the start unless a token is given. */
  call(method: string, path: string, options?: TestCallOptions): Promise<TestAnswer>
  createOrganization(options?: { name?: string; is_sandbox?: boolean }): Promise<TestOrganization>
  createToken(
    organization_id: string,
    options?: {
      scopes?: readonly Scope[]
      sensitive_data?: readonly SensitiveCategory[]
      /** Categories that are left out. */
      without?: readonly SensitiveCategory[]
      expires_at?: string | null
      is_sandbox?: boolean
    },
  ): Promise<string>
  /** The organization made at the start. */
  organization: TestOrganization
  /** Types of the events recorded since the last call of this, oldest first, of one organization. */
  takeEvents(organization_id?: string): Promise<{ event_type: string; resource: Record<string, unknown>[] }[]>
  close(): Promise<void>
}

/** The database, where it is made otherwise, and what opens a standby of it. */
interface OwnDatabase {
  own?: TestDatabase
  openReplica?: (secrets: Secrets, log: Logger) => Replica
}

/** The whole service on a database of its own, with every check of our own answers switched on. */
export async function startTestService(
  settings: Record<string, string> = {},
  given: Partial<Pick<ServiceParts, 'origin' | 'serverFactory' | 'clientAddress' | 'console_dir'>> & OwnDatabase = {},
): Promise<TestService> {
  const { own = await createTestDatabase(), openReplica, ...given_parts } = given
  const logged: string[] = []
  const refusals: string[] = []
  const secrets = {
    sealing_keys: [{ id: 'test', key: randomBytes(32) }],
  }
  const config = readSettings(settingsTable, {
    STINT_RATE_LIMIT_REQUESTS: '1000000',
    STINT_RATE_LIMIT_FAILURES: '1000000',
    ...settings,
  })
  const log = createLog('info', { write: (line: string) => void logged.push(line) })
  const parts = {
    config,
    origin: 'https://stint.test',
    database: own.database,
    connection: own.connection,
    secrets,
    clock: own.clock,
    log,
    strict: true,
    monotonic_ms: own.clock.now,
    ...given_parts,
    replica: openReplica?.(secrets, log),
  }
  const service = createWholeService(parts)
  await service.app.ready()
  const seen = new Set<string>()

  const createToken: TestService['createToken'] = (organization_id, options = {}) =>
    own.database.transaction({ role: 'app', organization_id }, async (tx) => {
      const { token } = await issueToken(tx, {
        id: newId(own.clock.now()),
        organization_id,
        kind: 'organization',
        name: 'test',
        is_sandbox: options.is_sandbox ?? false,
        scopes: [...(options.scopes ?? organizationScopes)],
        sensitive_data: (options.sensitive_data ?? sensitiveCategories).filter(
          (category) => !options.without?.includes(category),
        ),
        created_by: { kind: 'system', id: null, name: 'test' },
        expires_at: options.expires_at ?? null,
      })
      return token
    })
  const createOrganization: TestService['createOrganization'] = async ({
    name = 'Harbour Pine',
    is_sandbox = false,
  } = {}) => {
    const id = newId(own.clock.now())
    await own.database.transaction({ role: 'app', organization_id: id }, (tx) =>
      insertOrganization(tx, {
        id,
        name,
        country: 'DE',
        default_currency: 'EUR',
        timezone: 'Europe/Berlin',
        is_sandbox,
      }),
    )
    return { id, token: await createToken(id, { is_sandbox }) }
  }
  const organization = await createOrganization()

  return {
    ...service,
    config,
    clock: own.clock,
    database: own,
    logged,
    organization,
    createOrganization,
    createToken,
    async call(method, path, { token = organization.token, query, body, headers = {} } = {}) {
      const answer = await service.app.inject({
        method: method as NonNullable<InjectOptions['method']>,
        url: path.startsWith('/rest/') || path.startsWith('/.') ? path : `/rest/v2${path}`,
        headers: {
          ...(token !== null && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(query && { query: query as Record<string, string> }),
        ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      if (answer.statusCode >= 400) refusals.push(answer.body)
      const isJson = String(answer.headers['content-type'] ?? '').includes('json')
      return {
        status: answer.statusCode,
        headers: answer.headers,
        body: isJson ? JSON.parse(answer.body) : answer.body,
      }
    },
    async takeEvents(organization_id = organization.id) {
      // By transaction first: while the clock of a test stands still, ids count upwards only as long as no other clock
      // of the process makes ids in between.
      const recorded = await own.database.transaction({ role: 'app', organization_id }, (tx) =>
        tx.rows<{ event_id: string; event_type: string; resource: Record<string, unknown>[] }>(sql`
          select event_id, event_type, resource from events
          where organization_id = ${organization_id} and not is_simulation order by xmin::text::bigint, event_id`),
      )
      const rows = recorded.filter(({ event_id }) => !seen.has(event_id))
      for (const { event_id } of rows) seen.add(event_id)
      return rows.map(({ event_type, resource }) => ({ event_type, resource }))
    },
    async close() {
      await service.app.close()
      await service.stopWorkers()
      await service.close()
      const left = await secretsLeft({ logged, refusals }, own.owner)
      await own.drop()
      assert.deepEqual(left, [], 'a secret rests in plain text')
    },
  }
}

/** The same, closed when the test ends. */
export async function useTestService(t: TestContext, settings?: Record<string, string>): Promise<TestService> {
  const service = await startTestService(settings)
  t.after(() => service.close())
  return service
}

/** The same service as seen from one organization: calls carry its token, and events are its own. */
export function inOrganization(service: TestService, organization: TestOrganization): TestService {
  return {
    ...service,
    organization,
    call: (method, path, options) => service.call(method, path, { token: organization.token, ...options }),
    takeEvents: (organization_id = organization.id) => service.takeEvents(organization_id),
  }
}
