import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type Database, openDatabase } from '#db/database.ts'
import { createAdministrator, createOperatorToken } from '#operator/administration.ts'
import { clientFor, freePort, type ServiceProcess, startServiceProcess } from '#test/process.ts'
import { type Receiver, type ReceiverOptions, startReceiver } from '#test/receiver.ts'
import { stint } from '#test/stint.ts'
import type { Client } from './load.ts'
import { type FaultyServer, startFaultyServer } from './postgresql.ts'

/** One process of the service that can be killed and started again. */
export interface FaultyProcess {
  /** Stays the same over restarts. */
  origin: string
  /** The address that tells whether it is ready. */
  ready_url: string
  kill(signal: NodeJS.Signals): Promise<void>
  /** Stands still from now on, until `SIGCONT`. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void
  start(): Promise<void>
}

export interface FaultBench {
  /** The data folder of all processes. */
  folder: string
  server: FaultyServer
  database: Database
  api: FaultyProcess
  workers: FaultyProcess[]
  client: Client
  base: string
  /** A client of another organization. */
  openOrganization(name: string): Promise<Client>
  /** A receiver with its subscription to `contract.created`. */
  subscribe(options?: ReceiverOptions): Promise<{ receiver: Receiver; webhook_id: string }>
}

/**
 * The service as processes on one PostgreSQL server: one for the API, some workers or more of the API; without any, one
 * that may be everything.
 */
export async function startFaultBench(
  t: TestContext,
  options: {
    workers: number
    role?: 'worker' | 'api'
    first?: string
    settings?: Record<string, string>
    /** Commits are slow, for cuts to hit them. */
    is_cut?: boolean
  },
): Promise<FaultBench> {
  const { workers: count, role = 'worker', first: first_roles = 'api', settings = {}, is_cut = true } = options
  const opened = new AsyncDisposableStack()
  t.after(() => opened.disposeAsync())
  const folder = await mkdtemp(join(tmpdir(), 'stint-faults-'))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  const server = await startFaultyServer(folder, is_cut)
  opened.defer(() => server.stop())
  const trusted = await startReceiver()
  await writeFile(join(folder, 'receiver-ca.pem'), trusted.ca)
  await trusted.close()
  const environment = {
    DATABASE_URL: server.url,
    STINT_DATA_DIR: folder,
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    WEBHOOK_CA_FILE: join(folder, 'receiver-ca.pem'),
    STINT_RATE_LIMIT_REQUESTS: '1000000',
    ...settings,
  }
  for (const words of [
    ['keys', 'create'],
    ['migrate', 'up'],
  ]) {
    const { status, error } = await stint(words, environment)
    assert.equal(status, 0, error)
  }
  const run = async (roles: string, demo = false) => {
    const own = { STINT_ROLES: roles, STINT_MANAGEMENT_PORT: String(await freePort()) }
    const started = { data_dir: folder, port: await freePort(), environment: { ...environment, ...own } }
    return { first: await startServiceProcess({ ...started, demo }), options: started }
  }
  const { first, options: started } = await run(first_roles, true)
  const api = faulty(opened, first, started)
  const workers: FaultyProcess[] = []
  for (let made = 0; made < count; made += 1) {
    const worker = await run(role)
    workers.push(faulty(opened, worker.first, worker.options))
  }
  const client = await clientFor(folder, first.token ?? '')
  opened.defer(() => client.close())
  const database = openDatabase({ connectionString: server.url }, { connections_max: 2 })
  opened.defer(() => database.close())
  const base = `${first.origin}/rest/v2`
  return {
    folder,
    server,
    database,
    api,
    workers,
    client,
    base,
    async openOrganization(name) {
      const place = { name, country: 'DE', default_currency: 'EUR', timezone: 'Europe/Berlin', is_sandbox: false }
      const owner = { email: `${name}@example.org`, name, password: null }
      await createAdministrator(database, { ...owner, organization: place })
      const rights = { scopes: 'all', sensitive_data: 'all' } as const
      const { token } = await createOperatorToken(database, { organization: name, name, ...rights, expires_at: null })
      const opened_client = await clientFor(folder, token)
      opened.defer(() => opened_client.close())
      return opened_client
    },
    async subscribe(receiverOptions = {}) {
      const receiver = await startReceiver(receiverOptions)
      opened.defer(() => receiver.close())
      const { status, body } = await client.call('POST', `${base}/webhooks`, {
        url: receiver.url,
        events: ['contract.created'],
      })
      assert.equal(status, 201, JSON.stringify(body))
      return { receiver, webhook_id: body.id }
    },
  }
}

function faulty(
  opened: AsyncDisposableStack,
  first: ServiceProcess,
  options: Parameters<typeof startServiceProcess>[0],
): FaultyProcess {
  const { STINT_MANAGEMENT_PORT } = options.environment ?? {}
  let running: ServiceProcess | null = first
  const kill = async (signal: NodeJS.Signals) => {
    await running?.kill(signal)
    running = null
  }
  opened.defer(() => kill('SIGTERM'))
  return {
    origin: first.origin,
    ready_url: `http://127.0.0.1:${STINT_MANAGEMENT_PORT}/health/ready`,
    kill,
    signal(signal) {
      if (running) process.kill(running.pid, signal)
    },
    async start() {
      running = await startServiceProcess(options)
    },
  }
}
