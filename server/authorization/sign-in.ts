import type { Role } from '#core/caller.ts'
import { defineProblem } from '#core/problems.ts'
import { Closed, Email, type Static, Type } from '#core/schema/schema.ts'
import { anyAccount, auditAccount, findUserByEmail, setPasswordHash } from '#identity/account.store.ts'
import { hashPassword, isOutdated, verifyPassword } from '#identity/password.ts'
import { rightsOf } from '#identity/scopes.ts'
import { endSession } from '#identity/session.store.ts'
import type { FlowParts } from './clients/clients.ts'
import { categoryWords, scopeWords } from './consent-offers.ts'
import type { ConsoleAnswer, ConsoleEndpoint, ConsoleRequest } from './console-endpoint.ts'
import { afterPassword, originOf } from './second-step.ts'
import { countAttempt } from './sign-in-attempts.store.ts'

export { beginSignedIn } from './second-step.ts'

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

async function signOut(request: ConsoleRequest, { runtime: { database } }: FlowParts): Promise<ConsoleAnswer> {
  const session = await request.session()
  const cookie = await endSession(database, request)
  if (session) {
    const { session_id: credential_id, user_id: id, name } = session
    const event = { user: { id, name }, credential_id, ...originOf(request) }
    await database.transaction({ role: 'lookup' }, (tx) => auditAccount(tx, { ...event, action: 'users.sign_out' }))
  }
  return { status: 204, cookie }
}

/**
 * An unknown address, a wrong password and a disabled account take the same work and get the same words. The right password
 * signs in, or opens the second step where the account has a second factor.
 */
async function signIn(request: ConsoleRequest, parts: FlowParts): Promise<ConsoleAnswer> {
  const { database, secrets } = parts.runtime
  // The cast holds because the input was checked against `SignIn`.
  const { email, password } = request.input as Static<typeof SignIn>
  const { account, renewed, attempt } = await proveByPassword(parts, request, email, password)
  return database.transaction({ role: 'lookup' }, async (tx) => {
    // Holds the account until the session stands: a password that is being changed at this moment opens nothing.
    const isStill = await setPasswordHash(tx, { user_id: account.id, from: account.password_hash, to: renewed })
    if (!isStill) throw signInRefused()
    await attempt.succeed(tx)
    return afterPassword(tx, secrets, request, { ...account, password_hash: renewed })
  })
}

/** The account of an address when this is its password, counted as an attempt; throws `sign_in_refused` otherwise. */
export async function proveByPassword(
  { runtime: { database, secrets } }: FlowParts,
  request: ConsoleRequest,
  email: string,
  password: string,
) {
  const attempt = await countAttempt({ database, secrets }, request, email)
  const account = await database.transaction({ role: 'lookup', read_only: true }, (tx) => findUserByEmail(tx, email))
  const isRight = await verifyPassword(password, account?.password_hash ?? null, { isAhead: attempt.isOfDevice })
  if (!account?.password_hash || !isRight || account.disabled_at !== null) throw signInRefused()
  const renewed = isOutdated(account.password_hash) ? await hashPassword(password) : account.password_hash
  return { account: { ...account, password_hash: account.password_hash }, renewed, attempt }
}
