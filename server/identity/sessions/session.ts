import { newId } from '#core/values/id.ts'
import type { Database, Transaction } from '#db/database.ts'
import {
  deleteExpiredSessions,
  deleteSession,
  insertSession,
  noteSession,
  resolveSession,
  type Session,
} from './session.store.ts'
import { newSessionSecret, sessionCookie, sessionDigestOf } from './session-cookie.ts'

/** A session ends after this, and before when it is not used for 8 hours (`resolve_session`). */
const life_s = 7 * 86_400

/** Sessions long over go with the next sign-in, these many at a time. */
const forgotten_per_sign_in_max = 100

interface CookieRequest {
  headers: { cookie?: string | undefined }
}

/**
 * Who is signed in, by the cookie of a request, or null. Asked at every request and cached nowhere: an ended session, a
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
