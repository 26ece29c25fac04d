import { execFile } from 'node:child_process'
import { chown, mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Address, passwordOf, type Transport } from './address.ts'
import { type Binaries, childEnvironment } from './binaries.ts'
import {
  type DataFolder,
  EmbeddedPostgresError,
  stagingPrefix,
  syncFolder,
  undefinedWhenMissing,
} from './data-folder.ts'
import type { RunAs } from './run-as.ts'

/**
 * Written into postgresql.conf when the cluster is made; afterwards the file is the operator's. Idle, the server's
 * processes take 20 MB (proportional set size) with these.
 */
const clusterSettings: Readonly<Record<string, string>> = {
  max_connections: '60',
  // The rest of the machine's memory serves as page cache; touched only as the database grows.
  shared_buffers: '64MB',
  maintenance_work_mem: '32MB',
  // Compiling costs more than any query of ours takes.
  jit: 'off',
  // The default starts three worker processes, which pay off in large scans of cold tables only.
  io_method: 'sync',
  // Parallel plans need /dev/shm (64 MB in Docker) and cores that the service itself uses.
  max_parallel_workers: '0',
  autovacuum_max_workers: '2',
  // `replica` because pg_backup_start demands it; nothing replicates from here.
  wal_level: 'replica',
  max_wal_senders: '0',
  max_replication_slots: '0',
  max_logical_replication_workers: '0',
  timezone: 'UTC',
  log_timezone: 'UTC',
  lc_messages: 'C',
  // Errors reach the client, which logs them redacted. Their details and statements hold personal data.
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
  // Names the processes in `ps`.
  cluster_name: 'stint',
}

/** Superuser of the cluster: makes it, its database and its tables. No statement of the service runs as this user. */
export const cluster_user = 'stint'

/** The login of the service, which owns nothing and cannot become who does. */
export const service_user = 'stint_service'

/** initdb's words for every cluster. */
const initdbWords: readonly string[] = [
  ...['-U', cluster_user, '--no-instructions'],
  ...['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
  ...Object.entries(clusterSettings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
]

const init_timeout_ms = 120_000
const run = promisify(execFile)

/** The options and the owner of a new cluster. */
export interface Makings {
  binaries: Binaries
  runAs: RunAs
  transport: Transport
  /** Ends initdb. */
  signal?: AbortSignal | undefined
}

/**
 * Makes the cluster where there is none. It comes to life under another name and is on disk before the rename, so that
 * `postgres/` is whole whenever it exists, whatever killed its making before. Two services may do this at once: the second
 * rename fails, and its cluster goes away.
 */
export async function ensureCluster(folder: DataFolder, makings: Makings): Promise<void> {
  if (await exists(folder.cluster)) return
  const { user } = makings.runAs
  const staging = await mkdtemp(join(folder.path, stagingPrefix))
  try {
    if (user) await chown(staging, user.uid, user.gid)
    if (makings.transport === 'tcp') await passwordOf(folder, user)
    await initialize(staging, folder, makings)
    await rename(staging, folder.cluster)
    await syncFolder(folder.path)
  } catch (error) {
    // Retries: processes of an initdb that was ended may still be writing.
    await rm(staging, { recursive: true, force: true, maxRetries: 5 })
    if (!(await exists(folder.cluster))) throw error
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(undefinedWhenMissing)) !== undefined
}

/** initdb has synced every file when it ends. */
async function initialize(
  staging: string,
  { cluster, path, password_file }: DataFolder,
  { binaries, runAs: { prefix, user }, transport, signal }: Makings,
): Promise<void> {
  // Over the socket whoever may enter its 0700 folder may connect, which is the owner.
  const access =
    transport === 'tcp'
      ? ['--auth-local=reject', '--auth-host=scram-sha-256', `--pwfile=${password_file}`]
      : ['--auth-local=trust', '--auth-host=reject']
  const [file = '', ...args] = [...prefix, binaries.initdb, '-D', staging, ...initdbWords, ...access]
  const env = childEnvironment(binaries)
  try {
    await run(file, args, { ...user, cwd: path, env, timeout: init_timeout_ms, windowsHide: true, signal })
  } catch (cause) {
    // Its own words; not the command with all its settings, which comes before them in the error.
    const { stderr } = cause as { stderr?: string }
    const words = stderr?.trim() || String(cause)
    throw new EmbeddedPostgresError('start_failed', `initdb could not create ${cluster}: ${words}`, { cause })
  }
}

/** Settings above an edited postgresql.conf: who can reach the server, and that an answered commit is on disk. */
export function serverArguments(cluster: string, { host, port }: Address): string[] {
  const socket = host.startsWith('/')
  const settings = {
    listen_addresses: socket ? '' : host,
    // A list; the quotes keep a comma or blank in the path from ending the name.
    unix_socket_directories: socket ? `"${host.replaceAll('"', '""')}"` : '',
    unix_socket_permissions: '0700',
    port: String(port),
    fsync: 'on',
    full_page_writes: 'on',
    logging_collector: 'off',
    log_destination: 'stderr',
  }
  return ['-D', cluster, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
}
