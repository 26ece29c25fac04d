import { join } from 'node:path'
import { findEmbeddedPostgres } from '@stint/embedded-postgres'
import { cluster_user } from '@stint/embedded-postgres/cluster.ts'
import type pg from 'pg'
import { openDatabase } from '#db/database.ts'
import { migrate } from '#db/migrate.ts'
import { writeSecretsFile } from '#operator/secrets-file.ts'
import { dropDatabase, onServer } from '#test/server-of-run.ts'

/** The place of an installation's rows. */
export interface Storage {
  /** Settings of the service that lead it there. */
  environment: Record<string, string>
  /** Fields for `pg`; known once the service has started. */
  connection(): Promise<pg.PoolConfig>
  /** Ends what the service does not end itself. */
  remove(): Promise<void>
}

/** The database that the service starts itself, in its folder. */
export function embeddedStorage(folder: string): Storage {
  return {
    environment: {},
    async connection() {
      const found = await findEmbeddedPostgres(folder)
      if (!found) throw new Error(`no PostgreSQL runs in ${folder}`)
      // The owner of the tables: benches fill and look into all of them.
      return { ...found, user: cluster_user }
    },
    remove: async () => undefined,
  }
}

/** A new, migrated database on the server of `BENCH_DATABASE_URL`, and the secrets file that belongs to it. */
export async function postgresqlStorage(folder: string, server_url: string, name: string): Promise<Storage> {
  const url = new URL(server_url)
  await onServer({ connectionString: server_url }, `create database ${name}`)
  url.pathname = `/${name}`
  const connection = { connectionString: url.href }
  const database = openDatabase(connection, { connections_max: 1 })
  await migrate(database)
  await database.close()
  writeSecretsFile(join(folder, 'secrets.json'))
  return {
    environment: { DATABASE_URL: url.href },
    connection: async () => connection,
    remove: () => dropDatabase({ connectionString: server_url }, name),
  }
}

/** Writes everything to disk, as the server does in production now and then. Not every user may call `checkpoint`. */
export async function checkpoint(connection: pg.PoolConfig): Promise<void> {
  const name = `stint_bench_checkpoint_${process.pid}`
  await onServer(connection, `create database ${name}`)
  // Dropping a database begins with a checkpoint.
  await onServer(connection, `drop database ${name}`)
}
