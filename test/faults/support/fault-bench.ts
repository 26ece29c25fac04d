import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type Database, openDatabase } from '#db/database.ts'
import { clientFor, freePort, type ServiceProcess, startServiceProcess } from '#test/process.ts'
import { type Receiver, type ReceiverOptions, startReceiver } from '#test/receiver.ts'
import { stint } from '#test/stint.ts'
import type { Client } from './load.ts'
import { type FaultyServer, startFaultyServer } from './postgresql.ts'

/** One process of the service that can be killed and started again. */
export interface FaultyProcess {
  /** Stays the same over restarts. */
  origin: string
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
  /** A receiver with its subscription to `contract.created`. */
  subscribe(options?: ReceiverOptions): Promise<{ receiver: Receiver; webhook_id: string }>
}

/** The service as processes of one role each on one PostgreSQL server: one for the API, some workers or more of the API. */
export async function startFaultBench(
  t: TestContext,
  options: { workers: number; role?: 'worker' | 'api'; settings?: Record<string, string> },
): Promise<FaultBench> {
  const { workers: count, role = 'worker', settings = {} } = options
  const opened = new AsyncDisposableStack()
  t.after(() => opened.disposeAsync())
  const folder = await mkdtemp(join(tmpdir(), 'stint-faults-'))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  const server = await startFaultyServer(folder)
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
    const started = { data_dir: folder, port: await freePort(), environment: { ...environment, STINT_ROLES: roles } }
    return { first: await startServiceProcess({ ...started, demo }), options: started }
  }
  const { first, options: started } = await run('api', true)
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
  let running: ServiceProcess | null = first
  const kill = async (signal: NodeJS.Signals) => {
    await running?.kill(signal)
    running = null
  }
  opened.defer(() => kill('SIGTERM'))
  return {
    origin: first.origin,
    kill,
    signal(signal) {
      if (running) process.kill(running.pid, signal)
    },
    async start() {
      running = await startServiceProcess(options)
    },
  }
}
