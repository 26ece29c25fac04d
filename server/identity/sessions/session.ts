import { createHash, randomBytes } from 'node:crypto'
import { newId } from '#core/values.ts'
import type { Database, Transaction } from '#db/database.ts'
import {
  deleteExpiredSessions,
  deleteSession,
  insertSession,
  noteSession,
  resolveSession,
  type Session,
} from './session.store.ts'

/** A session ends after this, and before when it is not used for 8 hours (`resolve_session`). */
const life_s = 7 * 86_400

/** Sessions long over go with the next sign-in, these many at a time. */
const forgotten_per_sign_in_max = 100

interface CookieRequest {
  headers: { cookie?: string | undefined }
}

/**
 * The session of a request's cookie, or null. Asked at every request and cached nowhere: an ended session, a
 * disabled user and a lost membership count from the next request on.
 */
export async function currentSession(database: Database, { headers }: CookieRequest): Promise<Session | null> {
  const digest = sessionDigestOf(headers.cookie)
  const row = digest && (await resolveSession(database, digest))
  if (!row) return null
  const { seen_recently, ...session } = row
  if (!seen_recently) await database.transaction({ role: 'lookup' }, (tx) => noteSession(tx, session.session_id))
  return session
}

/**
 * Begins a session, in a transaction of the role `lookup` or `operator`; answers its `Set-Cookie`. The id is always new,
 * so that nobody can plant one beforehand; the session that the browser had is over.
 */
export async function beginSession(
  tx: Transaction,
  { headers }: CookieRequest,
  { user_id, address }: { user_id: string; address: string | null },
): Promise<string> {
  const { secret, digest } = newSessionSecret()
  const former = sessionDigestOf(headers.cookie)
  if (former) await deleteSession(tx, former)
  await insertSession(tx, { id: newId(Date.parse(tx.now)), digest, user_id, address, life_s })
  await deleteExpiredSessions(tx, forgotten_per_sign_in_max)
  return sessionCookie(secret, life_s)
}

/** Ends the session of a request, if it has one. */
export async function endSession(database: Database, { headers }: CookieRequest): Promise<void> {
  const digest = sessionDigestOf(headers.cookie)
  if (digest) await database.transaction({ role: 'lookup' }, (tx) => deleteSession(tx, digest))
}

/** `__Host-` makes the browser itself insist on Secure, Path=/ and no Domain (RFC 6265bis §4.1.3.2). */
const cookie_name = '__Host-stint_session'

const secret_bytes = 32
const secret_form = /^[0-9A-Za-z_-]{43}$/
const cookie_header_characters_max = 8_192

/** A session's secret: 256 bits, of which the database keeps the SHA-256 only. */
function newSessionSecret(): { secret: string; digest: Buffer } {
  const secret = randomBytes(secret_bytes).toString('base64url')
  return { secret, digest: digestOfSecret(secret) }
}

function digestOfSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

/** The digest of the session that a request's `Cookie` header names, or null; a malformed one is never asked for. */
function sessionDigestOf(cookie: string | undefined): Buffer | null {
  if (!cookie || cookie.length > cookie_header_characters_max) return null
  const pairs = cookie.split(';').map((pair) => pair.trim())
  const found = pairs.filter((pair) => pair.startsWith(`${cookie_name}=`))
  // Two of one name: somebody tampers, and which of them is ours cannot be told.
  const secret = found.length === 1 ? found[0]?.slice(cookie_name.length + 1) : undefined
  return secret && secret_form.test(secret) ? digestOfSecret(secret) : null
}

/** `Set-Cookie` that begins a session. Lax, so that a link from a client to the consent page finds it. */
function sessionCookie(secret: string, life_s: number): string {
  return `${cookie_name}=${secret}; Path=/; Max-Age=${life_s}; Secure; HttpOnly; SameSite=Lax`
}

/** `Set-Cookie` that ends it. */
export const endedCookie = `${cookie_name}=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Lax`
