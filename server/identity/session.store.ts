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
  memberships: (Place & { role: Role })[]
  workers: (Place & { person_id: string })[]
}

interface CookieRequest {
  headers: { cookie?: string | undefined }
}

/**
 * The session of a request's cookie, or null. Asked at every request and cached nowhere: an ended session, a
 * disabled user and a lost membership count from the next request on. Using it keeps it from going idle.
 */
export async function currentSession(database: Database, request: CookieRequest): Promise<Session | null> {
  const digest = digestIn(request)
  const row =
    digest && (await database.row<Session & { seen_recently: boolean }>(sql`select * from resolve_session(${digest})`))
  if (!row) return null
  const { seen_recently, ...session } = row
  if (!seen_recently) {
    await database.transaction({ role: 'lookup' }, (tx) =>
      tx.run(sql`update sessions set last_seen_at = app_now() where id = ${session.session_id}`),
    )
  }
  return session
}

/**
 * Begins a session, in a transaction of the role `lookup` or `operator`; answers its `Set-Cookie`. The id is always new,
 * so that nobody can plant one beforehand; the session that the browser had is over.
 */
export async function beginSession(
  tx: Transaction,
  request: CookieRequest,
  { user_id, address }: { user_id: string; address: string | null },
): Promise<string> {
  const secret = newSecret()
  await tx.run(sql`delete from sessions where digest = ${digestIn(request)}`)
  await tx.run(sql`
    insert into sessions (id, digest, user_id, created_at, authenticated_at, last_seen_at, expires_at, address)
    values (${newId(Date.parse(tx.now))}, ${digestOfSecret(secret)}, ${user_id}, app_now(), app_now(), app_now(),
            app_now() + make_interval(secs => ${life_s}), ${address})`)
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

export async function deleteSessionsOfUser(tx: Transaction, user_id: string): Promise<void> {
  await tx.run(sql`delete from sessions where user_id = ${user_id}`)
}

/** Ends the sessions of the account behind a person, as an operation: of the organization that the transaction is of. */
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
