import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { useTestDatabase } from '#test/database.ts'
import { migrateTo, readMigrations } from './migrate.ts'

/** The rule holds from this migration on (CONTRIBUTING, "Add a migration"). */
const first_version = 51

/** Migrations that take away what the release before them no longer uses, and since which one it does not. */
const contractions: Record<number, string> = {}

/** Triggers that refuse nothing: they do more with what a service of the former release writes. */
const refusing_nothing = new Set(
  ['access', 'closed_on_arrival', 'erased'].map((name) => `trigger people_${name} on people`),
)

/** Parts of the schema that a running service of the former release relies on: none may go or get another meaning. */
const relied_on = `
  select format('%s %I of %s %s', case c.relkind when 'v' then 'view' else 'table' end, a.attname, a.attrelid::regclass, format_type(a.atttypid, a.atttypmod)) as fact
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v') and not c.relispartition
      and a.attnum > 0 and not a.attisdropped
  union all select format('function %s returns %s', oid::regprocedure, pg_get_function_result(oid)) from pg_proc
    where pronamespace = 'public'::regnamespace
  union all select format('%s may %s %s', grantee, privilege_type, table_name) from information_schema.role_table_grants
    where table_schema = 'public' and grantee like 'stint\\_%'
  union all select format('index %s', indexdef) from pg_indexes where schemaname = 'public' and indexdef like 'CREATE UNIQUE%' and tablename !~ '_([0-9]{8}|default)$'`

/** Rules that rows have to obey; one that is new may refuse the rows that a service of the former release writes. */
const obeyed = `
  select format('%s must not be null in %s', a.attname, a.attrelid::regclass) as fact, a.attrelid::regclass::text as "table"
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and a.attnum > 0 and a.attnotnull and not a.atthasdef and a.attidentity = ''
  union all select format('%s: %s', conrelid::regclass, pg_get_constraintdef(oid)), conrelid::regclass::text from pg_constraint
    where connamespace = 'public'::regnamespace and contype in ('c', 'f', 'u', 'x') and conparentid = 0
  union all select format('index %s', pg_get_indexdef(indexrelid)), indrelid::regclass::text from pg_index
    join pg_class c on c.oid = indrelid where c.relnamespace = 'public'::regnamespace and indisunique and not c.relispartition
  union all select format('trigger %s on %s', tgname, tgrelid::regclass), tgrelid::regclass::text from pg_trigger
    where not tgisinternal and tgparentid = 0`

async function factsOf(client: pg.Client) {
  const facts = async (text: string) => (await client.query<{ fact: string; table: string }>(text)).rows
  const tables = await facts(
    `select relname::text as "table", '' as fact from pg_class where relnamespace = 'public'::regnamespace`,
  )
  return {
    relied_on: await facts(relied_on),
    obeyed: await facts(obeyed),
    tables: new Set(tables.map(({ table }) => table)),
  }
}

type Facts = Awaited<ReturnType<typeof factsOf>>

/** The ways in which a change breaks a service of the release before it. Rules of tables that are new concern nobody. */
function breaks(before: Facts, after: Facts): string[] {
  const textsOf = (rows: readonly { fact: string }[]) => new Set(rows.map(({ fact }) => fact))
  const gone = textsOf(before.relied_on).difference(textsOf(after.relied_on))
  const known = textsOf(before.obeyed)
  const demanded = after.obeyed.filter(
    ({ fact, table }) => before.tables.has(table) && !known.has(fact) && !refusing_nothing.has(fact),
  )
  return [...[...gone].map((fact) => `gone: ${fact}`), ...demanded.map(({ fact }) => `demanded: ${fact}`)].sort()
}

test('a service of the release before runs on the schema of each migration: it takes nothing away and demands nothing new', async (t) => {
  const { owner } = await useTestDatabase(t)
  const client = new pg.Client(owner)
  await client.connect()
  try {
    await client.query('begin; drop schema public cascade; create schema public')
    const versions = (await readMigrations()).map(({ version }) => version)
    await migrateTo(client, new Set(versions.filter((version) => version < first_version)))
    let before = await factsOf(client)
    for (const version of versions.filter((one) => one >= first_version)) {
      await migrateTo(client, new Set([version]))
      const after = await factsOf(client)
      const found = breaks(before, after)
      if (version in contractions) assert.notDeepEqual(found, [], `${version} contracts nothing`)
      else assert.deepEqual(found, [], `migration ${version}`)
      before = after
    }
    for (const [statement, expected] of Object.entries(mistakes)) {
      await client.query(`savepoint mistake; ${statement}`)
      assert.match(breaks(before, await factsOf(client)).join('\n'), expected, statement)
      await client.query('rollback to savepoint mistake')
    }
    for (const statement of expansions) {
      await client.query(`savepoint expansion; ${statement}`)
      assert.deepEqual(breaks(before, await factsOf(client)), [], statement)
      await client.query('rollback to savepoint expansion')
    }
  } finally {
    await client.end()
  }
})

/** Changes under which the former release fails, and how that is told. */
const mistakes: Record<string, RegExp> = {
  'alter table teams drop column name cascade': /gone: table name of teams text/,
  'alter table teams rename column name to title': /gone: table name of teams/,
  'alter table webhook_replays rename to replays': /gone: table .* of webhook_replays/,
  'alter table timers alter column priority type bigint': /gone: table priority of timers/,
  'alter table teams add column kind text not null': /demanded: kind must not be null in teams/,
  'alter table people alter column email set not null': /demanded: email must not be null in people/,
  "alter table teams add check (name <> 'x')": /demanded: teams: CHECK/,
  'drop function add_event_partitions(timestamptz)': /gone: function add_event_partitions/,
  'revoke select on teams from stint_app': /gone: stint_app may SELECT teams/,
  'drop index users_email': /gone: index .*users_email/,
  'create unique index one_team on teams (created_at)': /demanded: index .*one_team/,
}

const expansions = [
  'alter table teams add column kind text',
  "alter table teams add column kind text not null default 'x'",
  'create table notes (id uuid primary key, text text not null check (length(text) > 1))',
  'create index teams_kind on teams (created_at)',
]
