import { appendFile, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { chooseAddress } from '@stint/embedded-postgres/address.ts'
import { findBinaries } from '@stint/embedded-postgres/binaries.ts'
import { openDataFolder } from '@stint/embedded-postgres/data-folder.ts'
import { endPostmaster, findPostmaster, spawnPostmaster, tailOfLog } from '@stint/embedded-postgres/postmaster.ts'
import { chooseRunAs } from '@stint/embedded-postgres/run-as.ts'
import pg from 'pg'
import { type DatabaseServer, onServer, startThrowAwayServer, withTemplate } from './server-of-run.ts'

export interface ReplicatedServer extends DatabaseServer {
  standby: Standby
  /** Another one, of what there is now. */
  copy(): Promise<Standby>
}

/** A hot standby that streams from the server it was copied from. */
export interface Standby {
  /** To the same databases, for the login of the service. */
  login: pg.PoolConfig
  /** As the superuser. */
  connection: pg.PoolConfig
  pid: number
  /** Waits until everything that is committed on the primary by now is shown. */
  caughtUp(): Promise<void>
  stop(): Promise<void>
}

const start_limit_ms = 60_000
const poll_ms = 10

/** An embedded server with a standby, both thrown away. Only one that was started so can be copied: others send no log. */
export async function startReplicatedServer(): Promise<ReplicatedServer> {
  const started = await startThrowAwayServer({ max_wal_senders: '4' })
  const primary = await withTemplate(started)
  const standby = await copyOf(started.data_dir, primary).catch(async (error: unknown) => {
    await primary.stop()
    throw error
  })
  const stop = async () => {
    await standby.stop()
    await primary.stop()
  }
  return { ...primary, standby, copy: () => copyOf(started.data_dir, primary), stop }
}

/** PostgreSQL's own way without `pg_basebackup`, which the npm package lacks: the files, copied between two calls. */
async function copyOf(data_dir: string, { connection, login }: DatabaseServer): Promise<Standby> {
  const path = await mkdtemp(join(tmpdir(), 'stint-standby-'))
  const folder = await openDataFolder(path)
  const client = new pg.Client(connection)
  await client.connect()
  try {
    await client.query(`select pg_backup_start('standby', true)`)
    const files_of_a_running_server = /\/(postmaster\.(pid|opts)|pg_wal\/.+|pg_replslot\/.+)$/
    const filter = (source: string) => !files_of_a_running_server.test(source)
    await cp(join(data_dir, 'postgres'), folder.cluster, { recursive: true, filter })
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)')
    await writeFile(join(folder.cluster, 'backup_label'), rows[0]?.labelfile ?? '')
  } finally {
    await client.end()
  }
  await mkdir(join(folder.cluster, 'pg_wal', 'archive_status'), { recursive: true })
  await writeFile(join(folder.cluster, 'standby.signal'), '')
  const from = `host=''${connection.host}'' port=${connection.port} user=${connection.user}`
  await appendFile(join(folder.cluster, 'postgresql.auto.conf'), `primary_conninfo = '${from}'\n`)
  const binaries = await findBinaries(folder)
  const runAs = await chooseRunAs(folder, binaries.postgres)
  const address = await chooseAddress(folder, 'socket', { user: runAs.user })
  await spawnPostmaster(folder, binaries, runAs, address)
  const own = { ...connection, ...address }
  const pid = await untilAnswering(folder.cluster, own).catch(async (error: unknown) => {
    throw new Error(`the standby did not start: ${await tailOfLog(folder.log_file)}`, { cause: error })
  })
  return {
    login: { ...login, ...address },
    connection: own,
    pid,
    async caughtUp() {
      const primary = new pg.Client(connection)
      await primary.connect()
      const { rows } = await primary.query<{ lsn: string }>('select pg_current_wal_insert_lsn()::text as lsn')
      await primary.end()
      await until(own, `select pg_last_wal_replay_lsn() >= '${rows[0]?.lsn}'::pg_lsn as is_so`)
    },
    async stop() {
      await endPostmaster(pid, folder.cluster, 'immediate')
      await rm(path, { recursive: true, force: true })
    },
  }
}

async function untilAnswering(cluster: string, connection: pg.PoolConfig): Promise<number> {
  await until(connection, 'select pg_is_in_recovery() as is_so')
  return (await findPostmaster(cluster))?.pid ?? 0
}

/** Asks again and again, on a new connection while there is none, until it is so. */
async function until(connection: pg.PoolConfig, question: string): Promise<void> {
  const until_ms = performance.now() + start_limit_ms
  let failure: unknown
  while (performance.now() < until_ms) {
    const client = new pg.Client({ ...connection, database: 'postgres' })
    client.on('error', () => undefined)
    try {
      await client.connect()
      for (; performance.now() < until_ms; await pause(poll_ms)) {
        const { rows } = await client.query<{ is_so: boolean }>(question)
        if (rows[0]?.is_so) return
      }
    } catch (error) {
      failure = error
      await pause(poll_ms)
    } finally {
      await client.end().catch(() => undefined)
    }
  }
  throw new Error(`not within ${start_limit_ms} ms: ${question}`, { cause: failure })
}

/** Stops or goes on with what the standby has received; a standby that stands still is a process under SIGSTOP. */
export const replay = (standby: Standby, does: 'pause' | 'resume') =>
  onServer({ ...standby.connection, database: 'postgres' }, `select pg_wal_replay_${does}()`)
