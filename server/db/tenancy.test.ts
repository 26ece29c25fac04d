import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newId } from '#core/values/id.ts'
import { insertOrganization } from '#resources/organizations/index.ts'
import { createTestDatabase, type TestDatabase } from '#test/database.ts'
import { raw, sql } from './sql.ts'

let own: TestDatabase
const [mine, theirs] = [newId(0), newId(0)] as [string, string]
before(async () => {
  own = await createTestDatabase()
  for (const id of [mine, theirs]) await addOrganization(id)
})
after(() => own.drop())

const addOrganization = (id: string) =>
  own.database.transaction({ role: 'app', organization_id: id }, (tx) =>
    insertOrganization(tx, {
      id,
      name: 'x',
      country: 'DE',
      default_currency: 'EUR',
      timezone: 'UTC',
      is_sandbox: false,
    }),
  )

const visible = (options: { role: 'app' | 'engine'; organization_id?: string }) =>
  own.database.transaction(options, (tx) => tx.rows<{ id: string }>(sql`select id from organizations order by id`))

interface TenantTable {
  name: string
  is_forced: boolean
  policies: string[]
  first_key_column: string | null
  is_partition: boolean
  may_read: boolean
}

/** Every table with an organization_id, as the server itself describes it. */
function tenantTables(): Promise<TenantTable[]> {
  return own.database.transaction({ role: 'operator' }, (tx) =>
    tx.rows<TenantTable>(sql`
      select c.relname as name, c.relrowsecurity and c.relforcerowsecurity as is_forced, c.relispartition as is_partition,
        array(select p.polname::text from pg_policy p where p.polrelid = c.oid) as policies,
        has_table_privilege('stint_app', c.oid, 'select, insert, update, delete') as may_read,
        (select a.attname::text from pg_index i join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
         where i.indrelid = c.oid and i.indisprimary) as first_key_column
      from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
        and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id')
      order by c.relname`),
  )
}

test('every table with an organization_id forces row-level security with the tenant policy', async () => {
  const tables = (await tenantTables()).filter(({ is_partition }) => !is_partition)
  assert.ok(tables.length >= 10)
  for (const { name, is_forced, policies } of tables) {
    assert.ok(is_forced, name)
    assert.ok(policies.includes('tenant'), name)
  }
})

test('partitions can be read through their table only, where its policy counts', async () => {
  const partitions = (await tenantTables()).filter(({ is_partition }) => is_partition)
  assert.ok(partitions.length >= 4)
  assert.deepEqual(
    partitions.filter(({ may_read, is_forced }) => may_read && !is_forced).map(({ name }) => name),
    [],
  )
})

test('the primary key of every tenant table begins with the organization, but for the organization itself', async () => {
  const others = (await tenantTables()).filter(({ first_key_column }) => first_key_column !== 'organization_id')
  assert.deepEqual(
    others.map(({ name }) => name),
    ['organizations'],
  )
})

test('without an organization no row of any tenant table is visible to the application', async () => {
  const tables = (await tenantTables()).filter(({ may_read, is_partition }) => may_read && !is_partition)
  await own.database.transaction({ role: 'app' }, async (tx) => {
    for (const { name } of tables) {
      assert.deepEqual(await tx.row(sql`select count(*)::int as rows from ${raw(name)}`), { rows: 0 }, name)
    }
  })
})

test('a query that forgets its organization sees the rows of its own only', async () => {
  assert.deepEqual(await visible({ role: 'app', organization_id: mine }), [{ id: mine }])
  assert.deepEqual(await visible({ role: 'app' }), [])
})

test('a row cannot be written into another organization, nor moved there', async () => {
  const inMine = <Result>(statement: ReturnType<typeof sql>) =>
    own.database.transaction({ role: 'app', organization_id: mine }, (tx) => tx.run(statement) as Promise<Result>)
  const insert = sql`insert into audit_entries (id, organization_id, occurred_at, actor, action, subject_kind, changed_fields)
    values (${newId(0)}, ${theirs}, app_now(), '{}', 'x', 'x', '{}')`
  await assert.rejects(inMine(insert), /row-level security/)
  assert.equal(await inMine(sql`update organizations set name = 'taken' where id = ${theirs}`), 0)
  await inMine(sql`insert into timers (id, organization_id, kind, priority, subject_id, due_at, created_at)
    values (${newId(0)}, ${mine}, 'x', 1, ${newId(0)}, app_now(), app_now())`)
  await assert.rejects(inMine(sql`update timers set organization_id = ${theirs}`), /row-level security/)
})

test('the context of one transaction does not reach the next on the same connection', async () => {
  for (let turn = 0; turn < 20; turn += 1) {
    assert.deepEqual(await visible({ role: 'app', organization_id: turn % 2 ? mine : theirs }), [
      { id: turn % 2 ? mine : theirs },
    ])
    assert.deepEqual(await visible({ role: 'app' }), [])
  }
})

test('the roles of the service can neither log in nor own a table nor pass row-level security', async () => {
  const roles = await own.database.transaction({ role: 'operator' }, (tx) =>
    tx.rows(sql`select rolname as name, rolcanlogin or rolsuper or rolbypassrls or rolcreaterole as is_strong,
        (select count(*)::int from pg_class c where c.relowner = r.oid) as owned
      from pg_roles r where rolname like 'stint\\_%' order by rolname`),
  )
  assert.deepEqual(
    roles,
    ['stint_app', 'stint_engine', 'stint_lookup'].map((name) => ({ name, is_strong: false, owned: 0 })),
  )
})

test('the application can neither change the audit log nor read users and their passwords', async () => {
  const inMine = (statement: ReturnType<typeof sql>) =>
    own.database.transaction({ role: 'app', organization_id: mine }, (tx) => tx.run(statement))
  for (const statement of [
    sql`update audit_entries set action = 'x'`,
    sql`delete from audit_entries`,
    sql`select password_hash from users`,
    sql`delete from organizations`,
    sql`truncate audit_entries`,
  ]) {
    await assert.rejects(inMine(statement), /permission denied/)
  }
})
