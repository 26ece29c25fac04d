import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { openDatabase } from '#db/database.ts'
import { createAdministrator, createOperatorToken } from '#operator/administration.ts'
import { answer, startReceiver } from '#test/receiver.ts'
import { receiverCertificate } from '#test/receiver-certificates.ts'
import { stint } from '#test/stint.ts'
import { readAllContracts } from '../support/load.ts'
import { reckon, untilDelivered } from '../support/reckoning.ts'
import { type Calls, createCaller, keepCalling } from './callers.ts'
import { passwords, runBalancer, runDatabase, runEtcd, statements, untilWhole } from './database-machines.ts'
import { type Machine, makeNetwork } from './machines.ts'
import { type Scenario, type ServiceMachine, scenarios } from './scenarios.ts'
import { type Fault, printTable, rowOf } from './table.ts'

/** The whole of it, from the machines to the reckoning; `cluster.sh` lends it a network and files that end with it. */

const host = 'stint.test'
const receiver_ms = 150
const start_limit_ms = 120_000
/** The longest that a fault may have consequences. */
const whole_limit_ms = 180_000
const calm_ms = 2_000
/** A commit of the engine is on the disk of the primary and on its way to the replica within this. */
const forgotten_ms = 2_000

const words = process.argv.slice(2)
const chosen = scenarios.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)))
assert.ok(chosen.length > 0, `no scenario has any of ${words}: ${scenarios.map(({ name }) => name).join('; ')}`)

const say = (text: string) => console.log(`${(performance.now() / 1_000).toFixed(1).padStart(6)} s  ${text}`)
const folder = process.env.TMPDIR ?? ''
const make = await makeNetwork(folder, process.env.LOGS ?? join(folder, 'logs'))
const callers = await make('callers', '10.77.0.1')
const apis = [await make('api1', '10.77.0.11'), await make('api2', '10.77.0.12')] as const
const workers = [await make('worker1', '10.77.0.21'), await make('worker2', '10.77.0.22')] as const
const db = [await make('db1', '10.77.0.31'), await make('db2', '10.77.0.32')]
const witness = await make('witness', '10.77.0.33')

const voters = [...db, witness]
const databases = db.map((machine) => runDatabase(machine, voters))
const etcd = [...databases.map((one) => one.etcd), runEtcd(witness, voters)]
runBalancer(callers, db)
const first = await untilWhole(db, start_limit_ms)
say(`PostgreSQL is up: ${first.primary} is primary, ${first.replica} its synchronous replica`)

const addressOf = (name: string) => db.find((machine) => machine.name === name)?.address ?? ''
const urlOf = (user: keyof typeof passwords, place: string, name = 'stint') =>
  `postgres://${user}:${passwords[user]}@${place}/${name}`

/** Of the balancer on the same machine, which knows the primary. */
const atBalancer = { DATABASE_URL: urlOf('stint_service', '127.0.0.1:5432') }

await onServer('postgres', `create role stint login createdb createrole password '${passwords.stint}'`)
await onServer('postgres', 'create database stint owner stint')
const secrets_file = join(folder, 'secrets.json')
const arrivals = new EventEmitter()
const receiver = await startReceiver({
  ...{ host: '10.77.0.1', names: ['10.77.0.1'] },
  behaviour: async (socket, request) => {
    arrivals.emit('from', socket.remoteAddress)
    await delay(receiver_ms)
    await answer()(socket, request)
  },
})
const certificate = await receiverCertificate('valid', [host])
const files = { ca: join(folder, 'ca.pem'), cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }
writeFileSync(files.ca, receiver.ca)
writeFileSync(files.cert, certificate.cert)
writeFileSync(files.key, certificate.key)
await run('keys create')
await run('migrate up')
await onServer('stint', `alter role stint_service login password '${passwords.stint_service}'`)
await onServer('stint', 'create schema probe; create table probe.writes (at timestamptz)')
await refusePoolerAsItIs()

const served = await Promise.all([
  ...apis.map((machine) => serve(machine, 'api')),
  ...workers.map((machine) => serve(machine, 'worker')),
])
const [api1, api2, worker1, worker2] = served as [ServiceMachine, ServiceMachine, ServiceMachine, ServiceMachine]
const token = await firstToken()
const caller = createCaller(
  apis.map(({ address }) => address),
  { host, ca: receiver.ca, token },
)
const subscription = await caller.call('POST', '/webhooks', {
  url: `https://10.77.0.1:${receiver.port}/hook`,
  events: ['contract.created'],
})
assert.equal(subscription.status, 201, JSON.stringify(subscription.body))
const calls = keepCalling(caller)
await untilCalm(calls)
say('two APIs and two workers serve; the load begins')

const faults: Fault[] = []
const crashes: { from_ms: number; to_ms: number }[] = []
for (const scenario of chosen) faults.push(await play(scenario))
await calls.stop()
say('the load has ended; waiting for what is still to be delivered')
const reader = { call: (method: 'GET', path: string) => caller.call(method, path) }
const broken = await reckonAll().then(
  () => null,
  (error: unknown) => error,
)
printTable(faults.map((one) => rowOf(one, calls, receiver.requests)))
if (broken) console.error(broken)
process.exit(broken ? 1 : 0)

async function play({ name, loses_server, strike }: Scenario): Promise<Fault> {
  const roles = await untilWhole(db, whole_limit_ms)
  const [primary, replica] = [roles.primary, roles.replica].map((one) =>
    databases.find(({ machine }) => machine.name === one),
  )
  assert.ok(primary && replica)
  await untilCalm(calls)
  say(`${name} (primary ${roles.primary})`)
  const from_ms = performance.now()
  const told = await strike({ apis: [api1, api2], sendingWorker, etcd, primary, replica })
  if (told) say(told)
  const after = await untilWhole(db, whole_limit_ms)
  await untilCalm(calls)
  const to_ms = performance.now()
  if (loses_server) crashes.push({ from_ms: from_ms - forgotten_ms, to_ms })
  say(`  whole again; ${after.primary} is primary`)
  return { name, from_ms, to_ms }
}

async function sendingWorker(): Promise<ServiceMachine> {
  const [address] = await once(arrivals, 'from')
  const sending = [worker1, worker2].find(({ machine }) => machine.address === address)
  assert.ok(sending, `a request arrived from ${address}`)
  return sending
}

async function reckonAll() {
  await untilDelivered(reader, '', subscription.body.id)
  const { primary } = await untilWhole(db, whole_limit_ms)
  const connectionString = urlOf('postgres', `${addressOf(primary)}:5432`)
  const database = openDatabase({ connectionString }, { connections_max: 2 })
  assert.deepEqual(calls.missing, [], 'what was acknowledged is found at once, at either API')
  const existing = await readAllContracts(reader, '')
  const acknowledged = new Set(calls.acknowledged.keys())
  assert.deepEqual([...acknowledged.difference(existing)], [], 'what was acknowledged exists')
  assert.deepEqual([...existing.difference(acknowledged)], [], 'what was repeated under its key exists once')
  const crashed = (at_ms: number) => crashes.some(({ from_ms, to_ms }) => at_ms >= from_ms && at_ms <= to_ms)
  const reckoning = await reckon(database, subscription.body.id, receiver, existing, { crashed })
  say(`${acknowledged.size} contracts acknowledged, ${existing.size} exist; ${JSON.stringify(reckoning)}`)
  const left = await database.transaction({ role: 'owner' }, (tx) =>
    tx.row<{ count: string }>({ strings: ['select count(*) from probe.writes'], values: [] }),
  )
  assert.equal(Number(left?.count), 0, 'nothing is left of changes that a primary tried when it was cut off')
  await database.close()
  say(await run('audit verify', urlOf('stint', `${addressOf(primary)}:5432`)))
}

/** One of the operator's commands, which has to succeed; answers what it printed. */
async function run(
  command: string,
  database_url = urlOf('stint', `${addressOf(first.primary)}:5432`),
): Promise<string> {
  const environment = { DATABASE_URL: database_url, STINT_DATA_DIR: folder, STINT_SECRETS_FILE: secrets_file }
  const { status, out, error } = await stint(command.split(' '), environment)
  assert.equal(status, 0, error)
  return out.trim()
}

/** A pooler that takes away what the service relies on is refused, with what mends it. */
async function refusePoolerAsItIs() {
  const lookWith = (setting: 'named' | 'unnamed') => {
    const environment = { ...atBalancer, STINT_DATABASE_STATEMENTS: setting, STINT_DATA_DIR: folder }
    return stint(['migrate', 'status'], environment)
  }
  // Both stand in the way of the same PgBouncer: versions that drop what connections ask for carry no statements.
  if (statements === 'unnamed') {
    const { status, error } = await lookWith('unnamed')
    const mends = [...error.matchAll(/^ {2}(alter role .*);$/gm)].map(([, statement = '']) => statement)
    assert.ok(status === 78 && mends.length > 0, error)
    for (const statement of mends) await onServer('stint', statement)
    // Its connections have the settings of before.
    for (const { pooler } of databases) pooler.kill()
    const named = await lookWith('named')
    assert.ok(named.status === 78 && named.error.includes('STINT_DATABASE_STATEMENTS=unnamed'), named.error)
    say(`a start behind PgBouncer is refused until its login has: ${mends.join('; ')}; and with named statements`)
  }
  const { status, error } = await lookWith(statements)
  assert.equal(status, 0, error)
}

/** Waits until calls have been answered for a while, none failed, and what was acknowledged before has been delivered. */
async function untilCalm({ acknowledged, failed }: Calls) {
  const until = Date.now() + whole_limit_ms
  for (;;) {
    const [done, faults, newest] = [acknowledged.size, failed.length, [...acknowledged.keys()].at(-1) ?? '']
    await delay(calm_ms)
    const is_delivered = receiver.requests.findLast(({ body }) => body.includes(newest)) !== undefined
    if (acknowledged.size > done && failed.length === faults && (is_delivered || newest === '')) return
    assert.ok(Date.now() < until, `calls are not answered, or not delivered, after ${whole_limit_ms} ms`)
  }
}

async function onServer(user: 'postgres' | 'stint', text: string) {
  const name = user === 'postgres' ? 'postgres' : 'stint'
  const client = new pg.Client({ connectionString: urlOf(user, `${addressOf(first.primary)}:5432`, name) })
  await client.connect()
  await client.query(text)
  await client.end()
}

async function serve(machine: Machine, roles: string): Promise<ServiceMachine> {
  const own_secrets = join(machine.folder, 'secrets.json')
  cpSync(secrets_file, own_secrets)
  mkdirSync(join(machine.folder, 'data'))
  const environment = {
    ...atBalancer,
    ...{ STINT_DATABASE_STATEMENTS: statements, WEBHOOK_NOTIFY: 'false' },
    ...{ STINT_ROLES: roles, STINT_HOST: '0.0.0.0', STINT_BASE_URL: `https://${host}:8443` },
    ...{ STINT_TLS_CERT_FILE: files.cert, STINT_TLS_KEY_FILE: files.key, STINT_SECRETS_FILE: own_secrets },
    ...{ STINT_DATA_DIR: join(machine.folder, 'data'), STINT_RATE_LIMIT_REQUESTS: '1000000', STINT_LOG_LEVEL: 'info' },
    ...{ WEBHOOK_ALLOWED_NETWORKS: '10.77.0.0/24', WEBHOOK_CA_FILE: files.ca },
  }
  const program = new URL('../../../cli/stint.js', import.meta.url).pathname
  const service = machine.run('stint', [process.execPath, program, 'serve'], { environment })
  return { machine, service, balancer: runBalancer(machine, db) }
}

async function firstToken(): Promise<string> {
  const connectionString = urlOf('stint', `${addressOf(first.primary)}:5432`)
  const database = openDatabase({ connectionString }, { connections_max: 1 })
  const place = {
    name: 'cluster',
    country: 'DE',
    default_currency: 'EUR',
    timezone: 'Europe/Berlin',
    is_sandbox: false,
  }
  const owner = { email: 'owner@example.org', name: 'owner', password: null }
  await createAdministrator(database, { ...owner, organization: place })
  const rights = { scopes: 'all', sensitive_data: 'all' } as const
  const { token } = await createOperatorToken(database, {
    ...{ organization: 'cluster', name: 'load', expires_at: null },
    ...rights,
  })
  await database.close()
  return token
}
