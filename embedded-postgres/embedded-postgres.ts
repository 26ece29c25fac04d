import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { type Address, defaultTransport, passwordOf, releaseAddress, type Transport } from './address.ts'
import { cluster_user, service_user } from './cluster.ts'
import { type DataFolder, EmbeddedPostgresError, openDataFolder, removeStagedClusters } from './data-folder.ts'
import { adoptOrStart, applicationPrefix, type RunningServer, type Start } from './launch.ts'
import { boundLog, endPostmaster, findPostmaster } from './postmaster.ts'

export interface EmbeddedPostgresOptions {
  /** Stint's data folder; the cluster lies in `<data_dir>/postgres`. */
  data_dir: string
  /** One line per unusual event: adoption, loss and recovery of the server. */
  log?: (line: string) => void
  transport?: Transport
  /** Called as soon as a process of the server is there, which takes 0.1 s to answer; not for one that runs already. */
  launched?: (() => void) | undefined
  /** Gives the start up: what it began is ended before it rejects. A server that is ready by then has to be stopped. */
  signal?: AbortSignal | undefined
}

/** For `pg`; `host` is the folder of the unix socket. `password` only over TCP (Windows). */
export interface EmbeddedConnection {
  host: string
  port: number
  user: string
  database: string
  password?: string
}

export interface EmbeddedPostgres {
  /** The service's: an ordinary login. The same for the life of this object, also when the server had to be started again. */
  readonly connection: EmbeddedConnection
  /** The superuser's, who owns the tables: for migrations. */
  readonly owner: EmbeddedConnection
  /** The server's main process. */
  readonly pid: number
  /** True where the server was already running, left by a service that was killed. */
  readonly adopted: boolean
  /** Ends the server, also an adopted one, in 35 s at most. Further calls wait for the same end. */
  stop(): Promise<void>
  /** Ends the server without waiting for anything; the next start replays its log, which loses nothing. */
  endAtOnce(): Promise<void>
}

const log_check_ms = 60_000

/**
 * Adopts or starts the PostgreSQL of a data folder, makes its database `stint`, and holds the folder for this process
 * until `stop()`. A server that dies meanwhile is started again at the same address. Killing this process leaves the
 * server running for the next one. Throws `EmbeddedPostgresError`.
 */
export async function startEmbeddedPostgres({
  data_dir,
  log = () => undefined,
  transport = defaultTransport,
  launched,
  signal,
}: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const folder = await openDataFolder(data_dir)
  const held = await holdServer(folder, { transport, launched, signal }, log)
  const { adopted, pid } = held.current
  if (adopted) log(`Adopted the PostgreSQL (pid ${pid}) that was running in ${folder.cluster}`)
  // Housekeeping whose failure costs disk space only.
  const report = (error: unknown) => log(`Cannot tidy up ${folder.path}: ${error}`)
  await removeStagedClusters(folder).catch(report)
  const logCheck = setInterval(() => boundLog(folder.log_file).catch(report), log_check_ms).unref()
  let stopped: Promise<void> | undefined
  return {
    connection: connectionOf(held.current),
    owner: asOwner(connectionOf(held.current)),
    get pid() {
      return held.current.pid
    },
    get adopted() {
      return held.current.adopted
    },
    stop: () => {
      clearInterval(logCheck)
      stopped ??= end(held, folder.cluster)
      return stopped
    },
    endAtOnce: async () => {
      // Not waited for: a recovery under way finds that it is not wanted.
      void held.release()
      await endPostmaster(held.current.pid, folder.cluster, 'immediate')
    },
  }
}

/**
 * The connection to a server that another process holds: for a command of the operator while the service runs. Undefined
 * when none runs; then the command may start one for itself.
 */
export async function findEmbeddedPostgres(data_dir: string): Promise<EmbeddedConnection | undefined> {
  const folder = await openDataFolder(data_dir)
  const address = (await findPostmaster(folder.cluster))?.address
  if (!address) return undefined
  return connectionOf({ address, ...(address.host.startsWith('/') ? {} : { password: await passwordOf(folder) }) })
}

/** The same for the superuser, who owns the tables. */
export function asOwner<Connection extends object>(connection: Connection): Connection & { user: string } {
  return { ...connection, user: cluster_user }
}

function connectionOf({ address, password }: { address: Address; password?: string }): EmbeddedConnection {
  return { ...address, ...(password === undefined ? {} : { password }), user: service_user, database }
}

async function end(held: HeldServer, cluster: string): Promise<void> {
  if (!(await held.release())) return
  const { pid, client, address } = held.current
  // The lock goes with the server, not before: no other service may adopt a server that is about to end.
  await endPostmaster(pid, cluster)
  await client.end()
  await releaseAddress(address)
}

/** A running server that this process alone holds; `current` is another one after a recovery. */
interface HeldServer {
  readonly current: RunningServer
  /** Stops watching. False when the server is lost at this moment; it may serve another service by then. */
  release(): Promise<boolean>
}

/** The service's database; the connection that holds the lock stays out of it. */
const database = 'stint'

const sessions_max = 3
const recovery_delay_ms = 250
const recovery_delay_max_ms = 5_000
/** Failed recoveries that are told; of later ones every twelfth, once a minute. */
const told_recoveries = 5

/**
 * Adopts or starts the server, takes the lock and makes the database. When the connection that carries the lock ends
 * (the server died, or closed all sessions after a crash of one), the same is done again until it succeeds: a full disk that
 * ended the server may have room in an hour.
 */
async function holdServer(folder: DataFolder, start: Start, log: (line: string) => void): Promise<HeldServer> {
  let current = await lockedServer(folder, start)
  let recovery = Promise.resolve(true)
  const released = new AbortController()

  const watch = () => {
    current.client.once('end', () => {
      if (!released.signal.aborted) recovery = recover()
    })
  }

  async function recover(): Promise<boolean> {
    log(`Lost the PostgreSQL (pid ${current.pid}) in ${folder.cluster}`)
    const { signal } = released
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      try {
        current = await lockedServer(folder, { ...start, signal, previous: current.address })
        watch()
        log(`PostgreSQL (pid ${current.pid}) answers again in ${folder.cluster}`)
        return true
      } catch (error) {
        if (signal.aborted) break
        const is_told = attempt <= told_recoveries || attempt % 12 === 0
        if (is_told) log(`PostgreSQL did not come back (attempt ${attempt}): ${error}`)
        const delay_ms = Math.min(recovery_delay_ms * 2 ** (attempt - 1), recovery_delay_max_ms)
        await pause(delay_ms, undefined, { signal }).catch(() => undefined)
      }
    }
    return false
  }

  watch()
  return {
    get current() {
      return current
    },
    release: () => {
      released.abort()
      return recovery
    },
  }
}

async function lockedServer(folder: DataFolder, start: Start): Promise<RunningServer> {
  for (let session = 1; ; session += 1) {
    const server = await adoptOrStart(folder, start)
    try {
      await takeServiceLock(server.client, folder.path)
      await ensureDatabase(server)
      return server
    } catch (error) {
      await server.client.end()
      if (session === sessions_max || !isSessionEnd(error)) throw error
    }
  }
}

/** A service that ends takes its server along, and with it the session of the next one that waits for the lock. */
function isSessionEnd(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string }
  return code === '57P01' || message?.startsWith('Connection terminated') === true
}

async function ensureDatabase({ client, password }: RunningServer): Promise<void> {
  const { rows } = await client.query<{ has_database: boolean; has_role: boolean; has_login: boolean }>(
    `select exists (select from pg_database where datname = $1) as has_database,
            exists (select from pg_roles where rolname = $2) as has_role,
            exists (select from pg_roles where rolname = $2 and rolcanlogin) as has_login`,
    [database, service_user],
  )
  const [found] = rows
  if (!found?.has_database) await client.query(`create database ${database}`)
  // Settings that the login made for its own later sessions go; PostgreSQL lets every role make them.
  if (found?.has_role) await client.query(`alter role ${service_user} reset all`)
  await client.query(`revoke temporary on database ${database} from public`)
  if (found?.has_login) return
  // Clusters of releases before this login have none, or one that a migration made for servers of other people.
  const words = password === undefined ? '' : ` password ${client.escapeLiteral(password)}`
  await client.query(`${found?.has_role ? 'alter' : 'create'} role ${service_user} login noinherit${words}`)
}

/** Two-part key of the advisory lock, in the database `postgres`: "STIN", data folder. */
const lock_key = [0x53_54_49_4e, 1] as const

/** A service that was killed a moment ago holds the lock until its backend notices the closed connection. */
const lock_wait_ms = 1_000

/**
 * Takes the data folder for this process, as a session lock inside the server itself: it ends with the process however
 * that dies, no pid can be mistaken, and it needs no file. Throws `data_folder_in_use`, naming folder and pid.
 */
async function takeServiceLock(client: pg.Client, data_folder: string): Promise<void> {
  try {
    await client.query(`set lock_timeout = ${lock_wait_ms}`)
    await client.query('select pg_advisory_lock($1, $2)', [...lock_key])
  } catch (cause) {
    const timedOut = (cause as { code?: string }).code === '55P03'
    if (!timedOut) throw cause
    const holder = await lockHolder(client)
    throw new EmbeddedPostgresError(
      'data_folder_in_use',
      `Another Stint service (pid ${holder ?? 'unknown'}) already uses the data folder ${data_folder}. ` +
        'Stop it first, or give this one its own folder with STINT_DATA_DIR.',
      { cause },
    )
  }
}

async function lockHolder(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ application_name: string }>(
    `select a.application_name
       from pg_locks l join pg_stat_activity a using (pid)
      where l.locktype = 'advisory' and l.granted and l.classid = $1 and l.objid = $2 and l.objsubid = 2
        and l.database = (select oid from pg_database where datname = current_database())`,
    [...lock_key],
  )
  return rows[0]?.application_name.slice(applicationPrefix.length)
}
