import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { startEmbeddedPostgres } from '@stint/embedded-postgres'
import pg from 'pg'
import { onServer } from '#test/server-of-run.ts'

export interface Cut {
  transactions: number
  /** Connections that were committing: the change is made, its answer lost. */
  commits: number
}

/** A PostgreSQL server apart from the service, which uses it by `DATABASE_URL`. */
export interface FaultyServer {
  url: string
  /** Ends the server without a word and starts it again. */
  restart(): Promise<void>
  /** Cuts the service's connections, wherever their transactions are. */
  cut(): Promise<Cut>
  /** Ends all connections and takes no new ones, until told otherwise. */
  refuse(is_refused: boolean): Promise<void>
  stop(): Promise<void>
}

/**
 * The server of `TEST_DATABASE_URL`, which `TEST_DATABASE_RESTART` restarts, or one of our own. A commit takes 50 ms
 * there, so that cuts fall into commits: the change is made and its answer never arrives.
 */
export async function startFaultyServer(folder: string): Promise<FaultyServer> {
  const given = process.env.TEST_DATABASE_URL
  return given ? onGivenServer(given) : onOwnServer(folder)
}

async function onOwnServer(folder: string): Promise<FaultyServer> {
  const server = await startEmbeddedPostgres({ data_dir: join(folder, 'server') })
  // As the owner: a server of one's own is run by whoever may change its settings and make its tables.
  const connection = server.owner
  for (const setting of ['commit_delay = 50000', 'commit_siblings = 0'])
    await onServer(connection, `alter system set ${setting}`)
  await onServer(connection, 'select pg_reload_conf()')
  const parameters = new URLSearchParams({ host: connection.host, port: String(connection.port) })
  return {
    url: `postgres://${connection.user}@localhost/${connection.database}?${parameters}`,
    async restart() {
      const { pid } = server
      process.kill(pid, 'SIGKILL')
      // Its processes may answer until they notice.
      while (server.pid === pid) await delay(20)
      await untilAnswers(connection)
    },
    cut: () => cut(connection),
    refuse: (is_refused) => refuse({ ...connection, database: 'postgres' }, connection.database ?? '', is_refused),
    stop: () => server.stop(),
  }
}

async function onGivenServer(given: string): Promise<FaultyServer> {
  const name = `stint_faults_${randomBytes(6).toString('hex')}`
  await onServer({ connectionString: given }, `create database ${name}`)
  const url = Object.assign(new URL(given), { pathname: `/${name}` }).href
  return {
    url,
    async restart() {
      await promisify(execFile)('bash', ['-c', process.env.TEST_DATABASE_RESTART ?? 'false'])
      await untilAnswers({ connectionString: url })
    },
    cut: () => cut({ connectionString: url }),
    refuse: (is_refused) => refuse({ connectionString: given }, name, is_refused),
    stop: () => onServer({ connectionString: given }, `drop database ${name} with (force)`),
  }
}

async function refuse(elsewhere: pg.ClientConfig, database: string, is_refused: boolean): Promise<void> {
  await onServer(elsewhere, `alter database ${database} with allow_connections ${!is_refused}`)
  if (!is_refused) return
  await onServer(elsewhere, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}'`)
}

async function untilAnswers(connection: pg.ClientConfig): Promise<void> {
  const until = Date.now() + 60_000
  for (;;) {
    try {
      return await onServer(connection, 'select')
    } catch (error) {
      if (Date.now() > until) throw error
    }
  }
}

async function cut(connection: pg.ClientConfig): Promise<Cut> {
  const client = new pg.Client(connection)
  client.on('error', () => undefined)
  await client.connect()
  try {
    const { rows } = await client.query<{ is_commit: boolean }>(`
      select pg_terminate_backend(pid), query = 'commit' and state = 'active' as is_commit from pg_stat_activity
      where application_name = 'stint' and datname = current_database() and xact_start is not null`)
    return { transactions: rows.length, commits: rows.filter(({ is_commit }) => is_commit).length }
  } finally {
    await client.end()
  }
}
