import { randomBytes } from 'node:crypto'
import type { TestContext } from 'node:test'
import { type Database, openDatabase, sql } from '#db/database.ts'
import { type DatabaseServer, dropDatabase, onServer, server_variable, startDatabaseServer } from './server-of-run.ts'

/** A database of its own for one test file or test, copied from the migrated template and dropped afterwards. */
export interface TestDatabase {
  /** As the service's login; transactions of the role `owner` go over connections of the owner, who sees everything. */
  database: Database
  connection: DatabaseServer['connection']
  /** The same database for whoever owns its tables. */
  owner: DatabaseServer['connection']
  clock: TestClock
  drop(): Promise<void>
}

/** Moves the time of the service and of its database together. */
export interface TestClock {
  now(): number
  advance(by_ms: number): Promise<void>
  set(at: string): Promise<void>
}

let alone: Promise<DatabaseServer> | undefined
/** Databases on it. */
let used = 0

/** The server of the run, which is used unless another one is given; a file that is run by itself starts its own. */
async function serverOfRun(): Promise<Omit<DatabaseServer, 'stop'>> {
  const given = process.env[server_variable]
  if (given) return JSON.parse(given) as DatabaseServer
  alone ??= startDatabaseServer()
  return alone
}

export async function createTestDatabase(given?: DatabaseServer): Promise<TestDatabase> {
  if (!given) used += 1
  const { connection, login, template } = given ?? (await serverOfRun())
  const name = `stint_test_${randomBytes(6).toString('hex')}`
  await onServer(connection, `create database ${name} template ${template}`)
  const own = { ...login, database: name }
  const ordinary = openDatabase(own, { connections_max: 6 })
  const owner = openDatabase({ ...connection, database: name }, { connections_max: 3 })
  const database: Database = {
    ...ordinary,
    transaction: (options, work) => (options.role === 'owner' ? owner : ordinary).transaction(options, work),
  }
  return {
    database,
    connection: own,
    owner: { ...connection, database: name },
    clock: await createTestClock(database),
    drop: async () => {
      await Promise.all([ordinary.close(), owner.close()])
      await dropDatabase(connection, name)
      if (given) return
      used -= 1
      if (used > 0) return
      const ended = alone
      alone = undefined
      await (await ended)?.stop()
    },
  }
}

/** The same, dropped when the test ends. */
export async function useTestDatabase(t: TestContext): Promise<TestDatabase> {
  const own = await createTestDatabase()
  t.after(() => own.drop())
  return own
}

async function createTestClock(database: Database): Promise<TestClock> {
  const owner = { role: 'owner' } as const
  let at_ms = await database.transaction(owner, async (tx) => Date.parse(tx.now))
  const write = async () => {
    const at = new Date(at_ms).toISOString()
    await database.transaction(owner, (tx) => tx.run(sql`update test_clock set at = ${at}`))
  }
  return {
    now: () => at_ms,
    advance: (by_ms) => {
      at_ms += by_ms
      return write()
    },
    set: (at) => {
      at_ms = Date.parse(at)
      return write()
    },
  }
}
