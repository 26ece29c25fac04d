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

/** What initdb is told for every cluster. */
export const initdbWords: readonly string[] = [
  ...['-U', cluster_user, '--no-instructions'],
  ...['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
  ...Object.entries(clusterSettings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
]

/** Who may connect: over the socket whoever may enter its 0700 folder, which is the owner. */
export const socketAccess: readonly string[] = ['--auth-local=trust', '--auth-host=reject']

/** Where the server listens: a folder for its unix socket, or a TCP port of 127.0.0.1. */
export interface Address {
  readonly host: string
  readonly port: number
}

/** What does not bend to an edited postgresql.conf: who can reach the server, and that an answered commit is on disk. */
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
