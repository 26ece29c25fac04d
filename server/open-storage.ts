import { join } from 'node:path'
import type pg from 'pg'
import type { Logger } from 'pino'
import type { Secrets } from '#core/secrets/secrets.ts'
import { type Database, openDatabase } from '#db/database.ts'
import { describe, migrate, schemaState } from '#db/migrate.ts'
import { anyOrganization } from '#resources/organizations/index.ts'
import type { Config } from './config.ts'
import { checkSecrets, SecretsMismatch } from './sealing/canaries.ts'
import { openSecretsFile } from './secrets-file.ts'

/** What stops a start and what the operator can do about it; ends the process with status 78 (EX_CONFIG). */
export class StartRefused extends Error {
  override readonly name = 'StartRefused'
}

export interface Storage {
  connection: pg.PoolConfig
  database: Database
  secrets: Secrets
  /** Path of the file they come from. */
  secrets_file: string
  kind: 'embedded' | 'postgresql'
  /** No organization exists yet. */
  isNew(): Promise<boolean>
  close(): Promise<void>
}

/**
 * Opens the embedded database (started and migrated here) or the PostgreSQL of `DATABASE_URL` (which must be migrated
 * already: nothing is written before that is known), and the secrets that belong to it.
 */
export async function openStorage(config: Config, log: Logger): Promise<Storage> {
  return config.DATABASE_URL === null ? openEmbedded(config, log) : openPostgresql(config, config.DATABASE_URL)
}

/**
 * The same for one operator command: while a service runs on the embedded database, the command uses its server and
 * leaves it running.
 */
export async function openStorageBeside(config: Config, log: Logger): Promise<Storage> {
  if (config.DATABASE_URL !== null) return openPostgresql(config, config.DATABASE_URL)
  const { findEmbeddedPostgres } = await import('#db/embedded/start.ts')
  const connection = await findEmbeddedPostgres(config.STINT_DATA_DIR)
  if (!connection) return openEmbedded(config, log)
  return storageOn(config, { kind: 'embedded', connection, prepare: refuseForeignSchema, end: async () => undefined })
}

async function openEmbedded(config: Config, log: Logger): Promise<Storage> {
  // Loaded only here: a process on DATABASE_URL needs none of it.
  const { startEmbeddedPostgres } = await import('#db/embedded/start.ts')
  const server = await startEmbeddedPostgres({ data_dir: config.STINT_DATA_DIR, log: (line) => log.info(line) })
  const { connection, stop } = server
  return storageOn(config, { kind: 'embedded', connection, prepare: migrate, end: stop })
}

function openPostgresql(config: Config, connectionString: string): Promise<Storage> {
  const connection = { connectionString }
  return storageOn(config, { kind: 'postgresql', connection, prepare: refuseForeignSchema, end: async () => undefined })
}

interface Server {
  kind: Storage['kind']
  connection: pg.PoolConfig
  /** Makes sure that the schema is this release's before anything else is done. */
  prepare(database: Database): Promise<unknown>
  end(): Promise<void>
}

async function storageOn(config: Config, { kind, connection, prepare, end }: Server): Promise<Storage> {
  const database = openDatabase(connection, { connections_max: config.STINT_DATABASE_CONNECTIONS_MAX })
  const close = async () => {
    await database.close()
    await end()
  }
  try {
    await prepare(database)
    const secrets_file = config.STINT_SECRETS_FILE ?? join(config.STINT_DATA_DIR, 'secrets.json')
    const secrets = openSecrets(secrets_file, kind === 'embedded')
    await checkSecrets(database, secrets).catch(refuseMismatch)
    return { connection, database, secrets, secrets_file, kind, isNew: () => hasNoOrganization(database), close }
  } catch (error) {
    await close()
    throw error
  }
}

async function refuseForeignSchema(database: Database): Promise<void> {
  const state = await schemaState(database)
  if (state.state !== 'current') throw new StartRefused(describe(state))
}

function openSecrets(path: string, create: boolean): Secrets {
  try {
    return openSecretsFile(path, create)
  } catch (cause) {
    throw new StartRefused(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

function refuseMismatch(cause: unknown): never {
  throw cause instanceof SecretsMismatch ? new StartRefused(cause.message, { cause }) : cause
}

function hasNoOrganization(database: Database): Promise<boolean> {
  return database.transaction({ role: 'lookup', read_only: true }, async (tx) => !(await anyOrganization(tx)))
}
