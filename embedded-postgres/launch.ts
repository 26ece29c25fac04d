import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { type Address, chooseAddress, passwordOf, type Transport } from './address.ts'
import { findBinaries } from './binaries.ts'
import { cluster_user, ensureCluster } from './cluster.ts'
import { type DataFolder, EmbeddedPostgresError, requireSpace } from './data-folder.ts'
import {
  boundLog,
  disownStaleLock,
  endStarted,
  findPostmaster,
  type StartedProcess,
  sizeOfLog,
  spawnPostmaster,
  tailOfLog,
} from './postmaster.ts'
import { chooseRunAs } from './run-as.ts'

/** A server that answers, with the first connection to it (database `postgres`). */
export interface RunningServer {
  readonly pid: number
  readonly adopted: boolean
  readonly address: Address
  readonly password?: string
  readonly client: pg.Client
}

/** The way and the place of starting a server. */
export interface Start {
  transport: Transport
  /** The address of the server before, so that pools made for it find this one. */
  previous?: Address | undefined
  /** Called as soon as a process of the server is there, which takes 0.1 s to answer. */
  launched?: (() => void) | undefined
  /** Ends the start; not heeded any more when the server answers. */
  signal?: AbortSignal | undefined
}

/** Application name of a service's first connection, before its pid: so the next service learns whom to name. */
export const applicationPrefix = 'stint service '

/** Replaying the log after a crash can take this long: up to 1 GB of it, by max_wal_size. */
const start_timeout_ms = 120_000
const poll_ms = 10
const connect_timeout_ms = 5_000
const launches_max = 5
const relaunch_delay_ms = 200

/** Failures of a start that pass: another service was faster, dying backends of a killed server, a port just taken. */
const passing = /is already in use|already exists|is still in use|could not create any TCP\/IP sockets/

interface Attempt {
  process: StartedProcess
  log_start_bytes: number
}

/**
 * The server of this data folder: the living one, or a new one (with a new cluster where there is none). Throws
 * `start_failed` with the log's last lines.
 */
export async function adoptOrStart(folder: DataFolder, start: Start): Promise<RunningServer> {
  const deadline_ms = performance.now() + start_timeout_ms
  let attempt: Attempt | undefined
  let launches = 0
  while (performance.now() < deadline_ms) {
    if (start.signal?.aborted) {
      if (attempt) await endStarted(attempt.process)
      throw start.signal.reason
    }
    const postmaster = await findPostmaster(folder.cluster)
    if (postmaster?.address) {
      const { pid, address } = postmaster
      const connected = await connect(folder, address, start.transport)
      if (connected) return { ...connected, pid, address, adopted: pid !== attempt?.process.pid }
    } else if (!postmaster && (!attempt || attempt.process.exited !== undefined)) {
      if (attempt) await failUnlessPassing(folder, attempt, launches)
      launches += 1
      attempt = await launch(folder, start)
      start.launched?.()
    }
    await pause(poll_ms)
  }
  throw await startFailed(folder, `no answer within ${start_timeout_ms / 1_000} s`, attempt)
}

async function launch(folder: DataFolder, { transport, previous, signal }: Start): Promise<Attempt> {
  await requireSpace(folder)
  const binaries = await findBinaries(folder)
  const runAs = await chooseRunAs(folder, binaries.postgres)
  // Only on the first start: a running service whose cluster vanished must not go on with an empty one.
  if (!previous) await ensureCluster(folder, { binaries, runAs, transport, signal })
  await disownStaleLock(folder.cluster)
  await boundLog(folder.log_file)
  const address = await chooseAddress(folder, transport, { previous, user: runAs.user })
  const log_start_bytes = await sizeOfLog(folder.log_file)
  return { process: await spawnPostmaster(folder, binaries, runAs, address), log_start_bytes }
}

async function failUnlessPassing(folder: DataFolder, attempt: Attempt, launches: number): Promise<void> {
  const words = await tailOfLog(folder.log_file, attempt.log_start_bytes)
  if (launches >= launches_max || !passing.test(words)) {
    throw await startFailed(folder, attempt.process.exited ?? 'it ended', attempt)
  }
  await pause(relaunch_delay_ms)
}

async function startFailed(folder: DataFolder, reason: string, attempt?: Attempt): Promise<EmbeddedPostgresError> {
  const lines = await tailOfLog(folder.log_file, attempt?.log_start_bytes).catch(() => '(no log)')
  return new EmbeddedPostgresError(
    'start_failed',
    `PostgreSQL did not start in ${folder.cluster} (${reason}). The last lines of ${folder.log_file}:\n${lines}`,
  )
}

/** A server that just ends, or replays its log after one of its processes crashed. Both pass. */
const notYet = new Set(['ECONNREFUSED', 'ENOENT', 'ECONNRESET', 'EPIPE', '57P03'])

async function connect(
  folder: DataFolder,
  address: Address,
  transport: Transport,
): Promise<{ client: pg.Client; password?: string } | undefined> {
  const secret = transport === 'tcp' ? { password: await passwordOf(folder) } : {}
  const client = new pg.Client({
    ...{ ...address, ...secret, user: cluster_user, database: 'postgres', ssl: false },
    ...{ application_name: applicationPrefix + process.pid, connectionTimeoutMillis: connect_timeout_ms },
  })
  // The end of the connection is announced by 'end' too, where it is dealt with.
  client.on('error', () => undefined)
  try {
    await client.connect()
    return { client, ...secret }
  } catch (error) {
    await client.end()
    if (notYet.has((error as NodeJS.ErrnoException).code ?? '')) return undefined
    const words = `The PostgreSQL that runs in ${folder.cluster} cannot be used: ${error}`
    throw new EmbeddedPostgresError('start_failed', words, { cause: error })
  }
}
