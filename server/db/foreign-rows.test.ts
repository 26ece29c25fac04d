import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { newId } from '#core/values.ts'
import { createTestDatabase, type TestDatabase } from '#test/database.ts'
import { onServer } from '#test/server-of-run.ts'
import { join, type Role, raw, sql } from './database.ts'

// One row of a foreign organization in every table, whatever the table is: what no query of another may see or change.

let own: TestDatabase
let tables: Table[]
const [mine, theirs] = [newId(0), newId(0)] as [string, string]

interface Table {
  name: string
  columns: { name: string; type: string }[]
}

const asOwner = { role: 'owner' } as const

before(async () => {
  own = await createTestDatabase()
  // Constraints on what a row may say, and refer to, are not the question here.
  await onServer(
    own.owner,
    `do $$ declare c record; begin
       for c in select conrelid::regclass as place, conname from pg_constraint
                where connamespace = 'public'::regnamespace and contype in ('c', 'f') and conparentid = 0 and coninhcount = 0
       loop execute format('alter table %s drop constraint %I', c.place, c.conname); end loop;
       for c in select tgrelid::regclass as place, tgname from pg_trigger
                where not tgisinternal and tgrelid::regclass::text in ('organizations', 'legal_entities', 'ledger_transactions', 'ledger_entries')
       loop execute format('drop trigger %I on %s', c.tgname, c.place); end loop; end $$`,
  )
  tables = await own.database.transaction(asOwner, (tx) =>
    tx.rows<Table>(sql`
      select c.relname as name, jsonb_agg(jsonb_build_object('name', a.attname, 'type', a.atttypid::regtype)
                                          order by a.attnum) as columns
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and c.relrowsecurity and a.attgenerated = ''
      group by c.relname order by c.relname`),
  )
  await own.database.transaction({ ...asOwner, organization_id: theirs }, async (tx) => {
    for (const table of tables) await tx.run(insertOf(table))
  })
})
after(() => own.drop())

const examples: Record<string, unknown> = {
  team_role: 'viewer',
  ...{
    uuid: newId(0),
    text: 'x',
    boolean: false,
    smallint: 1,
    integer: 1,
    bigint: 1,
    numeric: 1,
    real: 1,
    date: '2026-01-01',
  },
  ...{ 'timestamp with time zone': '2026-01-01T00:00:00Z', jsonb: '{}', bytea: Buffer.from('x') },
}

/** A row of the foreign organization, every column filled. */
function insertOf({ name, columns }: Table) {
  const values = columns.map((column) => {
    if (['organization_id', 'owner_organization_id'].includes(column.name)) return sql`${theirs}::uuid`
    if (name === 'organizations' && column.name === 'id') return sql`${theirs}::uuid`
    // No entry is added as one that is sealed.
    if (name === 'audit_entries' && ['batch', 'position'].includes(column.name)) return sql`null`
    if (column.type.endsWith('[]')) return sql`'{}'`
    assert.ok(column.type in examples, `${name}.${column.name} is of the type ${column.type}: give an example`)
    return sql`${examples[column.type]}`
  })
  const names = columns.map((column) => raw(column.name))
  return sql`insert into ${raw(name)} (${join(names, ', ')}) values (${join(values, ', ')})`
}

type Outcome = 'denied' | 'refused' | number

/** The number of rows that a statement touches for a role that serves another organization, or how it fails. */
async function tried(role: Role, statement: ReturnType<typeof sql>): Promise<Outcome> {
  try {
    return await own.database.transaction({ role, organization_id: mine }, (tx) => tx.run(statement))
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === '42501') {
      return error.message.includes('row-level security') ? 'refused' : 'denied'
    }
    throw error
  }
}

for (const role of ['app', 'operator'] as const) {
  test(`no row of another organization can be read, changed, removed or made as ${role}`, async () => {
    let reached = 0
    for (const table of tables) {
      const name = raw(table.name)
      const read = await tried(role, sql`select 1 from ${name}`)
      assert.ok(read === 0 || read === 'denied', `read ${table.name}: ${read}`)
      const removed = await tried(role, sql`delete from ${name}`)
      assert.ok(removed === 0 || removed === 'denied', `delete from ${table.name}: ${removed}`)
      for (const column of table.columns) {
        const changed = await tried(role, sql`update ${name} set ${raw(column.name)} = null`)
        assert.ok(changed === 0 || changed === 'denied', `update ${table.name}.${column.name}: ${changed}`)
      }
      const made = await tried(role, insertOf(table))
      assert.ok(made === 'refused' || made === 'denied', `insert into ${table.name}: ${made}`)
      if (made === 'refused') reached += 1
    }
    assert.ok(reached >= (role === 'app' ? 25 : 4), `${reached} tables were within reach of ${role}`)
  })
}

test('the engine reads and writes what it delivers, times and cleans up, and nothing else of any organization', async () => {
  assert.deepEqual(await reachOf('engine'), [
    ...[
      'access_tokens',
      'audit_batches',
      'audit_entries',
      'event_bodies',
      'event_resources',
      'events',
      'idempotent_answers',
    ],
    ...['oauth_assertions', 'oauth_client_secrets', 'oauth_clients', 'oauth_codes', 'oauth_grants'],
    ...[
      'oauth_refresh_tokens',
      'oauth_requests',
      'payments',
      'request_counts',
      'request_logs',
      'sandbox_clocks',
      'timers',
      'webhook_attempts',
      'webhook_deliveries',
    ],
    ...[
      'webhook_lanes',
      'webhook_open_deliveries',
      'webhook_replays',
      'webhook_signing_keys',
      'webhook_subscription_revisions',
      'webhook_subscriptions',
    ],
  ])
})

test('the look-ups reach credentials and who they stand for, and nothing else of any organization', async () => {
  assert.deepEqual(await reachOf('lookup'), [
    ...[
      'access_tokens',
      // Lines about sign-ins are written, never read.
      'audit_entries',
      'invitations',
      'memberships',
      'oauth_assertions',
      'oauth_client_secrets',
      'oauth_client_verdicts',
    ],
    ...['oauth_clients', 'oauth_codes', 'oauth_grants', 'oauth_refresh_tokens', 'oauth_requests', 'organizations'],
    // Teams give roles.
    ...['people', 'team_members', 'teams'],
  ])
})

test('the look-ups write nothing of an organization but that its client was used', async () => {
  const changed: string[] = []
  for (const { name, columns } of tables) {
    for (const column of columns) {
      const rows = await own.database.transaction({ role: 'owner' }, (tx) =>
        tx.row<{ may: boolean }>(
          sql`select has_column_privilege('stint_lookup', ${name}, ${column.name}, 'update') as may`,
        ),
      )
      if (rows?.may && !name.startsWith('oauth_')) changed.push(`${name}.${column.name}`)
    }
  }
  assert.deepEqual(changed, [])
})

test('what serves an organization reads no credential of others by the views of the look-up', async () => {
  for (const view of ['live_organization_tokens', 'live_personal_tokens', 'live_worker_tokens', 'live_oauth_tokens']) {
    const asApp = own.database.transaction({ role: 'app' }, (tx) => tx.rows(sql`select 1 from ${raw(view)}`))
    await assert.rejects(asApp, /permission denied/, view)
  }
})

/** Tables of tenants that a role has any privilege on. */
async function reachOf(role: 'engine' | 'lookup'): Promise<string[]> {
  const rows = await own.database.transaction(asOwner, (tx) =>
    tx.rows<{ name: string }>(sql`
      select c.relname as name from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and c.relrowsecurity
        and (has_table_privilege(${`stint_${role}`}, c.oid, 'select, insert, update, delete')
             or has_any_column_privilege(${`stint_${role}`}, c.oid, 'select, insert, update'))
      order by c.relname`),
  )
  return rows.map(({ name }) => name)
}

const is_embedded = process.env.TEST_DATABASE_URL === undefined
test("the embedded database's login is no superuser, owns nothing and cannot become who does", {
  skip: !is_embedded && 'the server of TEST_DATABASE_URL has the login it was given',
}, async () => {
  const login = await own.database.row(sql`
    select session_user as name, rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls as is_strong,
      exists (select from pg_class c where c.relowner = r.oid) as owns,
      array(select g.rolname::text from pg_roles g where g.rolname <> session_user
            and pg_has_role(session_user, g.oid, 'member') order by g.rolname) as roles,
      array(select c.relname::text from pg_class c where c.relnamespace = 'public'::regnamespace
            and c.relkind in ('r', 'p', 'v') and has_any_column_privilege(r.oid, c.oid, 'select, insert, update')
            order by c.relname) as reaches
    from pg_roles r where rolname = session_user`)
  assert.deepEqual(login, {
    name: 'stint_service',
    is_strong: false,
    owns: false,
    roles: ['stint_app', 'stint_engine', 'stint_lookup', 'stint_operator'],
    // By itself: which credential is good, the version of the schema, and the clock of these tests.
    reaches: [
      ...['known_oauth_clients', 'live_oauth_tokens', 'live_organization_tokens', 'live_personal_tokens'],
      ...['live_worker_tokens', 'schema_migrations', 'test_clock'],
    ],
  })
  const client = await own.database.connect()
  try {
    for (const statement of [
      ...['set role stint', 'set session authorization stint', 'alter role stint_service superuser', 'create role x'],
      ...['grant stint to stint_service', 'create table x ()', 'select * from access_tokens', 'select * from users'],
      ...['alter table access_tokens no force row level security', 'drop policy tenant on access_tokens'],
      ...['alter function app_now() owner to stint_service', "select pg_read_file('PG_VERSION')"],
      ...["copy access_tokens to program 'true'", 'set session_replication_role = replica'],
    ]) {
      await assert.rejects(client.query(statement), { code: '42501' }, statement)
    }
  } finally {
    client.release()
  }
})
