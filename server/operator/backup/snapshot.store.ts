import type { Readable } from 'node:stream'
import pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { explain } from '#db/errors.ts'
import type { Manifest, TableOfManifest } from './manifest.ts'

/** Runs `work` on a connection of its own; where it fails, the server rolls back what it began. */
export async function onConnection<Result>(
  connection: pg.PoolConfig,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ ...connection, application_name: 'stint backup' })
  // Lost between two statements: the next one fails and says so.
  client.on('error', () => undefined)
  try {
    await client.connect()
    const result = await work(client)
    await client.end()
    return result
  } catch (error) {
    // In the middle of a table an orderly end would wait for the rest of it.
    client.connection.stream.destroy()
    // An archive that is missing is no missing server.
    throw error instanceof Error && 'path' in error ? error : explain(error)
  }
}

/** A value has one text under these, on every server. Limits that are made for short statements go. */
export async function setForCopies(client: pg.Client): Promise<void> {
  await client.query(`
    set local timezone = 'UTC'; set local datestyle = 'ISO, MDY'; set local intervalstyle = 'postgres';
    set local extra_float_digits = 1; set local bytea_output = 'hex'; set local client_encoding = 'UTF8';
    set local search_path = public, pg_temp;
    set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0;
    select set_config(name, '0', true) from pg_settings where name = 'transaction_timeout'`)
}

export interface Snapshot {
  created_at: string
  server_version: string
  migrations: Manifest['migrations']
  sealing_key_ids: string[]
  tables: (Pick<TableOfManifest, 'name' | 'columns' | 'partitions'> & { bytes: number })[]
  sequences: Manifest['sequences']
}

/**
 * Opens a transaction that sees one moment of all tables and keeps everybody from changing their columns, while rows go on
 * being written. The locks come first: what is read before them could be of a former schema.
 */
export async function openSnapshot(client: pg.Client): Promise<Snapshot> {
  await client.query('begin isolation level repeatable read read only')
  await setForCopies(client)
  await takeRole(client)
  const names = await tableNames(client)
  await client.query('rollback; begin isolation level repeatable read read only')
  await setForCopies(client)
  await takeRole(client)
  await client.query(`set local lock_timeout = '30s'; lock table ${names.map(quoted).join(', ')} in access share mode`)
  const snapshot = await describe(client)
  const seen = snapshot.tables.map(({ name }) => name)
  if (seen.join() !== names.join())
    throw new Error('the schema is being changed by a migration: begin anew when it has ended')
  return snapshot
}

/** The rows of a table in the text format of COPY, read on while they are taken. */
export function copyRows(client: pg.Client, { name, columns }: Pick<TableOfManifest, 'name' | 'columns'>): Readable {
  return client.query(copyTo(`copy (select ${columns.map(quoted).join(', ')} from ${quoted(name)}) to stdout`))
}

/** A name that PostgreSQL itself or a manifest gave, both of which hold plain ones only. */
export const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

export const backup_role = 'stint_backup'

/** Row-level security shows the owner of the tables nothing: whoever it binds takes the role that reads every row. */
async function takeRole(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ login: string; sees_all: boolean; may_take: boolean }>(
    `select rolname as login, rolsuper or rolbypassrls as sees_all,
            coalesce((select pg_has_role(login.oid, backup.oid,
                        case when current_setting('server_version_num')::int >= 160000 then 'set' else 'member' end)
                      from pg_roles backup where backup.rolname = $1), false) as may_take
     from pg_roles login where rolname = current_user`,
    [backup_role],
  )
  const [{ login = '', sees_all = false, may_take = false } = {}] = rows
  if (sees_all) return
  if (!may_take) {
    throw new Error(
      `the login ${login} may not read every row. An administrator gives it the right (the first statement where \`stint migrate up\` has not made the role):\n  create role ${backup_role} nologin;\n  grant ${backup_role} to ${quoted(login)};`,
    )
  }
  await client.query(`set local role ${backup_role}`)
  await refuseUnreadable(client)
}

/** A table whose rows are hidden would be backed up without them, and nobody would hear of it. */
async function refuseUnreadable(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select c.relname as name from ${own_tables}
       and not (has_table_privilege(c.oid, 'select') and (not c.relrowsecurity or exists (
         select from pg_policy p where p.polrelid = c.oid and p.polpermissive and p.polcmd in ('r', '*')
           and current_user::regrole = any (p.polroles) and pg_get_expr(p.polqual, c.oid) = 'true')))
     order by c.relname`,
  )
  if (rows.length === 0) return
  const names = rows.map(({ name }) => name).join(', ')
  throw new Error(
    `${backup_role} cannot read every row of ${names}: a table that is not Stint's belongs into another schema than public, and for one of Stint's the owner runs \`call include_in_backups('…')\``,
  )
}

/** Tables of the schema, without partitions, which are read through them, and without what extensions keep for themselves. */
const own_tables = `pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`

export async function tableNames(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select c.relname::text as name from ${own_tables} order by c.relname collate "C"`,
  )
  return rows.map(({ name }) => name)
}

async function describe(client: pg.Client): Promise<Snapshot> {
  const one = async <Row extends pg.QueryResultRow>(text: string) => (await client.query<Row>(text)).rows
  const [about] = await one<{ created_at: string; server_version: string }>(
    `select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,
            current_setting('server_version') as server_version`,
  )
  const migrations = await one<Manifest['migrations'][number]>(
    'select version, name, checksum from schema_migrations order by version',
  )
  const tables = await one<Snapshot['tables'][number]>(
    `select c.relname::text as name,
            array(select a.attname::text from pg_attribute a
                  where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
                  order by a.attnum) as columns,
            coalesce((select json_agg(json_build_object('name', p.relname, 'bounds', pg_get_expr(p.relpartbound, p.oid))
                              order by p.relname)
                      from pg_inherits i join pg_class p on p.oid = i.inhrelid
                      where i.inhparent = c.oid and pg_get_expr(p.relpartbound, p.oid) <> 'DEFAULT'), '[]') as partitions,
            (pg_table_size(c.oid) + coalesce((select sum(pg_table_size(i.inhrelid)) from pg_inherits i
                                              where i.inhparent = c.oid), 0))::float8 as bytes
     from ${own_tables} order by c.relname collate "C"`,
  )
  const sequences: Manifest['sequences'] = []
  for (const { name } of await one<{ name: string }>(
    `select relname::text as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'S' order by 1`,
  )) {
    const [at] = await one<{ last_value: string; is_called: boolean }>(
      `select last_value::text, is_called from ${quoted(name)}`,
    )
    if (at) sequences.push({ name, ...at })
  }
  const keys = tables.some(({ name }) => name === 'key_checks')
    ? await one<{ key_id: string }>('select key_id from key_checks order by key_id')
    : []
  const sealing_key_ids = keys.map(({ key_id }) => key_id)
  return { ...{ created_at: '', server_version: '', ...about }, migrations, sealing_key_ids, tables, sequences }
}
