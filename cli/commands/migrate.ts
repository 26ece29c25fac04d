import { type Database, openDatabase } from '#db/database.ts'
import { describe, migrate, schemaState } from '#db/migrate.ts'
import { type Purpose, reachDatabase } from '#db/reach-database.ts'
import { type Command, exitStatus, print, UsageError } from '../command.ts'
import { commandSettings, tell } from '../settings.ts'

export const migrateStatus: Command = {
  examples: ['migrate status'],
  exits: { [exitStatus.failed]: 'the schema is not that of this release' },
  run: (flags) =>
    withDatabase('serve', async (database) => {
      const state = await schemaState(database)
      print(flags, { state: state.state, version: state.version }, [describe(state)])
      return state.state === 'current' ? exitStatus.ok : exitStatus.failed
    }),
}

export const migrateUp: Command = {
  about:
    'Forward only, each migration in a transaction of its own, under a lock that two calls at once wait for. The embedded\ndatabase migrates itself at every start.',
  examples: ['migrate up'],
  run: (flags) =>
    withDatabase('migrate', async (database) => {
      const applied = await migrate(database)
      print(flags, { applied }, applied.length > 0 ? applied.map((name) => `applied ${name}`) : ['nothing to apply'])
      return exitStatus.ok
    }),
}

async function withDatabase(purpose: Purpose, work: (database: Database) => Promise<number>): Promise<number> {
  const { DATABASE_URL, STINT_DATABASE_WAIT_S } = commandSettings()
  if (!DATABASE_URL)
    throw new UsageError('DATABASE_URL is not set; the embedded database migrates itself at every start')
  await reachDatabase(DATABASE_URL, { purpose, wait_ms: STINT_DATABASE_WAIT_S * 1_000, tell })
  const database = openDatabase({ connectionString: DATABASE_URL }, { connections_max: 2 })
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}
