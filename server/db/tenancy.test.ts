import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newId } from '#core/values.ts'
import { insertOrganization } from '#resources/organizations/index.ts'
import { createTestDatabase, type TestDatabase } from '#test/database.ts'
import { sql } from './database.ts'

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

interface Table {
  name: string
  is_tenant: boolean
  is_partition: boolean
  is_forced: boolean
  policies: string[]
  first_key_column: string | null
  /** Roles with any privilege on it. */
  roles: string[]
}

/** Every table of the schema, as the server itself describes it. */
function allTables(): Promise<Table[]> {
  return own.database.transaction({ role: 'owner' }, (tx) =>
    tx.rows<Table>(sql`
      select c.relname as name, c.relrowsecurity and c.relforcerowsecurity as is_forced, c.relispartition as is_partition,
        exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id') as is_tenant,
        array(select p.polname::text from pg_policy p where p.polrelid = c.oid) as policies,
        array(select r.rolname::text from pg_roles r where r.rolname like 'stint\\_%'
              and (has_table_privilege(r.oid, c.oid, 'select, insert, update, delete')
                or has_any_column_privilege(r.oid, c.oid, 'select, insert, update'))
              order by r.rolname) as roles,
        (select a.attname::text from pg_index i join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
         where i.indrelid = c.oid and i.indisprimary) as first_key_column
      from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      order by c.relname`),
  )
}

const account_roles = ['stint_lookup', 'stint_operator']

/** Tables that hold no tenant's rows, why, and who may touch them where they hold people's accounts. */
const of_no_tenant: Record<string, { why: string; roles?: string[] }> = {
  schema_migrations: { why: 'what was done to this database' },
  webhook_schedules: { why: 'delays of the settings, shared by all' },
  event_feed_head: { why: 'one number: how far the feed was numbered' },
  event_feed_floor: { why: 'one number: what retention has removed' },
  key_checks: { why: 'proves the keys of the service' },
  test_clock: { why: 'the clock of these tests' },
  users: { why: 'accounts, each a member of any number of organizations', roles: account_roles },
  sessions: { why: 'sign-ins of accounts', roles: account_roles },
  set_up_links: { why: 'for accounts, and before there is any', roles: account_roles },
  totp_secrets: { why: 'second factors of accounts', roles: account_roles },
  recovery_keys: { why: 'second factors of accounts', roles: account_roles },
  recovery_codes: { why: 'second factors of accounts', roles: account_roles },
  passkeys: { why: 'second factors of accounts', roles: account_roles },
  used_challenges: { why: 'answered by accounts', roles: ['stint_lookup'] },
  sign_in_failures: { why: 'counts of attempts at accounts', roles: ['stint_lookup'] },
}

test('every table forces row-level security and has a policy, but for those listed with their reason', async () => {
  const tables = await allTables()
  const open = tables.filter(({ is_forced, policies }) => !is_forced || policies.length === 0)
  assert.deepEqual(open.map(({ name }) => name).sort(), Object.keys(of_no_tenant).sort())
  for (const { name, is_tenant, policies, is_partition } of tables) {
    if (is_tenant && !is_partition) assert.ok(policies.includes('tenant'), name)
  }
})

test('accounts, their sessions and links are out of reach for what serves an organization', async () => {
  const tables = new Map((await allTables()).map((table) => [table.name, table.roles]))
  for (const [name, { roles }] of Object.entries(of_no_tenant)) {
    if (roles) assert.deepEqual(tables.get(name), ['stint_backup', ...roles].sort(), name)
  }
})

test('every table is in a backup, with all its rows', async () => {
  const tables = (await allTables()).filter(({ is_partition }) => !is_partition)
  const left_out = tables.filter(
    ({ roles, is_forced, policies }) => !roles.includes('stint_backup') || (is_forced && !policies.includes('backup')),
  )
  assert.deepEqual(
    left_out.map(({ name }) => name),
    [],
  )
})

test('partitions can be read through their table only, but for the engine that drops them', async () => {
  const partitions = (await allTables()).filter(({ is_partition }) => is_partition)
  assert.ok(partitions.length >= 15)
  for (const { name, roles } of partitions) assert.deepEqual(roles, ['stint_engine'], name)
})

test('the primary key of every tenant table begins with the organization, but for the organization itself', async () => {
  const others = (await allTables()).filter(
    ({ is_tenant, first_key_column }) => is_tenant && first_key_column !== 'organization_id',
  )
  assert.deepEqual(
    others.map(({ name }) => name),
    ['organizations'],
  )
})

/** Unique indexes of tenant tables by which a row is found before its organization is known; docs/guides/scaling.md tells of each. */
const without_organization = [
  'access_tokens_digest',
  'invitations_digest',
  'oauth_codes_digest',
  'oauth_refresh_tokens_digest',
  'organizations_pkey',
  'webhook_lanes_subscription_id_key',
  'webhook_subscriptions_id_key',
]

test('what is unique is unique in an organization, but for what leads to one, so that tables can be spread by it', async () => {
  const rows = await own.database.transaction({ role: 'owner' }, (tx) =>
    tx.rows<{ name: string }>(sql`
      select i.indexrelid::regclass::text as name from pg_index i join pg_class c on c.oid = i.indrelid
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id'
      where c.relnamespace = 'public'::regnamespace and not c.relispartition and i.indisunique
        and a.attnum <> all (i.indkey) order by 1`),
  )
  assert.deepEqual(
    rows.map(({ name }) => name),
    without_organization,
  )
})

test('a key between tenant tables carries the organization, so that no row refers to another one’s', async () => {
  const rows = await own.database.transaction({ role: 'owner' }, (tx) =>
    tx.rows<{ name: string }>(sql`
      select k.conrelid::regclass || ' → ' || k.confrelid::regclass as name from pg_constraint k
      join pg_class c on c.oid = k.conrelid
      join pg_attribute of_target on of_target.attrelid = k.confrelid and of_target.attname = 'organization_id'
      left join pg_attribute own on own.attrelid = k.conrelid and own.attname = 'organization_id'
      where k.contype = 'f' and not c.relispartition and (own.attnum = any (k.conkey)) is not true order by 1`),
  )
  assert.deepEqual(
    rows.map(({ name }) => name),
    ['oauth_clients → organizations'],
  )
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
  const roles = await own.database.transaction({ role: 'owner' }, (tx) =>
    tx.rows(sql`select rolname as name, rolcanlogin or rolsuper or rolbypassrls or rolcreaterole as is_strong,
        (select count(*)::int from pg_class c where c.relowner = r.oid and c.relkind <> 'v') as owned
      from pg_roles r where rolname in ('stint_app', 'stint_backup', 'stint_engine', 'stint_lookup', 'stint_operator')
      order by rolname`),
  )
  assert.deepEqual(
    roles,
    ['stint_app', 'stint_backup', 'stint_engine', 'stint_lookup', 'stint_operator'].map((name) => ({
      name,
      is_strong: false,
      owned: 0,
    })),
  )
})

test('functions that run as somebody else have a fixed search path and are not open to everybody', async () => {
  const functions = await own.database.transaction({ role: 'owner' }, (tx) =>
    tx.rows<{ name: string; is_fixed: boolean; is_public: boolean }>(sql`
      select p.proname as name, exists (
          select from unnest(p.proconfig) setting where setting in ('search_path=public, pg_temp')) as is_fixed,
        exists (select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) acl where acl.grantee = 0)
          as is_public
      from pg_proc p where p.pronamespace = 'public'::regnamespace and p.prosecdef order by p.proname`),
  )
  assert.ok(functions.length >= 7)
  for (const { name, is_fixed, is_public } of functions) assert.deepEqual([is_fixed, is_public], [true, false], name)
})

test('the application can neither change the audit log and the history of deliveries nor read users and their passwords', async () => {
  const inMine = (statement: ReturnType<typeof sql>) =>
    own.database.transaction({ role: 'app', organization_id: mine }, (tx) => tx.run(statement))
  for (const statement of [
    sql`update audit_entries set action = 'x'`,
    sql`delete from audit_entries`,
    sql`select password_hash from users`,
    sql`delete from organizations`,
    sql`truncate audit_entries`,
    sql`update webhook_deliveries set status = 'failed'`,
    sql`delete from webhook_attempts`,
  ]) {
    await assert.rejects(inMine(statement), /permission denied/)
  }
})
