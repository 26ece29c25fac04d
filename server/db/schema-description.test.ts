import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useTestDatabase } from '#test/database.ts'
import { openDatabase, sql } from './database.ts'
import { describeSchema, schemaDifferences } from './schema-description.ts'

const changes = [
  [sql`alter table teams no force row level security`, 'table teams: not as this release makes it'],
  [sql`drop policy tenant on teams`, 'policy tenant of teams: not there'],
  [sql`alter table teams add remark text`, 'column teams.remark: not of this release'],
  [sql`alter table teams alter name drop not null`, 'column teams.name: not as this release makes it'],
  [sql`create index teams_by_size on teams (created_at)`, 'index teams_by_size: not of this release'],
  [sql`drop index teams_name`, 'index teams_name: not there'],
  [
    sql`grant delete on schema_migrations to stint_app`,
    'rights of stint_app on schema_migrations: not of this release',
  ],
  [sql`grant select (name) on users to stint_engine`, 'rights of stint_engine on users.name: not of this release'],
  [
    sql`grant execute on function resolve_session(bytea) to public`,
    'rights of everybody on resolve_session(bytea): not of this release',
  ],
  [
    sql`create or replace function current_organization() returns uuid language sql stable parallel safe return null::uuid`,
    'function current_organization(): not as this release makes it',
  ],
] as const

test('whatever was changed in the schema by hand is named, and a schema as the migrations left it is not', async (t) => {
  const { owner } = await useTestDatabase(t)
  const database = openDatabase(owner, { connections_max: 2 })
  t.after(() => database.close())
  const expected = await describeSchema(database)
  assert.deepEqual(schemaDifferences(expected, await describeSchema((await useTestDatabase(t)).database)), [])
  assert.ok(expected.size > 1_000, `${expected.size}`)
  await database.transaction({ role: 'owner' }, async (tx) => {
    for (const [statement] of changes) await tx.run(statement)
  })
  const words = changes.map(([, told]) => told)
  assert.deepEqual(schemaDifferences(expected, await describeSchema(database)), words.sort())
})
