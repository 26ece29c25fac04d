import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import type { Secrets } from '#core/secrets.ts'
import { type Database, openDatabase } from '#db/database.ts'
import { openSecretsFile } from '#operator/secrets-file.ts'
import { freePort, type ServiceProcess, startServiceProcess } from '#test/process.ts'
import { type DatabaseServer, inspectServer } from './database-server.ts'
import { embeddedStorage, postgresqlStorage } from './storage.ts'

/** The service as an operator runs it: its own process, its own folder, production settings. */
export interface Installation extends AsyncDisposable {
  folder: string
  service: ServiceProcess
  connection: pg.PoolConfig
  /** For rows that are made by SQL. */
  database: Database
  secrets: Secrets
  server: DatabaseServer
}

/** Rate limits and log as in production; but no load generator with one credential comes to the bound of the limit. */
const production = { STINT_RATE_LIMIT_REQUESTS: '1000000', STINT_LOG_LEVEL: 'info' }

let databases = 0

/** Starts the service on the embedded database, or on a new database of the server of `BENCH_DATABASE_URL`. */
export async function install(settings: Record<string, string> = {}): Promise<Installation> {
  const folder = await mkdtemp(join(tmpdir(), 'stint-bench-'))
  const server_url = process.env.BENCH_DATABASE_URL
  const storage = server_url
    ? await postgresqlStorage(folder, server_url, `stint_bench_${process.pid}_${databases++}`)
    : embeddedStorage(folder)
  const service = await startServiceProcess({
    data_dir: folder,
    port: await freePort(),
    environment: { ...production, ...storage.environment, ...settings },
  })
  const connection = await storage.connection()
  const database = openDatabase(connection, { connections_max: 4 })
  return {
    folder,
    service,
    connection,
    database,
    secrets: openSecretsFile(join(folder, 'secrets.json'), false),
    server: await inspectServer(database, server_url ? 'PostgreSQL' : 'embedded PostgreSQL'),
    async [Symbol.asyncDispose]() {
      await database.close()
      await service.kill('SIGTERM')
      await storage.remove()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
