import type pg from 'pg'
import type { Logger } from 'pino'
import type { EmbeddedPostgresOptions } from '#db/embedded/start.ts'
import type { Config } from './config.ts'

/** The server that holds the service's data. */
export interface DatabaseServer {
  kind: 'embedded' | 'postgresql'
  connection: pg.PoolConfig
  /** As the owner of the tables, where this process alone holds the server and so brings its schema up to date. */
  owner: pg.PoolConfig | null
  /** Ends what `openDatabaseServer` started. */
  end(): Promise<void>
  /** The same without waiting for what runs; the next start replays the log. */
  endAtOnce(): Promise<void>
}

/** How to start it. */
export type Starting = Pick<EmbeddedPostgresOptions, 'launched' | 'signal'>

/**
 * Starts the embedded database, or takes the PostgreSQL of `DATABASE_URL`. This file and what it imports are small: the
 * rest of the program is loaded while PostgreSQL starts, from the moment that `launched` is called.
 */
export async function openDatabaseServer(
  config: Config,
  log: Logger,
  starting: Starting = {},
): Promise<DatabaseServer> {
  if (config.DATABASE_URL !== null) return serverAt(config.DATABASE_URL)
  // Loaded only here: a process on DATABASE_URL needs none of it.
  const { startEmbeddedPostgres } = await import('#db/embedded/start.ts')
  const data_dir = config.STINT_DATA_DIR
  const server = await startEmbeddedPostgres({ data_dir, log: (line) => log.info(line), ...starting })
  const { connection, owner, stop, endAtOnce } = server
  return { kind: 'embedded', connection, owner, end: stop, endAtOnce }
}

/** The same for one operator command: while a service runs on the embedded database, it uses its server and leaves it running. */
export async function openServerBeside(config: Config, log: Logger): Promise<DatabaseServer> {
  if (config.DATABASE_URL !== null) return serverAt(config.DATABASE_URL)
  const { findEmbeddedPostgres } = await import('#db/embedded/start.ts')
  const connection = await findEmbeddedPostgres(config.STINT_DATA_DIR)
  if (!connection) return openDatabaseServer(config, log)
  return { kind: 'embedded', connection, owner: null, ...leftRunning }
}

const leftRunning = { end: async () => undefined, endAtOnce: async () => undefined }

function serverAt(connectionString: string): DatabaseServer {
  return { kind: 'postgresql', connection: { connectionString }, owner: null, ...leftRunning }
}
