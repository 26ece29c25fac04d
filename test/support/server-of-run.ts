import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '@stint/embedded-postgres'
import pg from 'pg'
import { openDatabase } from '#db/database.ts'
import { migrate } from '#db/migrate.ts'

/** Tells test files, each its own process, the database server of this run. */
export const server_variable = 'TEST_DATABASE_SERVER'

export interface DatabaseServer {
  /** For the owner of the tables, who may make databases. */
  connection: pg.PoolConfig
  /** Login of the service; on the server of `TEST_DATABASE_URL` the owner's. */
  login: pg.PoolConfig
  /** Database that every test database is a copy of: migrated, with a clock the tests move. */
  template: string
  stop(): Promise<void>
}

/**
 * Starts the database server of a test run: a throw-away embedded one, or the server of `TEST_DATABASE_URL`, and makes
 * the template that test databases are copied from (24 ms each).
 */
export async function startDatabaseServer(): Promise<DatabaseServer> {
  const url = process.env.TEST_DATABASE_URL
  return withTemplate(url ? null : await startThrowAwayServer(), url)
}

/** The template on a server that was started, or on the one at `url`. */
export async function withTemplate(
  started: Awaited<ReturnType<typeof startThrowAwayServer>> | null,
  url?: string,
): Promise<DatabaseServer> {
  const connection: pg.PoolConfig = started?.owner ?? connectionOf(new URL(url ?? ''))
  const template = `stint_template_${process.pid}_${Date.now()}`
  const stop = async () => {
    await onServer(connection, `drop database if exists ${template} with (force)`)
    await started?.stop()
  }
  try {
    await onServer(connection, `create database ${template}`)
    await makeTemplate({ ...connection, database: template })
  } catch (error) {
    // A server that runs on keeps the process of the tests from ending.
    await stop()
    throw error
  }
  return { connection, login: started?.connection ?? connection, template, stop }
}

/** As fields, so that the name of the database can be exchanged. */
function connectionOf({ hostname, port, username, password, pathname }: URL): pg.PoolConfig {
  return { host: hostname, port: Number(port || 5432), user: username, password, database: pathname.slice(1) }
}

/** An autovacuum worker in it is a superuser's, whom `force` may not end; a drop without force sends it away and waits. */
export async function dropDatabase(connection: pg.PoolConfig, name: string): Promise<void> {
  await onServer(connection, `drop database ${name} with (force)`).catch((error: { code?: string }) => {
    if (error.code !== '42501') throw error
    return onServer(connection, `drop database ${name}`)
  })
}

/** One statement on the server's own database. */
export async function onServer(connection: pg.PoolConfig, statement: string): Promise<void> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** An embedded server on a folder of its own; `settings` are those that a server reads at its start only. */
export async function startThrowAwayServer(settings: Record<string, string> = {}) {
  const data_dir = await mkdtemp(join(tmpdir(), 'stint-test-'))
  let server = await startEmbeddedPostgres({ data_dir })
  for (const [name, value] of Object.entries(settings))
    await onServer(server.owner, `alter system set ${name} = '${value}'`)
  if (Object.keys(settings).length > 0) {
    await server.stop()
    server = await startEmbeddedPostgres({ data_dir })
  }
  return {
    data_dir,
    connection: server.connection,
    owner: server.owner,
    stop: async () => {
      await server.stop()
      await rm(data_dir, { recursive: true, force: true })
    },
  }
}

/** `app_now()` reads a row instead of the server's clock, so a day passes in one statement. */
const test_clock = `
  create table test_clock (at timestamptz(3) not null);
  insert into test_clock values ('2026-03-02T09:00:00Z');
  grant select, update on test_clock to public;
  create or replace function app_now() returns timestamptz language sql stable as 'select at from test_clock';`

async function makeTemplate(connection: pg.PoolConfig): Promise<void> {
  const database = openDatabase(connection, { connections_max: 1 })
  try {
    await migrate(database)
    const client = await database.connect()
    await client.query(test_clock)
    client.release()
  } finally {
    await database.close()
  }
}
