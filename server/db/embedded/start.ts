import { defaultTransport, passwordOf, releaseAddress, type Transport } from './address.ts'
import { openDataFolder, removeStagedClusters } from './data-folder.ts'
import { database, type HeldServer, holdServer } from './held-server.ts'
import { boundLog } from './log-file.ts'
import { endPostmaster, findPostmaster } from './postmaster.ts'
import { type Address, cluster_user, service_user } from './settings.ts'

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

/** What `pg` needs; `host` is the folder of the unix socket. `password` only over TCP (Windows). */
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
  /** Whether the server was already running, left by a service that was killed. */
  readonly adopted: boolean
  /** Ends the server, also an adopted one, in 30 s at most. Further calls wait for the same end. */
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
    owner: { ...connectionOf(held.current), user: cluster_user },
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
