import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { startEmbeddedPostgres } from '@stint/embedded-postgres'
import pg from 'pg'
import { dropDatabase, onServer } from '#test/server-of-run.ts'

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
  /** Lets all its processes stand still until `SIGCONT`: connections stay, and nobody answers. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): Promise<void>
  /** Ends all connections and takes no new ones, until told otherwise. */
  refuse(is_refused: boolean): Promise<void>
  stop(): Promise<void>
}

/**
 * The server of `TEST_DATABASE_URL`, which `TEST_DATABASE_RESTART` restarts, or one of our own. Where it is to be cut, a
 * commit takes 50 ms there, so that cuts fall into commits: the change is made and its answer never arrives.
 */
export async function startFaultyServer(folder: string, is_cut: boolean): Promise<FaultyServer> {
  const given = process.env.TEST_DATABASE_URL
  return given ? onGivenServer(given) : onOwnServer(folder, is_cut)
}

async function onOwnServer(folder: string, is_cut: boolean): Promise<FaultyServer> {
  const server = await startEmbeddedPostgres({ data_dir: join(folder, 'server') })
  // As the owner: a server of one's own is run by whoever may change its settings and make its tables.
  const connection = server.owner
  for (const setting of is_cut ? ['commit_delay = 50000', 'commit_siblings = 0'] : [])
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
    signal: (name) => signalAll(server.pid, name),
    refuse: (is_refused) => refuse({ ...connection, database: 'postgres' }, connection.database ?? '', is_refused),
    stop: () => server.stop(),
  }
}

async function onGivenServer(given: string): Promise<FaultyServer> {
  const name = `stint_faults_${randomBytes(6).toString('hex')}`
  await onServer({ connectionString: given }, `create database ${name}`)
  const url = Object.assign(new URL(given), { pathname: `/${name}` }).href
  let postmaster: number | undefined
  return {
    url,
    async restart() {
      await promisify(execFile)('bash', ['-c', process.env.TEST_DATABASE_RESTART ?? 'false'])
      await untilAnswers({ connectionString: url })
    },
    cut: () => cut({ connectionString: url }),
    async signal(name) {
      postmaster ??= await postmasterOf({ connectionString: url })
      await signalAll(postmaster, name)
    },
    refuse: (is_refused) => refuse({ connectionString: given }, name, is_refused),
    stop: () => dropDatabase({ connectionString: given }, name),
  }
}

async function refuse(elsewhere: pg.ClientConfig, database: string, is_refused: boolean): Promise<void> {
  await onServer(elsewhere, `alter database ${database} with allow_connections ${!is_refused}`)
  if (!is_refused) return
  await onServer(elsewhere, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}'`)
}

/** Processes of this machine with their parents. */
async function processes(): Promise<[pid: number, parent: number][]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid='])
  return [...stdout.matchAll(/(\d+)\s+(\d+)/g)].map(([, pid, parent]) => [Number(pid), Number(parent)])
}

/** Each process of the server is of a group of its own. The first one goes first: it makes the others. */
async function signalAll(postmaster: number, name: NodeJS.Signals): Promise<void> {
  process.kill(postmaster, name)
  for (const [pid, parent] of await processes()) {
    if (parent !== postmaster) continue
    try {
      process.kill(pid, name)
    } catch (error) {
      // One that has ended since needs no signal.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}

async function postmasterOf(connection: pg.ClientConfig): Promise<number> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    const own = (await processes()).find(([pid]) => pid === rows[0]?.pid)
    if (!own) throw new Error('the database server is not on this machine')
    return own[1]
  } finally {
    await client.end()
  }
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
