import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Database, openDatabase } from '#db/database.ts'
import { useTestDatabase } from '#test/database.ts'
import { sql } from './database.ts'
import { describe, migrate, readMigrations, schemaState } from './migrate.ts'

const owner = { role: 'owner' } as const
const run = (database: Database, statement: ReturnType<typeof sql>) =>
  database.transaction(owner, (tx) => tx.run(statement))

/** A test database as whoever owns its tables. */
async function useOwnDatabase(t: TestContext, connections_max = 3): Promise<Database> {
  const { owner } = await useTestDatabase(t)
  const database = openDatabase(owner, { connections_max })
  t.after(() => database.close())
  return database
}

test('the migrations are numbered without gaps or doubles', async () => {
  const versions = (await readMigrations()).map(({ version }) => version)
  assert.deepEqual(
    versions,
    versions.map((_, index) => index + 1),
  )
})

test('a migrated database is current, and migrating it again applies nothing', async (t) => {
  const database = await useOwnDatabase(t)
  assert.equal((await schemaState(database)).state, 'current')
  assert.deepEqual(await migrate(database), [])
})

test('an empty database is behind, and looking at it writes nothing', async (t) => {
  const own = await useOwnDatabase(t)
  await emptyOut(own)
  const state = await schemaState(own)
  const all = await readMigrations()
  assert.equal(state.state, 'behind')
  assert.deepEqual(
    state.state === 'behind' && state.pending.map(({ name }) => name),
    all.map(({ name }) => name),
  )
  assert.match(describe(state), /stint migrate up/)
  assert.deepEqual(
    await migrate(own),
    all.map(({ name }) => name),
  )
  assert.equal((await schemaState(own)).state, 'current')
})

test('processes that migrate at once apply each migration once', async (t) => {
  const own = await useOwnDatabase(t)
  await emptyOut(own)
  const applied = await Promise.all([migrate(own), migrate(own), migrate(own)])
  assert.deepEqual(
    applied.flat().sort(),
    (await readMigrations()).map(({ name }) => name),
  )
})

test('a database of a newer release is refused and left as it is', async (t) => {
  const own = await useOwnDatabase(t)
  await run(own, sql`insert into schema_migrations (version, name, checksum) values (9999, '9999_later.sql', 'x')`)
  assert.deepEqual(await schemaState(own), { state: 'newer', version: 9999 })
  await assert.rejects(migrate(own), { name: 'StartRefused', message: /newer than this release/ })
})

test('a migration that was changed after it was applied is named', async (t) => {
  const own = await useOwnDatabase(t)
  await run(own, sql`update schema_migrations set checksum = 'x' where version = 1`)
  await assert.rejects(migrate(own), /0001_foundation.sql was changed after it was applied/)
})

test('a migration that fails leaves nothing of itself', async (t) => {
  const own = await useOwnDatabase(t)
  const [first] = await readMigrations()
  assert.ok(first)
  const before = await tablesOf(own)
  // Its tables exist already, so applying it once more fails at the first of them.
  await run(own, sql`delete from schema_migrations where version = ${first.version}`)
  await assert.rejects(migrate(own), new RegExp(`migration ${first.name} failed`))
  assert.deepEqual(await tablesOf(own), before)
  assert.equal((await schemaState(own)).state, 'behind')
})

test('a user who may not make roles migrates when the roles were granted, and is told what to grant when not', async (t) => {
  // One connection, which acts as the user from its `set role` on.
  const database = await useOwnDatabase(t, 1)
  await emptyOut(database)
  const asAdministrator = async (statements: string) => {
    const client = await database.connect()
    await client.query(`reset role; ${statements}`)
    client.release()
  }
  const user = `stint_owner_${process.pid}`
  await asAdministrator(`create role ${user}; grant ${user} to current_user; alter schema public owner to ${user};
    set role ${user}`)
  await assert.rejects(migrate(database), /an administrator has to make the role stint_app and grant it to stint_owner/)
  await asAdministrator(
    `grant stint_app, stint_backup, stint_engine, stint_lookup, stint_operator to ${user}; set role ${user}`,
  )
  const applied = await migrate(database)
  await asAdministrator(`drop owned by ${user} cascade; drop role ${user}`)
  assert.equal(applied.length, (await readMigrations()).length)
})

async function emptyOut(database: Database): Promise<void> {
  const client = await database.connect()
  await client.query('drop schema public cascade; create schema public')
  client.release()
}

async function tablesOf(database: Database): Promise<unknown[]> {
  return database.transaction(owner, (tx) =>
    tx.rows(sql`select relname, relkind from pg_class where relnamespace = 'public'::regnamespace order by relname`),
  )
}
