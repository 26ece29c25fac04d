import type { Config } from '#boot/config.ts'
import { openServerBeside } from '#boot/database-server.ts'
import { createLog } from '#core/log.ts'
import { type Connection, type Database, openDatabase } from '#db/database.ts'
import { refuseDataDir } from '#db/make-folder.ts'
import { describe, migrate, schemaState } from '#db/migrate.ts'
import { reachDatabase } from '#db/reach-database.ts'
import { describeSchema, schemaDifferences } from '#db/schema-description.ts'
import { type Command, exitStatus, print, UsageError } from '../command.ts'
import { withScratchDatabase } from '../scratch-database.ts'
import { commandSettings, tell } from '../settings.ts'

export const migrateStatus: Command = {
  about: 'Reads only, also beside a running service.',
  examples: ['migrate status', 'migrate status --json'],
  exits: { [exitStatus.failed]: 'the schema is not that of this release' },
  run: (flags) =>
    withDatabaseAsItIs(async (database, words) => {
      const state = await schemaState(database)
      print(flags, { state: state.state, version: state.version }, [words(state)])
      return state.state === 'current' ? exitStatus.ok : exitStatus.failed
    }),
}

export const migrateVerify: Command = {
  about: `Makes the schema of this release in a scratch database, an embedded one in the folder for temporary files (TMPDIR), and
compares: tables, columns, constraints, indexes, policies, triggers, functions and rights. Reads only, also beside a running
service. What an administrator has added is named too: an index of your own is no fault, a right may be one.`,
  examples: ['migrate verify', 'migrate verify --json'],
  exits: { [exitStatus.failed]: 'the schema is not that of this release, or something in it was changed' },
  run: (flags) =>
    withDatabaseAsItIs(async (database, words) => {
      const state = await schemaState(database)
      const isCurrent = state.state === 'current'
      const differences = isCurrent ? schemaDifferences(await freshSchema(), await describeSchema(database)) : []
      print(flags, { state: state.state, version: state.version, differences }, [
        words(state),
        ...(isCurrent && differences.length === 0 ? ['everything in it is as the migrations make it'] : []),
        ...differences,
      ])
      return isCurrent && differences.length === 0 ? exitStatus.ok : exitStatus.failed
    }),
}

/** The schema as the migrations of this release make it. */
const freshSchema = () =>
  withScratchDatabase((connection) =>
    withConnection(connection, async (database) => {
      await migrate(database)
      return describeSchema(database)
    }),
  )

export const migrateUp: Command = {
  about:
    'Forward only, each migration in a transaction of its own, under a lock that two calls at once wait for. The embedded\ndatabase migrates itself at every start.',
  examples: ['migrate up'],
  async run(flags) {
    const { DATABASE_URL, STINT_DATABASE_WAIT_S, STINT_DATABASE_STATEMENTS: statements } = commandSettings()
    if (!DATABASE_URL)
      throw new UsageError('DATABASE_URL is not set; the embedded database migrates itself at every start')
    await reachDatabase(DATABASE_URL, { purpose: 'migrate', statements, wait_ms: STINT_DATABASE_WAIT_S * 1_000, tell })
    return withConnection({ connectionString: DATABASE_URL, statements }, async (database) => {
      const applied = await migrate(database)
      print(flags, { applied }, applied.length > 0 ? applied.map((name) => `applied ${name}`) : ['nothing to apply'])
      return exitStatus.ok
    })
  },
}

type Words = (state: Awaited<ReturnType<typeof schemaState>>) => string

/** The database of the configured service, whatever its schema is: nothing is brought up to date. */
async function withDatabaseAsItIs(work: (database: Database, words: Words) => Promise<number>): Promise<number> {
  const config = commandSettings()
  const server = await openServerBeside(config, createLog('warn', process.stderr), { tell }).catch((error: unknown) => {
    throw refuseDataDir(config, error)
  })
  try {
    return await withConnection(server.connection, (database) => work(database, wordsFor(config)))
  } finally {
    await server.end()
  }
}

const wordsFor =
  ({ DATABASE_URL }: Config): Words =>
  (state) =>
    describe(state, DATABASE_URL === null ? 'the next start of the service applies them' : undefined)

async function withConnection<Result>(
  connection: Connection,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const database = openDatabase(connection, { connections_max: 2 })
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}
