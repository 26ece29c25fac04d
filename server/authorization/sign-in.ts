import type { Role } from '#core/caller.ts'
import { defineProblem } from '#core/problems.ts'
import { Closed, Email, type Static, Type } from '#core/schema/schema.ts'
import type { Secrets } from '#core/secrets.ts'
import type { Transaction } from '#db/database.ts'
import { anyAccount, findUserByEmail, setPasswordHash } from '#identity/account.store.ts'
import { hashPassword, isOutdated, verifyPassword } from '#identity/password.ts'
import { rightsOf } from '#identity/scopes.ts'
import { beginSession, endSession } from '#identity/session.store.ts'
import type { FlowParts } from './clients/clients.ts'
import { categoryWords, scopeWords } from './consent-offers.ts'
import type { ConsoleAnswer, ConsoleEndpoint, ConsoleRequest } from './console-endpoint.ts'
import { deviceCookie } from './device-cookie.ts'
import { countAttempt } from './sign-in-attempts.store.ts'

export const signInRefused = defineProblem({
  code: 'sign_in_refused',
  status: 403,
  title: 'The e-mail address or the password is wrong',
  advice: 'Try again. The operator can make a link to choose a new password: `npx stint admin reset`.',
})

/** Longer than any password that can be chosen, so that a long wrong one is simply wrong. */
const password_characters_max = 1_000

const SignIn = Closed({
  email: Email,
  password: Type.String({ minLength: 1, maxLength: password_characters_max }),
})

const path = '/console/auth/session'

/** Endpoints of the session in a browser. */
export const signInEndpoints: readonly ConsoleEndpoint[] = [
  { operation: 'console.sign_in', method: 'POST', path, input: SignIn, handle: signIn },
  { operation: 'console.session', method: 'GET', path, handle: showSession },
  { operation: 'console.sign_out', method: 'DELETE', path, handle: signOut },
]

/** Nobody signed in is an answer and no error, since every page asks. `is_new`: nobody has an account yet. */
async function showSession(request: ConsoleRequest, { runtime, addresses }: FlowParts): Promise<ConsoleAnswer> {
  const session = await request.session()
  if (session) {
    const memberships = session.memberships.map((one) => ({ ...one, ...shownRightsOf(one.role) }))
    return { body: { session: { ...session, memberships }, is_new: false, base_url: addresses.base_url } }
  }
  const exists = await runtime.database.transaction({ role: 'lookup', read_only: true }, anyAccount)
  return { body: { session: null, is_new: !exists } }
}

/** A page hides what would be refused, by the same table that refuses it. */
function shownRightsOf(role: Role) {
  const { scopes, sensitive_data } = rightsOf[role]
  return {
    scopes: scopes.map((name) => ({ name, words: scopeWords[name] })),
    sensitive_data: sensitive_data.map((name) => ({ name, words: categoryWords[name] })),
  }
}

async function signOut(request: ConsoleRequest, { runtime }: FlowParts): Promise<ConsoleAnswer> {
  return { status: 204, cookie: await endSession(runtime.database, request) }
}

/** An unknown address, a wrong password and a disabled account take the same work and get the same words. */
async function signIn(request: ConsoleRequest, { runtime }: FlowParts): Promise<ConsoleAnswer> {
  const { database, secrets } = runtime
  // The cast holds because the input was checked against `SignIn`.
  const { email, password } = request.input as Static<typeof SignIn>
  const attempt = await countAttempt({ database, secrets }, request, email)
  const account = await database.transaction({ role: 'lookup', read_only: true }, (tx) => findUserByEmail(tx, email))
  const isRight = await verifyPassword(password, account?.password_hash ?? null, { isAhead: attempt.isOfDevice })
  if (!account?.password_hash || !isRight || account.disabled_at !== null) throw signInRefused()
  const { id: user_id, name, password_hash } = account
  const renewed = isOutdated(password_hash) ? await hashPassword(password) : password_hash
  const cookie = await database.transaction({ role: 'lookup' }, async (tx) => {
    // Holds the account until the session stands: a password that is being changed at this moment opens nothing.
    const isStill = await setPasswordHash(tx, { user_id, from: password_hash, to: renewed })
    if (!isStill) throw signInRefused()
    await attempt.succeed(tx)
    return beginSignedIn(tx, secrets, request, { user_id, email: account.email })
  })
  return { status: 201, body: { user_id, email: account.email, name }, cookie }
}

/** Begins the session of a user who proved who it is; answers both `Set-Cookie`: the session's and the browser's. */
export async function beginSignedIn(
  tx: Transaction,
  secrets: Secrets,
  request: ConsoleRequest,
  { user_id, email }: { user_id: string; email: string },
): Promise<string[]> {
  const session = await beginSession(tx, request, { user_id, address: request.address })
  return [session, deviceCookie({ secrets, email, now: tx.now })]
}
