import type { Role } from '#core/caller.ts'
import { newId } from '#core/values.ts'
import { type Database, sql, type Transaction } from '#db/database.ts'
import { digestOfSecret, newSecret } from './token-format.ts'

/** A session ends after this, and before when it is not used for 8 hours (`resolve_session`). */
const life_s = 7 * 86_400

/** Sessions long over go with the next sign-in, these many at a time. */
const forgotten_per_sign_in_max = 100

interface Place {
  organization_id: string
  organization_name: string
  is_sandbox: boolean
}

/** A person who is signed in, and where that person may act: as a member, and as a worker on its own rows. */
export interface Session {
  session_id: string
  user_id: string
  email: string
  name: string
  authenticated_at: string
  expires_at: string
  /** Proved by two factors, or by a passkey. */
  second_factor: boolean
  /** `lacks_second_factor`: the organization demands one, and this session has none. */
  memberships: (Place & { role: Role; lacks_second_factor: boolean })[]
  workers: (Place & { person_id: string })[]
}

interface CookieRequest {
  headers: {
    cookie?: string | undefined
    accept?: string | undefined
    'user-agent'?: string | undefined
    /** A page asks by itself, and nobody has used it for a while. */
    'stint-unattended'?: string | string[] | undefined
  }
}

const user_agent_characters_max = 300

/**
 * The session of a request's cookie, or null. Asked at every request and cached nowhere: an ended session, a
 * disabled user and a lost membership count from the next request on. Using it keeps it from going idle; a page that asks by
 * itself, or follows a list, does not.
 */
export async function currentSession(database: Database, request: CookieRequest): Promise<Session | null> {
  const digest = digestIn(request)
  const row =
    digest && (await database.row<Session & { seen_recently: boolean }>(sql`select * from resolve_session(${digest})`))
  if (!row) return null
  const { seen_recently, ...session } = row
  if (!seen_recently && isAttended(request)) {
    await database.transaction({ role: 'lookup' }, (tx) =>
      tx.run(sql`update sessions set last_seen_at = app_now() where id = ${session.session_id}`),
    )
  }
  return session
}

/** A stream looks at the session as long as it is open, whoever is there. */
const isAttended = ({ headers: { accept, 'stint-unattended': mark } }: CookieRequest) =>
  mark === undefined && accept !== 'text/event-stream'

/**
 * Begins a session, in a transaction of the role `lookup` or `operator`; answers its `Set-Cookie`. The id is always new,
 * so that nobody can plant one beforehand; the session that the browser had is over.
 */
export async function beginSession(
  tx: Transaction,
  request: CookieRequest,
  { user_id, address, second_factor = false }: { user_id: string; address: string | null; second_factor?: boolean },
): Promise<string> {
  const secret = newSecret()
  const user_agent = request.headers['user-agent']?.slice(0, user_agent_characters_max) ?? null
  await tx.run(sql`delete from sessions where digest = ${digestIn(request)}`)
  await tx.run(sql`
    insert into sessions (id, digest, user_id, created_at, authenticated_at, last_seen_at, expires_at, address,
                          second_factor, user_agent)
    values (${newId(Date.parse(tx.now))}, ${digestOfSecret(secret)}, ${user_id}, app_now(), app_now(), app_now(),
            app_now() + make_interval(secs => ${life_s}), ${address}, ${second_factor}, ${user_agent})`)
  await tx.run(sql`
    delete from sessions where id in (
      select id from sessions where expires_at < app_now() order by expires_at
      limit ${forgotten_per_sign_in_max} for update skip locked)`)
  return cookieOf(secret, life_s)
}

/** Ends the session of a request, if it has one; answers the `Set-Cookie` of that. */
export async function endSession(database: Database, request: CookieRequest): Promise<string> {
  const digest = digestIn(request)
  if (digest) {
    await database.transaction({ role: 'lookup' }, (tx) => tx.run(sql`delete from sessions where digest = ${digest}`))
  }
  return cookieOf('', 0)
}

/** Notes that the person proved again who it is; a second factor once proved stays proved. */
export async function renewProof(tx: Transaction, session_id: string, second_factor: boolean): Promise<void> {
  await tx.run(sql`
    update sessions set authenticated_at = app_now(), second_factor = second_factor or ${second_factor}
    where id = ${session_id}`)
}

/**
 * After a change of password or factor: gives a session a new secret, so that a copy of the old one is worth nothing, and
 * ends the others of its user. Answers the `Set-Cookie`, null where the session has ended meanwhile; it keeps its end.
 */
export async function renewSession(
  tx: Transaction,
  { session_id, user_id }: Pick<Session, 'session_id' | 'user_id'>,
  { second_factor }: { second_factor: boolean },
): Promise<string | null> {
  const secret = newSecret()
  await endOtherSessions(tx, { session_id, user_id })
  const row = await tx.row<{ left_s: number }>(sql`
    update sessions set digest = ${digestOfSecret(secret)}, second_factor = ${second_factor}
    where id = ${session_id}
    returning ceil(extract(epoch from expires_at - app_now()))::int as left_s`)
  return row ? cookieOf(secret, row.left_s) : null
}

export function endOtherSessions(
  tx: Transaction,
  { session_id, user_id }: Pick<Session, 'session_id' | 'user_id'>,
): Promise<number> {
  return tx.run(sql`delete from sessions where user_id = ${user_id} and id <> ${session_id}`)
}

/** Ends one session of a user; false when there is none of this id. */
export async function endSessionOf(tx: Transaction, user_id: string, session_id: string): Promise<boolean> {
  return (await tx.run(sql`delete from sessions where user_id = ${user_id} and id = ${session_id}`)) === 1
}

export interface SessionRow {
  id: string
  created_at: string
  last_seen_at: string
  expires_at: string
  address: string | null
  user_agent: string | null
}

/** Sessions of a user that still open something, the latest used first. */
export function sessionsOf(tx: Transaction, user_id: string): Promise<SessionRow[]> {
  return tx.rows<SessionRow>(sql`
    select id, created_at, last_seen_at, expires_at, address, user_agent from sessions
    where user_id = ${user_id} and expires_at > app_now() and last_seen_at > app_now() - interval '8 hours'
    order by last_seen_at desc, id`)
}

export async function deleteSessionsOfUser(tx: Transaction, user_id: string): Promise<void> {
  await tx.run(sql`delete from sessions where user_id = ${user_id}`)
}

/** Ends the sessions of the account behind a person, in the organization that the transaction is of; elsewhere they go on. */
export async function endSessionsOfPerson(tx: Transaction, person_id: string): Promise<void> {
  await tx.run(sql`select end_sessions_of_person(${person_id})`)
}

/** The same of a member. */
export async function endSessionsOfMember(tx: Transaction, user_id: string): Promise<void> {
  await tx.run(sql`select end_sessions_of_member(${user_id})`)
}

/** `__Host-` makes the browser itself insist on Secure, Path=/ and no Domain (RFC 6265bis §4.1.3.2). */
const cookie_name = '__Host-stint_session'

const cookie_header_characters_max = 8_192

/** The digest of the session that a request's `Cookie` header names, or null; a malformed one is never asked for. */
function digestIn({ headers: { cookie } }: CookieRequest): Buffer | null {
  if (!cookie || cookie.length > cookie_header_characters_max) return null
  const pairs = cookie.split(';').map((pair) => pair.trim())
  const [found = '', ...others] = pairs.filter((pair) => pair.startsWith(`${cookie_name}=`))
  // Two of one name: somebody tampers, and which of them is ours cannot be told.
  return others.length === 0 ? digestOfSecret(found.slice(cookie_name.length + 1)) : null
}

/** Lax, so that a link from a client to the consent page finds it. */
function cookieOf(secret: string, life_s: number): string {
  return `${cookie_name}=${secret}; Path=/; Max-Age=${life_s}; Secure; HttpOnly; SameSite=Lax`
}
