import type { Database } from './database.ts'

/** The things of a schema, by words for the operator, each with a text that differs where the thing does. */
export type SchemaDescription = ReadonlyMap<string, string>

/**
 * Reads how the server describes the schema: tables, columns, constraints, indexes, policies, triggers, functions, and
 * what the roles of the service may do. Partitions are left out, since they come and go. Every login may read it.
 */
export async function describeSchema(database: Database): Promise<SchemaDescription> {
  const client = await database.connect()
  try {
    const { rows } = await client.query<{ thing: string; text: string }>(query)
    return new Map(rows.map(({ thing, text }) => [thing, text]))
  } finally {
    client.release()
  }
}

/** Tells how a schema differs from the one that it should be, one line for each thing. */
export function schemaDifferences(expected: SchemaDescription, found: SchemaDescription): string[] {
  // A login of its own is offered by the migrations, and not made where they may make no roles.
  const hasLogin = [...found.keys()].some(isOfLogin)
  const lacking = [...expected.keys()].filter((thing) => !found.has(thing) && (hasLogin || !isOfLogin(thing)))
  const altered = [...expected].filter(([thing, text]) => (found.get(thing) ?? text) !== text)
  const strange = [...found.keys()].filter((thing) => !expected.has(thing))
  return [
    ...lacking.map((thing) => `${thing}: not there`),
    ...altered.map(([thing]) => `${thing}: not as this release makes it`),
    ...strange.map((thing) => `${thing}: not of this release`),
  ].sort()
}

const isOfLogin = (thing: string) => thing.startsWith('rights of stint_service ')

/** The owner of tables and functions has another name on every server, so nothing tells of it but who it is not. */
const query = `
with own_table as (
  select oid, relname, relkind, relrowsecurity, relforcerowsecurity, relacl, relowner from pg_class
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'S') and not relispartition
), own_function as (
  select oid, oid::regprocedure::text as name, proowner, coalesce(proacl, acldefault('f', proowner)) as acl from pg_proc
  where pronamespace = 'public'::regnamespace and prokind in ('f', 'p')
    and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')
), own_role as (
  select oid, rolname from pg_roles where rolname like 'stint\\_%' union all select 0, 'everybody'
), given as (
  select r.rolname, t.relname as place, x.privilege_type from own_table t, aclexplode(t.relacl) x
  join own_role r on r.oid = x.grantee where x.grantee <> t.relowner
  union all
  select r.rolname, t.relname || '.' || a.attname, x.privilege_type
  from own_table t join pg_attribute a on a.attrelid = t.oid and not a.attisdropped, aclexplode(a.attacl) x
  join own_role r on r.oid = x.grantee
  union all
  select r.rolname, f.name, x.privilege_type from own_function f, aclexplode(f.acl) x
  join own_role r on r.oid = x.grantee where x.grantee <> f.proowner
)
select 'table ' || relname as thing, concat_ws(' ', relkind, relrowsecurity, relforcerowsecurity) as text from own_table
union all
select 'column ' || t.relname || '.' || a.attname, concat_ws(' ', format_type(a.atttypid, a.atttypmod), a.attnotnull,
    a.attgenerated, a.attidentity, pg_get_expr(d.adbin, d.adrelid))
  from own_table t join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
  left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
union all
select 'constraint ' || c.conname || ' of ' || t.relname, concat_ws(' ', c.convalidated, pg_get_constraintdef(c.oid))
  from own_table t join pg_constraint c on c.conrelid = t.oid and c.contype <> 'n' and c.conparentid = 0
union all
select 'index ' || i.indexrelid::regclass, concat_ws(' ', i.indisvalid, pg_get_indexdef(i.indexrelid))
  from own_table t join pg_index i on i.indrelid = t.oid
union all
select 'policy ' || p.polname || ' of ' || t.relname, concat_ws(' ', p.polcmd, p.polpermissive,
    (select string_agg(rolname, ',' order by rolname) from own_role where oid = any (p.polroles)),
    'using', pg_get_expr(p.polqual, p.polrelid), 'check', pg_get_expr(p.polwithcheck, p.polrelid))
  from own_table t join pg_policy p on p.polrelid = t.oid
union all
select 'trigger ' || g.tgname || ' of ' || t.relname, concat_ws(' ', g.tgenabled, pg_get_triggerdef(g.oid))
  from own_table t join pg_trigger g on g.tgrelid = t.oid and not g.tgisinternal
union all
select 'function ' || f.name, concat_ws(' ', r.rolname, pg_get_functiondef(f.oid))
  from own_function f left join own_role r on r.oid = f.proowner and r.rolname <> current_user
union all
select 'role ' || rolname, concat_ws(' ', rolcanlogin, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb)
  from pg_roles where rolname in ('stint_app', 'stint_engine', 'stint_lookup', 'stint_operator')
union all
select 'rights of ' || rolname || ' on ' || place, string_agg(privilege_type, ', ' order by privilege_type)
  from given group by rolname, place`
