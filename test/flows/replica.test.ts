import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type pg from 'pg'
import { pino } from 'pino'
import { invoke } from '#core/invoke.ts'
import { openReplica, type Replica } from '#core/replica.ts'
import { openDatabase, sql } from '#db/database.ts'
import { migrate } from '#db/migrate.ts'
import { organizationScopes, sensitiveCategories } from '#identity/scopes.ts'
import { createAdministrator, createOperatorToken } from '#operator/administration.ts'
import { writeSecretsFile } from '#operator/secrets-file.ts'
import { createTestDatabase, type TestDatabase } from '#test/database.ts'
import { createContract } from '#test/factories.ts'
import { clientFor, freePort, startServiceProcess } from '#test/process.ts'
import { onServer } from '#test/server-of-run.ts'
import { startTestService, type TestOrganization, type TestService } from '#test/service.ts'
import { type ReplicatedServer, replay, type Standby, startReplicatedServer } from '#test/standby.ts'
import { dataFolder } from '#test/stint.ts'
import { everyOperation, holdsFor, registered } from '../contract/derived/every-operation.ts'
import { realPath } from '../contract/derived/rows.ts'
import { tokenFor } from '../contract/derived/tokens.ts'

const age_max_ms = 5_000
const header = 'stint-read-age-ms'

let server: ReplicatedServer
let own: TestDatabase
let service: TestService
let replica: Replica
/** The clock by which the replica is judged. */
let monotonic_ms = 0

before(async () => {
  server = await startReplicatedServer()
  own = await createTestDatabase(server)
  await server.standby.caughtUp()
  // As for every derived test: samples name receivers on this machine.
  service = await startTestService(
    { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' },
    { own, openReplica: (secrets, log) => openOn({ secrets, log }) },
  )
  replica = service.runtime.replica ?? assert.fail('the service has no replica')
})
after(async () => {
  await replica?.close()
  await service?.close()
  await server?.stop()
})

function openOn(parts: Partial<Parameters<typeof openReplica>[0]> = {}): Replica {
  return openReplica({
    primary: own.connection,
    replica: onStandby(server.standby),
    ...{ connections_max: 4, age_max_ms, monotonic_ms: () => monotonic_ms },
    ...{ secrets: service?.runtime.secrets, log: pino({ enabled: false }) },
    ...parts,
  })
}

const onStandby = ({ login }: Standby) => ({ ...login, database: own.connection.database })

/** Time goes on, the replica shows all there is, and that is known. */
async function arrive(): Promise<void> {
  monotonic_ms += 100
  const anybody = { caller: { credential_id: 'none' }, age_accepted_ms: 1 }
  // The server writes to its log now and then by itself, also between the two questions of a look.
  for (let looks = 0; !(await replica.read(anybody, async () => ({}))); looks += 1) {
    assert.ok(looks < 1_000, `the replica does not get there: ${replica.fault()}`)
    await server.standby.caughtUp()
    await replica.look()
  }
}

/** Another credential of the organization, which has changed nothing. */
const reader = () => service.createToken(service.organization.id)

const list = async (token: string, headers: Record<string, string> = {}, query: Record<string, unknown> = {}) => {
  const { status, body, headers: answered } = await service.call('GET', '/contracts', { token, headers, query })
  assert.equal(status, 200, JSON.stringify(body))
  const ids = (body.data as { id: string }[]).map(({ id }) => id)
  return { ids, cursor: body.cursor as string, age: answered[header] === undefined ? null : Number(answered[header]) }
}

const childrenOf = (pid: number) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)

/** Runs a test while the replica gets no further. */
async function whilePaused(work: () => Promise<void>): Promise<void> {
  await replay(server.standby, 'pause')
  try {
    await work()
  } finally {
    await replay(server.standby, 'resume')
  }
}

/** In a sandbox every operation can be tried. */
let organization: TestOrganization | undefined

test('every list and every export comes from the replica and tells its age, and no other read does', () =>
  holdsFor(
    everyOperation.filter(({ method }) => method === 'GET'),
    async (operation) => {
      organization ??= await service.createOrganization({ is_sandbox: true })
      const token = await tokenFor(service, organization, operation)
      const path = await realPath(service, organization, operation)
      await arrive()
      const query = operation.file && !path.endsWith('/pdf') ? { from: '2026-01-01', to: '2026-03-01' } : {}
      const { status, headers, body } = await service.call('GET', path, { token, query })
      assert.ok(status === 200 || !registered(operation).may_be_behind, JSON.stringify(body))
      const isMany =
        'cursor' in operation.input.properties || operation.file?.media_type.startsWith('text/csv') === true
      assert.equal(headers[header] !== undefined, isMany)
    },
  ))

test('a list may leave out what was committed within its age, and no-cache leaves nothing out', async () => {
  const token = await reader()
  await arrive()
  await whilePaused(async () => {
    const { id } = await createContract(service)
    monotonic_ms += 3_000
    await replica.look()
    const behind = await list(token)
    assert.ok(!behind.ids.includes(id), 'it was read from the replica')
    assert.ok(behind.age !== null && behind.age >= 3_000 && behind.age <= age_max_ms, `${behind.age}`)
    for (const asked of ['no-cache', 'max-age=0', 'max-age=2', 'no-store, max-age="2"', 'max-age=soon']) {
      const now = await list(token, { 'cache-control': asked })
      assert.deepEqual([now.ids.includes(id), now.age], [true, null], asked)
    }
    assert.notEqual((await list(token, { 'cache-control': 'max-age=4' })).age, null)
  })
})

test('whoever changed something finds it in every list that follows, from the replica once it is there', async () => {
  const other = await reader()
  await arrive()
  await whilePaused(async () => {
    const { id } = await createContract(service)
    monotonic_ms += 10
    await replica.look()
    const mine = await list(service.organization.token)
    assert.deepEqual([mine.ids[0], mine.age], [id, null])
    assert.notEqual((await list(other)).ids[0], id, 'others may see it later')
  })
  await arrive()
  const { ids, age } = await list(service.organization.token)
  assert.deepEqual([ids[0] !== undefined, age], [true, 0])
  assert.deepEqual(ids, (await list(other, { 'cache-control': 'no-cache' })).ids)
})

test('a replica that is further behind than the bound is not read, until it has caught up', async () => {
  const token = await reader()
  await arrive()
  await whilePaused(async () => {
    const { id } = await createContract(service)
    monotonic_ms += age_max_ms + 1
    await replica.look()
    assert.match(String(replica.fault()), /more than 5000 ms behind/)
    const { ids, age } = await list(token)
    assert.deepEqual([ids[0], age], [id, null])
  })
  await arrive()
  assert.equal((await list(token)).age, 0)
})

test('a primary on which nothing happens leaves its replica as young as the last look', async () => {
  const token = await reader()
  await arrive()
  for (let hours = 0; hours < 3; hours += 1) {
    monotonic_ms += 3_600_000
    assert.equal((await list(token)).age, null)
    await arrive()
    assert.equal((await list(token)).age, 0)
  }
})

test('a credential that was revoked is refused at once, whatever the replica shows', async () => {
  const { body } = await service.call('POST', '/api-tokens', {
    body: { name: 'short-lived', scopes: ['contracts:read'] },
  })
  await arrive()
  await whilePaused(async () => {
    assert.notEqual((await list(body.token)).age, null)
    const { status } = await service.call('DELETE', `/api-tokens/${body.id}`)
    assert.equal(status, 204)
    const refused = await service.call('GET', '/contracts', { token: body.token })
    assert.deepEqual([refused.status, refused.body.code], [401, 'unauthenticated'])
  })
})

test('what has not arrived at the replica is not refused: a refusal is always that of the primary', async () => {
  const token = await reader()
  await arrive()
  await whilePaused(async () => {
    const { id } = await createContract(service)
    monotonic_ms += 10
    await replica.look()
    const answer = await service.call('GET', `/contracts/${id}/amendments`, { token })
    assert.deepEqual([answer.status, answer.headers[header]], [200, undefined])
    const none = await service.call('GET', '/contracts', { token, query: { cursor: 'none' } })
    assert.equal(none.body.code, 'invalid_cursor')
  })
})

test('a walk that began at the primary misses no row when its next pages could come from the replica', async () => {
  const token = await reader()
  await arrive()
  await whilePaused(async () => {
    const made: string[] = []
    for (let contracts = 0; contracts < 3; contracts += 1) made.unshift((await createContract(service)).id)
    monotonic_ms += 10
    await replica.look()
    let page = await list(token, { 'cache-control': 'no-cache' }, { limit: 1 })
    const seen = [...page.ids]
    while (seen.length < made.length) {
      page = await list(token, {}, { limit: 1, cursor: page.cursor })
      seen.push(...page.ids)
    }
    assert.deepEqual(seen, made)
  })
})

test('a walk on the replica goes on at the primary when the replica is not read any more', async () => {
  const token = await reader()
  await createContract(service)
  await createContract(service)
  await arrive()
  const first = await list(token, {}, { limit: 1 })
  assert.equal(first.age, 0)
  monotonic_ms += age_max_ms + 1
  const second = await list(token, {}, { limit: 1, cursor: first.cursor })
  assert.deepEqual([second.ids.length, second.age], [1, null])
})

test('a read on the replica is one of the role and the organization that it is on the primary', async () => {
  const theirs = await service.createOrganization({ name: 'Northern Elm' })
  const theirs_contract = await createContract(service, {}, theirs)
  const blind = await service.createToken(service.organization.id, { without: ['compensation'] })
  await createContract(service)
  await arrive()
  const mine = await list(await reader())
  assert.notEqual(mine.age, null)
  assert.ok(!mine.ids.includes(theirs_contract.id))
  const { body, headers } = await service.call('GET', '/contracts', { token: blind })
  assert.equal(headers['sensitive-data-withheld'], 'compensation')
  assert.notEqual(headers[header], undefined)
  assert.deepEqual(
    new Set(body.data.map((row: { compensation: { amount: unknown } }) => row.compensation.amount)),
    new Set([null]),
  )
  const caller = { credential_id: 'none' }
  const seen = await replica.read({ caller, age_accepted_ms: age_max_ms }, ({ database }) =>
    database.transaction({ role: 'app', organization_id: theirs.id, read_only: true }, async (tx) => ({
      rows: await tx.rows<object>(
        sql`select current_user::text as role, pg_is_in_recovery() as is_replica, count(*)::int as rows from contracts`,
      ),
    })),
  )
  assert.deepEqual(seen?.rows, [{ role: 'stint_app', is_replica: true, rows: 1 }])
})

test('tools and the console read at the primary', async () => {
  await arrive()
  const operation = service.runtime.registry.operation('contracts.list')
  const caller = await service.authenticate(`Bearer ${await reader()}`, null)
  const call = { operation, caller, input: {}, from_text: false, request_id: 'x', trace_id: null, address: null }
  assert.equal((await invoke(service.runtime, call)).read_age_ms, undefined)
  assert.equal((await invoke(service.runtime, { ...call, age_accepted_ms: age_max_ms })).read_age_ms, 0)
})

test('a server is not read that is no standby, that is one of another database, or that did not follow a failover', async () => {
  const found = async (parts: Parameters<typeof openOn>[0]) => {
    const other = openOn(parts)
    await other.look()
    const fault = other.fault()
    await other.close()
    return fault
  }
  assert.match(String(await found({ replica: own.connection })), /no standby/)
  const foreign = await createTestDatabase()
  assert.match(String(await found({ primary: foreign.connection })), /another database/)
  await foreign.drop()
  const promoted = await server.copy()
  await onServer(promoted.connection, 'select pg_promote()')
  const other_timeline = await found({ primary: onStandby(promoted) })
  await promoted.stop()
  assert.match(String(other_timeline), /on timeline 1, the primary on 2 since a failover/)
})

/** Asks again until it is so; each time the service is asked anew. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  const until_ms = performance.now() + 60_000
  while (!(await isSo())) assert.ok(performance.now() < until_ms, `not so within a minute: ${isSo}`)
}

test('a service with DATABASE_REPLICA_URL reads lists there, and warns while it does not', async (t) => {
  const data_dir = await dataFolder(t)
  const name = 'stint_served'
  await onServer(server.connection, `create database ${name}`)
  const owner = openDatabase({ ...server.connection, database: name }, { connections_max: 2 })
  t.after(() => owner.close())
  await migrate(owner)
  const organization = {
    name: 'Harbour Pine',
    country: 'DE',
    default_currency: 'EUR',
    timezone: 'UTC',
    is_sandbox: false,
  }
  await createAdministrator(owner, { email: 'ada@harbour.example', name: 'Ada', password: null, organization })
  const { token } = await createOperatorToken(owner, {
    ...{ organization: organization.name, name: 'test', scopes: organizationScopes },
    ...{ sensitive_data: sensitiveCategories, expires_at: null },
  })
  await server.standby.caughtUp()
  writeSecretsFile(join(data_dir, 'secrets.json'))
  const urlOf = ({ user, host, port }: pg.PoolConfig) => `postgres://${user}@localhost:${port}/${name}?host=${host}`
  const [port, management_port] = [await freePort(), await freePort()]
  const environment = {
    ...{ DATABASE_URL: urlOf(server.login), DATABASE_REPLICA_URL: urlOf(server.standby.login) },
    ...{ STINT_REPLICA_AGE_MAX_MS: '1000', STINT_MANAGEMENT_PORT: String(management_port) },
    STINT_SECRETS_FILE: join(data_dir, 'secrets.json'),
  }
  const served = await startServiceProcess({ data_dir, port, environment })
  t.after(() => served.kill('SIGTERM'))
  const client = await clientFor(data_dir, token)
  t.after(() => client.close())
  const listed = () => client.call('GET', `${served.origin}/rest/v2/people`)
  const management = async (path: string) => (await fetch(`http://127.0.0.1:${management_port}${path}`)).text()
  const warning = async () => JSON.parse(await management('/health/ready')).warnings.replica

  await until(async () => (await listed()).headers[header] !== undefined)
  assert.equal(await warning(), undefined)
  const person = { first_name: 'Mira', last_name: 'Sato', email: 'mira@harbour.example' }
  assert.equal((await client.call('POST', `${served.origin}/rest/v2/people`, person)).status, 201)
  assert.equal((await listed()).body.data[0].first_name, 'Mira')
  await until(async () => (await listed()).headers[header] !== undefined)
  const guide = await readFile(new URL('../../docs/guides/scaling.md', import.meta.url), 'utf8')
  const [, command = ''] = /```sh\n(curl.*?)```/s.exec(guide) ?? []
  await whilePaused(async () => {
    await client.call('POST', `${served.origin}/rest/v2/people`, { ...person, email: 'sato@harbour.example' })
    const env = { STINT_URL: served.origin, STINT_TOKEN: token, CURL_CA_BUNDLE: join(data_dir, 'tls', 'ca.pem') }
    const { stdout } = spawnSync('bash', ['-c', command], { env: { ...process.env, ...env }, encoding: 'utf8' })
    if (stdout !== '' || process.env.CI) assert.match(stdout, /sato@harbour\.example/)
    await until(async () => (await warning()) !== undefined)
    assert.equal(await warning(), 'lists are read at the primary: it is more than 1000 ms behind')
    assert.match(await management('/metrics'), /^db_replica_age_seconds \+Inf$/m)
    assert.equal((await listed()).headers[header], undefined)
  })
  await until(async () => (await warning()) === undefined)
  assert.match(await management('/metrics'), /^db_replica_reads_total\{answered_by="replica"\} [1-9]/m)
})

test('reads under way on a replica that stands still go on at the primary', {
  skip: process.platform !== 'linux',
}, async () => {
  await arrive()
  const { pid } = server.standby
  const still = openOn({ timeout_ms: 500 })
  await still.look()
  assert.equal(still.fault(), null)
  const standing = Promise.withResolvers<number[]>()
  const read = still.read({ caller: { credential_id: 'none' }, age_accepted_ms: age_max_ms }, ({ database }) =>
    database.transaction({ role: 'app', organization_id: service.organization.id, read_only: true }, async (tx) => {
      const processes = [pid, ...childrenOf(pid)]
      for (const one of processes) process.kill(one, 'SIGSTOP')
      standing.resolve(processes)
      return { row: await tx.row<{ one: number }>(sql`select 1 as one`) }
    }),
  )
  const processes = await standing.promise
  try {
    await still.look()
    assert.equal(still.fault(), 'it does not answer')
    assert.equal(await read, undefined)
  } finally {
    for (const one of processes) process.kill(one, 'SIGCONT')
  }
  await still.close()
  await arrive()
})

test('a replica that was killed costs no caller an error', async () => {
  const token = await reader()
  await arrive()
  assert.equal((await list(token)).age, 0)
  await server.standby.stop()
  // It is not known yet that it is gone.
  assert.equal((await list(token)).age, null)
  await replica.look()
  assert.notEqual(replica.fault(), null)
  assert.equal((await list(token)).age, null)
  const left = service.logged.filter((line) => line.includes('"replica_left"'))
  assert.ok(left.length > 0)
})
