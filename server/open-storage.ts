import { join } from 'node:path'
import type pg from 'pg'
import type { Logger } from 'pino'
import type { Secrets } from '#core/secrets.ts'
import { type Database, openDatabase } from '#db/database.ts'
import { describe, migrate, schemaState } from '#db/migrate.ts'
import { anyOrganization } from '#resources/organizations/index.ts'
import type { Config } from './config.ts'
import { openSecretsFile } from './secrets-file.ts'

/** What stops a start and what the operator can do about it; ends the process with status 78 (EX_CONFIG). */
export class StartRefused extends Error {
  override readonly name = 'StartRefused'
}

export interface Storage {
  connection: pg.PoolConfig
  database: Database
  secrets: Secrets
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
  const server = config.DATABASE_URL === null ? await startEmbedded(config, log) : null
  const connection: pg.PoolConfig = server?.connection ?? { connectionString: config.DATABASE_URL ?? '' }
  const database = openDatabase(connection, { connections_max: config.STINT_DATABASE_CONNECTIONS_MAX })
  const close = async () => {
    await database.close()
    await server?.stop()
  }
  try {
    if (server) await migrate(database)
    else await refuseForeignSchema(database)
    const path = config.STINT_SECRETS_FILE ?? join(config.STINT_DATA_DIR, 'secrets.json')
    return {
      connection,
      database,
      secrets: openSecrets(path, server !== null),
      kind: server ? 'embedded' : 'postgresql',
      isNew: () => hasNoOrganization(database),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function startEmbedded(config: Config, log: Logger) {
  // Loaded only here: a process on DATABASE_URL needs none of it.
  const { startEmbeddedPostgres } = await import('#db/embedded/start.ts')
  return startEmbeddedPostgres({ data_dir: config.STINT_DATA_DIR, log: (line) => log.info(line) })
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

function hasNoOrganization(database: Database): Promise<boolean> {
  return database.transaction({ role: 'lookup', read_only: true }, async (tx) => !(await anyOrganization(tx)))
}
