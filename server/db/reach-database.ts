import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { roleNames, withSettings } from './database.ts'
import { refusePooler } from './pooler.ts'
import { StartRefused } from './start-refused.ts'

export interface Reaching {
  purpose: Purpose
  /** As the service is to send them. */
  statements: 'named' | 'unnamed'
  /** The time to wait for a database that is not up yet. */
  wait_ms: number
  /** Told that, and how long, it is waited for. */
  tell: (line: string) => void
  /** Ends the wait. */
  signal?: AbortSignal | undefined
}

const connect_timeout_ms = 5_000
const answer_timeout_ms = 10_000
const first_pause_ms = 250
const pause_max_ms = 2_000
const tell_again_ms = 10_000

/**
 * Resolves when the database answers and its login may do what it has to. A server that is not up yet is waited for;
 * what waiting does not mend is refused at once, everything that is missing in one message.
 */
export async function reachDatabase(
  url: string,
  { purpose, statements, wait_ms, tell, signal }: Reaching,
): Promise<void> {
  const began_ms = performance.now()
  let told_ms = Number.NEGATIVE_INFINITY
  for (let pause_ms = first_pause_ms; ; pause_ms = Math.min(pause_ms * 2, pause_max_ms)) {
    const fault = await tryOnce(url, purpose, statements)
    if (!fault) return
    const waited_ms = performance.now() - began_ms
    const where = `the database of DATABASE_URL at ${placeOf(url)}`
    if (waited_ms >= wait_ms) {
      throw new StartRefused(
        `${where} did not answer within ${Math.round(wait_ms / 1_000)} s (${fault}): start it, or correct the address`,
      )
    }
    if (performance.now() - told_ms >= tell_again_ms) {
      tell(`waiting for ${where}, for ${Math.ceil((wait_ms - waited_ms) / 1_000)} s at most: ${fault}`)
      told_ms = performance.now()
    }
    await pause(Math.min(pause_ms, wait_ms - waited_ms), undefined, signal && { signal })
  }
}

/** Answers why there is nothing to connect to yet, or null where all is well. */
async function tryOnce(url: string, purpose: Purpose, statements: 'named' | 'unnamed'): Promise<string | null> {
  const client = new pg.Client({
    ...withSettings({ connectionString: url }),
    connectionTimeoutMillis: connect_timeout_ms,
    query_timeout: answer_timeout_ms,
  })
  // Lost between two statements: the next one fails and says so.
  client.on('error', () => undefined)
  try {
    await client.connect()
    refuseLack(await readRights(client, purpose), url, purpose)
    // A backup sets for itself what it relies on.
    if (purpose !== 'back up') await refusePooler({ client, url, place: placeOf(url), statements })
    return null
  } catch (error) {
    if (error instanceof StartRefused) throw error
    if (isNotUpYet(error)) return wordsOf(error)
    throw new StartRefused(refusalOf(error, url), { cause: error })
  } finally {
    await client.end().catch(() => undefined)
  }
}

function refuseLack(rights: Rights, url: string, purpose: Purpose): void {
  const { login, database, server_version } = rights
  if (server_version < server_version_min) {
    throw new StartRefused(
      `the server of DATABASE_URL at ${placeOf(url)} is PostgreSQL ${server_version}; Stint needs ${server_version_min} or newer`,
    )
  }
  const list = missingRights(rights, purpose).map((statement) => `\n  ${statement};`)
  if (list.length === 0) return
  throw new StartRefused(
    `the login ${login} of DATABASE_URL lacks rights. An administrator gives them in the database ${database}:${list.join('')}`,
  )
}

/** Nobody listens, the host has no address yet, or the server says that it is starting or full. */
const notUpYet = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...['57P01', '57P03', '53300'],
])

/** Of PgBouncer, which has one code for everything, the words of a server that is away, or of too many who wait for it. */
const ofPooler =
  /^(pgbouncer cannot connect|server (login|conn)|(client_login|query_wait)_timeout|the database system is)/

function isNotUpYet(error: unknown): boolean {
  const words = error instanceof Error ? error.message : ''
  const isCut = /^(timeout expired|Connection terminated|Query read timeout)/.test(words)
  const code = codeOf(error)
  return isCut || notUpYet.has(code) || (code === '08P01' && ofPooler.test(words))
}

function refusalOf(error: unknown, url: string): string {
  const [place, words, code] = [placeOf(url), wordsOf(error), codeOf(error)]
  if (code === '28P01' || code === '28000') {
    return `the server of DATABASE_URL at ${place} refuses the login (${words}): correct user and password, or let the user in (pg_hba.conf)`
  }
  if (code === '3D000') {
    return `the server of DATABASE_URL at ${place} has no such database (${words}): make it, or correct the name`
  }
  if (words === 'unsupported startup parameter: options') {
    return `the pooler of DATABASE_URL at ${place} refuses what a connection asks for: give PgBouncer before 1.20 ignore_startup_parameters = options, or install a newer one`
  }
  return `the database of DATABASE_URL at ${place} cannot be used: ${words}`
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/** Of a host with several addresses, each of which was tried, the errors stand inside one without words. */
function wordsOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(wordsOf).join(', ')
  return error instanceof Error ? error.message : String(error)
}

/** Host and port without user and password. */
function placeOf(url: string): string {
  const { host, searchParams } = new URL(url)
  return decodeURIComponent(host) || searchParams.get('host') || 'localhost'
}

const server_version_min = 15

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
async function readRights(client: pg.ClientBase, purpose: Purpose): Promise<Rights> {
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
    [neededRoles[purpose]],
  )
  const [rights] = rows
  if (!rights) throw new Error('the login of the connection is not among the roles of the server')
  return rights
}

/** To bring the schema up takes more than to use it; whoever makes a backup is told by that what is missing. */
export type Purpose = 'serve' | 'migrate' | 'back up'

const servingRoles = Object.values(roleNames).filter((name) => name !== 'none')
const neededRoles: Record<Purpose, string[]> = {
  serve: servingRoles,
  migrate: [...servingRoles, 'stint_backup'],
  'back up': [],
}

/** All missing rights, as the statements by which an administrator gives them; empty when nothing is missing. */
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
    ...(purpose !== 'migrate' || foreign_owner === null ? [] : [`grant ${foreign_owner} to ${login}`]),
  ]
}

const quoted = (name: string) => (/^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`)
