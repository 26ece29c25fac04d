import type { ClientBase } from 'pg'
import { roleNames } from './opening.ts'

export const server_version_min = 15

/** The rights of the login of a connection, as far as the service needs them. */
export interface Rights {
  login: string
  database: string
  server_version: number
  may_create_roles: boolean
  absent_roles: string[]
  /** Roles that exist and that the login cannot take on. */
  foreign_roles: string[]
  owns_schema: boolean
  /** The owner of the tables, where that is somebody whose rights the login lacks. */
  foreign_owner: string | null
}

/** Reads all of it at once, without writing anything. */
export async function readRights(client: ClientBase): Promise<Rights> {
  const { rows } = await client.query<Rights & { version_number: number }>(
    `with login as (select oid, rolname, rolsuper, rolcreaterole from pg_roles where rolname = current_user),
          needed as (select unnest($1::text[]) as name)
     select login.rolname as login, current_database() as database,
            current_setting('server_version_num')::int / 10000 as server_version,
            login.rolsuper or login.rolcreaterole as may_create_roles,
            array(select name from needed where not exists (select from pg_roles where rolname = name)) as absent_roles,
            array(select rolname::text from needed join pg_roles on rolname = name
                  where not pg_has_role(login.oid, pg_roles.oid,
                    case when current_setting('server_version_num')::int >= 160000 then 'set' else 'member' end)
                  order by rolname) as foreign_roles,
            (select pg_has_role(login.oid, nspowner, 'usage') from pg_namespace where nspname = 'public') as owns_schema,
            (select relowner::regrole::text from pg_class
             where oid = to_regclass('public.schema_migrations') and not pg_has_role(login.oid, relowner, 'usage')) as foreign_owner
     from login`,
    [Object.values(roleNames).filter((name) => name !== 'none')],
  )
  const [rights] = rows
  if (!rights) throw new Error('the login of the connection is not among the roles of the server')
  return rights
}

/** To bring the schema up takes more than to use it. */
export type Purpose = 'serve' | 'migrate'

/** Everything that is missing, as the statements by which an administrator gives it; empty when nothing is. */
export function missingRights(rights: Rights, purpose: Purpose): string[] {
  const { may_create_roles, absent_roles, foreign_roles, owns_schema, foreign_owner } = rights
  const login = quoted(rights.login)
  // Roles that are absent are made by the first migration, where the login may; until then there is nothing to serve.
  const to_make = purpose === 'migrate' && !may_create_roles ? absent_roles : []
  const to_grant = [...to_make, ...foreign_roles].sort()
  return [
    ...to_make.map((role) => `create role ${role} nologin`),
    ...(to_grant.length > 0 ? [`grant ${to_grant.join(', ')} to ${login}`] : []),
    ...(purpose === 'migrate' && !owns_schema ? [`alter schema public owner to ${login}`] : []),
    ...(purpose === 'serve' || foreign_owner === null ? [] : [`grant ${foreign_owner} to ${login}`]),
  ]
}

const quoted = (name: string) => (/^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`)
