import { resolve } from 'node:path'
import type { EmbeddedPostgresOptions } from '@stint/embedded-postgres'
import type { Logger } from 'pino'
import type { Connection } from '#db/database.ts'
import { makeFolder } from '#db/make-folder.ts'
import { StartRefused } from '#db/start-refused.ts'
import type { Config } from './config.ts'

/** The server that holds the service's data. */
export interface DatabaseServer {
  kind: 'embedded' | 'postgresql'
  connection: Connection
  /** As the owner of the tables, where this process alone holds the server and so brings its schema up to date. */
  owner: Connection | null
  /** Ends what `openDatabaseServer` started. */
  end(): Promise<void>
  /** The same without waiting for what runs; the next start replays the log. */
  endAtOnce(): Promise<void>
}

/** Options of its start, and whom to tell while that takes long. */
export type Starting = Pick<EmbeddedPostgresOptions, 'launched' | 'signal'> & { tell?: (line: string) => void }

/**
 * Starts the embedded database, or takes the PostgreSQL of `DATABASE_URL`. This file and what it imports are small: the
 * rest of the program is loaded while PostgreSQL starts, from the moment that `launched` is called.
 */
export async function openDatabaseServer(
  config: Config,
  log: Logger,
  starting: Starting = {},
): Promise<DatabaseServer> {
  if (config.DATABASE_URL !== null) return serverAt(config.DATABASE_URL, config, starting)
  makeFolder(config.STINT_DATA_DIR)
  // Loaded only here: a process on DATABASE_URL needs none of it.
  const { startEmbeddedPostgres } = await import('@stint/embedded-postgres')
  const data_dir = config.STINT_DATA_DIR
  const server = await startEmbeddedPostgres({ data_dir, log: (line) => log.info(line), ...starting })
  const { connection, owner, stop, endAtOnce } = server
  return { kind: 'embedded', connection, owner, end: stop, endAtOnce }
}

/**
 * The same for one operator command: while a service runs on the embedded database, it uses its server and leaves it
 * running. In a folder without a database it is refused, since a new one would not be that of the service it is meant for.
 */
export async function openServerBeside(config: Config, log: Logger, starting: Starting = {}): Promise<DatabaseServer> {
  if (config.DATABASE_URL !== null) return serverAt(config.DATABASE_URL, config, starting)
  const { hasCluster } = await import('@stint/embedded-postgres/data-folder.ts')
  if (!(await hasCluster(config.STINT_DATA_DIR)))
    throw new StartRefused(
      `There is no database in ${resolve(config.STINT_DATA_DIR)}. Run \`stint serve\` first, which makes it, or give this command the STINT_DATA_DIR or DATABASE_URL of the service.`,
    )
  const { findEmbeddedPostgres } = await import('@stint/embedded-postgres')
  const connection = await findEmbeddedPostgres(config.STINT_DATA_DIR)
  if (!connection) return openDatabaseServer(config, log, starting)
  return { kind: 'embedded', connection, owner: null, ...leftRunning }
}

const leftRunning = { end: async () => undefined, endAtOnce: async () => undefined }

async function serverAt(
  connectionString: string,
  { STINT_DATABASE_WAIT_S, STINT_DATABASE_STATEMENTS: statements }: Config,
  { launched, signal, tell = () => undefined }: Starting,
): Promise<DatabaseServer> {
  // Nothing of ours has to be launched: the rest of the program is loaded meanwhile.
  launched?.()
  const { reachDatabase } = await import('#db/reach-database.ts')
  await reachDatabase(connectionString, {
    purpose: 'serve',
    statements,
    wait_ms: STINT_DATABASE_WAIT_S * 1_000,
    tell,
    signal,
  })
  return { kind: 'postgresql', connection: { connectionString, statements }, owner: null, ...leftRunning }
}
