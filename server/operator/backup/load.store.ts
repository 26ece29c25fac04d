import type { Writable } from 'node:stream'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import type { Manifest, TableOfManifest } from './manifest.ts'
import { quoted } from './snapshot.store.ts'

/** Relations of the schema that rows could lie in; none in a database that nothing was done to. */
export async function relationsOf(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select relname::text as name from pg_class c
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'S')
       and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
     order by relname`,
  )
  return rows.map(({ name }) => name)
}

/** The statements that put back what `dropGuards` took away. */
export interface Guards {
  restore: string[]
}

/**
 * Takes away, for this transaction, what holds between rows of several tables and what happens when a row is written:
 * foreign keys, triggers, and row-level security that is forced on the owner. `putBack` checks every key over all rows.
 */
export async function dropGuards(client: pg.Client): Promise<Guards> {
  const { rows } = await client.query<{ drop: string; restore: string }>(`
    select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
           format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as restore
    from pg_constraint where connamespace = 'public'::regnamespace and contype = 'f' and conparentid = 0
    union all
    select format('alter table %s disable trigger %I', tgrelid::regclass, tgname),
           format('alter table %s enable trigger %I', tgrelid::regclass, tgname)
    from pg_trigger join pg_class c on c.oid = tgrelid
    where relnamespace = 'public'::regnamespace and not tgisinternal and tgenabled = 'O' and tgparentid = 0
    union all
    select format('alter table %s no force row level security', oid::regclass),
           format('alter table %s force row level security', oid::regclass)
    from pg_class where relnamespace = 'public'::regnamespace and relforcerowsecurity`)
  for (const { drop } of rows) await client.query(drop)
  return { restore: rows.map(({ restore }) => restore) }
}

export async function putBack(client: pg.Client, { restore }: Guards): Promise<void> {
  for (const statement of restore) await client.query(statement)
}

/** Removes the rows that migrations make. */
export async function emptyTables(client: pg.Client, names: readonly string[]): Promise<void> {
  await client.query(`truncate ${names.map(quoted).join(', ')}`)
}

/** Gives a table the partitions that it had; those that a migration made for the weeks of today go. */
export async function setPartitions(client: pg.Client, { name, partitions }: TableOfManifest): Promise<void> {
  const { rows } = await client.query<{ name: string; bounds: string }>(
    `select p.relname::text as name, pg_get_expr(p.relpartbound, p.oid) as bounds
     from pg_inherits i join pg_class p on p.oid = i.inhrelid
     where i.inhparent = $1::regclass and pg_get_expr(p.relpartbound, p.oid) <> 'DEFAULT'`,
    [quoted(name)],
  )
  const isSame = (one: { name: string; bounds: string }, other: typeof one) =>
    one.name === other.name && one.bounds === other.bounds
  for (const found of rows) {
    if (!partitions.some((one) => isSame(one, found))) await client.query(`drop table ${quoted(found.name)}`)
  }
  for (const wanted of partitions) {
    if (rows.some((one) => isSame(one, wanted))) continue
    // The bounds are of the one form that the manifest may hold.
    await client.query(`create table ${quoted(wanted.name)} partition of ${quoted(name)} ${wanted.bounds}`)
    await client.query(`call protect_event_partition(${literal(wanted.name)})`)
  }
}

/** Takes rows in the text format of COPY. */
export function copyInto(client: pg.Client, { name, columns }: TableOfManifest): Writable {
  return client.query(copyFrom(`copy ${quoted(name)} (${columns.map(quoted).join(', ')}) from stdin`))
}

export async function setSequences(client: pg.Client, sequences: Manifest['sequences']): Promise<void> {
  for (const { name, last_value, is_called } of sequences) {
    await client.query('select setval($1::regclass, $2, $3)', [quoted(name), last_value, is_called])
  }
}

/**
 * Numbers of the feed that were given after the backup are known to readers: none is given again. The step is more than any
 * service gives between a backup and its restore, and leaves room for millions of restores.
 */
export async function skipFeedNumbers(client: pg.Client): Promise<void> {
  await client.query('update event_feed_head set feed_seq = feed_seq + 1000000000000')
}

const literal = (name: string) => `'${name.replaceAll("'", "''")}'`
