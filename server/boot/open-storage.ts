import type { Logger } from 'pino'
import { watchPool } from '#core/pool-metrics.ts'
import { openReplica } from '#core/replica.ts'
import type { Secrets } from '#core/secrets.ts'
import { type Connection, type Database, openDatabase } from '#db/database.ts'
import { refuseDataDir } from '#db/make-folder.ts'
import { describe, migrate, schemaState } from '#db/migrate.ts'
import { StartRefused } from '#db/start-refused.ts'
import { checkSecrets } from '#operator/sealing-keys.ts'
import { openSecretsFile } from '#operator/secrets-file.ts'
import { anyOrganization } from '#resources/organizations/index.ts'
import { type Config, secretsFileOf } from './config.ts'
import type { DatabaseServer } from './database-server.ts'

export type Storage = Awaited<ReturnType<typeof openStorage>>

/**
 * Opens the database of a server and the secrets that belong to it. A schema that another process may be using must be
 * this release's already: nothing is written before that is known.
 */
export async function openStorage(config: Config, server: DatabaseServer) {
  const { kind, connection, owner, end } = server
  const database = openDatabase(connection, { connections_max: config.STINT_DATABASE_CONNECTIONS_MAX })
  watchPool('service', database.pool)
  const close = async () => {
    try {
      await database.close()
    } finally {
      await end()
    }
  }
  try {
    await (owner ? migrateAs(owner) : refuseForeignSchema(database))
    const secrets_file = secretsFileOf(config)
    const secrets = openSecrets(config, secrets_file, kind === 'embedded')
    await checkSecrets(database, secrets)
    /** True while no organization exists. */
    const isNew = async () => !(await database.transaction({ role: 'lookup', read_only: true }, anyOrganization))
    return { connection, database, secrets, secrets_file, kind, isNew, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Begins to watch the standby of the settings, where there is one. It may be away: then everything is read at the primary. */
export function openReplicaOf(config: Config, { connection, secrets }: Storage, log: Logger) {
  const { DATABASE_REPLICA_URL, STINT_DATABASE_CONNECTIONS_MAX, STINT_REPLICA_AGE_MAX_MS } = config
  const { STINT_DATABASE_STATEMENTS: statements } = config
  if (DATABASE_REPLICA_URL === null) return undefined
  const replica = openReplica({
    ...{ primary: connection, replica: { connectionString: DATABASE_REPLICA_URL, statements }, secrets, log },
    connections_max: STINT_DATABASE_CONNECTIONS_MAX,
    age_max_ms: STINT_REPLICA_AGE_MAX_MS,
  })
  replica.start()
  return replica
}

/** On a connection of its own, gone before the service begins: what serves requests cannot change the tables. */
async function migrateAs(owner: Connection): Promise<void> {
  const database = openDatabase(owner, { connections_max: 1 })
  try {
    await migrate(database)
  } finally {
    await database.close()
  }
}

async function refuseForeignSchema(database: Database): Promise<void> {
  const state = await schemaState(database)
  if (state.state !== 'current') throw new StartRefused(describe(state))
}

function openSecrets(config: Config, secrets_file: string, create: boolean): Secrets {
  try {
    return openSecretsFile(secrets_file, create)
  } catch (cause) {
    if (refuseDataDir(config, cause) !== cause) throw cause
    throw new StartRefused(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}
