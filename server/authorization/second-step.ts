import { defineProblem } from '#core/problems.ts'
import { Closed, type Static, Type } from '#core/schema/schema.ts'
import type { Secrets } from '#core/secrets.ts'
import type { Transaction } from '#db/database.ts'
import { auditAccount, lockUser, type UserRow } from '#identity/account.store.ts'
import { factorsOf, methodsOf, takeCode } from '#identity/factors/factors.store.ts'
import { signingOptions, takePasskey } from '#identity/factors/passkeys.ts'
import { beginSession } from '#identity/session.store.ts'
import { createTickets } from '#identity/tickets.ts'
import { digestOf } from '#identity/token-format.ts'
import type { FlowParts } from './clients/clients.ts'
import type { ConsoleAnswer, ConsoleEndpoint, ConsoleRequest } from './console-endpoint.ts'
import { deviceCookie } from './device-cookie.ts'
import { countCode, countPasskey } from './sign-in-attempts.store.ts'

const codeRefused = defineProblem({
  code: 'code_refused',
  status: 403,
  title: 'The code is wrong, or was used before',
  advice: 'Wait for the next code of your app, or use a recovery code. Each counts once.',
})

export const passkeyRefused = defineProblem({
  code: 'passkey_refused',
  status: 403,
  title: 'This passkey opens no account here',
  advice: 'Use another passkey, or your password.',
})

const signInExpired = defineProblem({
  code: 'sign_in_expired',
  status: 403,
  title: 'This sign-in has taken too long',
  advice: 'Begin again with your password.',
})

/** Answer of a browser to the options of `signingOptions`; each part is base64url. */
const part = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '^[\\w-]+$' })
export const PasskeyAnswer = Closed({
  id: part(1_400),
  client_data: part(8_000),
  authenticator_data: part(8_000),
  signature: part(8_000),
  user_handle: Type.Optional(part(200)),
})

const Code = Closed({
  ticket: Type.String({ minLength: 1, maxLength: 1_000 }),
  code: Type.String({ minLength: 1, maxLength: 100 }),
})
const Passkey = Closed({ passkey: PasskeyAnswer })

const path = '/console/auth/session'

/** Endpoints of the second step of a sign-in, and of the one by passkey, which is both steps at once. */
export const secondStepEndpoints: readonly ConsoleEndpoint[] = [
  {
    ...{ operation: 'console.sign_in_by_code', method: 'POST', path: `${path}/code`, input: Code },
    handle: signInByCode,
  },
  {
    ...{ operation: 'console.passkey_options', method: 'POST', path: `${path}/passkey-options` },
    handle: showPasskeyOptions,
  },
  {
    ...{ operation: 'console.sign_in_by_passkey', method: 'POST', path: `${path}/passkey`, input: Passkey },
    handle: signInByPasskey,
  },
]

/** Names the user whose password was right, ten minutes long: whoever changes the password ends it. */
const tickets = createTickets<{ user_id: string; password: string }>('stint second step', 600)

const fingerprint = (password_hash: string | null) => digestOf(password_hash ?? '').toString('base64url')

type User = Pick<UserRow, 'id' | 'email' | 'name' | 'password_hash'>

/** After the right password: signs in, or asks for the second factor of an account that has one. */
export async function afterPassword(
  tx: Transaction,
  secrets: Secrets,
  request: ConsoleRequest,
  user: User,
): Promise<ConsoleAnswer> {
  const methods = methodsOf(await factorsOf(tx, user.id))
  if (methods.length === 0) return signedIn(tx, secrets, request, user, 'users.sign_in')
  const content = { user_id: user.id, password: fingerprint(user.password_hash) }
  const ticket = tickets.make(secrets, tx.now, content).toString('base64url')
  return { status: 200, body: { second_factor: { ticket, methods } } }
}

/** Begins the session of a user who proved who it is; answers both `Set-Cookie`: the session's and the browser's. */
export async function beginSignedIn(
  tx: Transaction,
  secrets: Secrets,
  request: ConsoleRequest,
  { user_id, email }: { user_id: string; email: string },
  { second_factor = false }: { second_factor?: boolean } = {},
): Promise<string[]> {
  const session = await beginSession(tx, request, { user_id, address: request.address, second_factor })
  return [session, deviceCookie({ secrets, email, now: tx.now })]
}

/** The same, told in the audit log by how the person signed in. */
async function signedIn(
  tx: Transaction,
  secrets: Secrets,
  request: ConsoleRequest,
  user: User,
  action: string,
): Promise<ConsoleAnswer> {
  await auditAccount(tx, { user, action, ...originOf(request) })
  const { id: user_id, email, name } = user
  const second_factor = action !== 'users.sign_in'
  const cookie = await beginSignedIn(tx, secrets, request, { user_id, email }, { second_factor })
  return { status: 201, body: { user_id, email, name }, cookie }
}

/** The members of an audit line that tell where a request came from. */
export const originOf = ({ request_id, address }: ConsoleRequest) => ({ request_id, address, surface: 'console' })

async function signInByCode(request: ConsoleRequest, { runtime }: FlowParts): Promise<ConsoleAnswer> {
  const { database, secrets } = runtime
  // The cast holds because the input was checked against `Code`.
  const { ticket, code } = request.input as Static<typeof Code>
  const user = await database.transaction({ role: 'lookup' }, (tx) => userOfTicket(tx, secrets, ticket))
  if (!user) throw signInExpired()
  const attempt = await countCode({ database, secrets }, request, user.email)
  const answer = await database.transaction({ role: 'lookup' }, async (tx) => {
    // Held from here on, and looked at again: the password may have been changed meanwhile.
    const held = await userOfTicket(tx, secrets, ticket)
    if (!held) throw signInExpired()
    const method = await takeCode(tx, secrets, held.id, code)
    if (method === null) {
      await auditAccount(tx, { user: held, action: 'users.refuse_code', ...originOf(request) })
      return null
    }
    await attempt.succeed(tx)
    return signedIn(tx, secrets, request, held, `users.sign_in_by_${method}`)
  })
  if (!answer) throw codeRefused()
  return answer
}

async function userOfTicket(tx: Transaction, secrets: Secrets, ticket: string): Promise<UserRow | undefined> {
  const read = tickets.read(secrets, tx.now, ticket)
  const user = read && (await lockUser(tx, read.user_id))
  return user && fingerprint(user.password_hash) === read.password ? user : undefined
}

async function showPasskeyOptions(_: ConsoleRequest, { runtime, addresses }: FlowParts): Promise<ConsoleAnswer> {
  const { database, secrets } = runtime
  const now = await database.transaction({ role: 'lookup', read_only: true }, async (tx) => tx.now)
  const place = { secrets, auth_url: addresses.auth_url }
  return { body: { options: await signingOptions(place, now, { purpose: 'sign_in', session_id: null }) } }
}

/** A passkey is both factors: what the person has, opened by a PIN or a finger. */
async function signInByPasskey(request: ConsoleRequest, { runtime, addresses }: FlowParts): Promise<ConsoleAnswer> {
  const { database, secrets } = runtime
  // The cast holds because the input was checked against `Passkey`.
  const { passkey } = request.input as Static<typeof Passkey>
  const attempt = await countPasskey(database, request)
  const place = { secrets, auth_url: addresses.auth_url }
  const answer = await database.transaction({ role: 'lookup' }, async (tx) => {
    const taken = await takePasskey(tx, place, { purpose: 'sign_in', session_id: null }, passkey)
    const user = taken && (await lockUser(tx, taken.user_id))
    if (!user) return null
    if (!taken.holds) {
      await auditAccount(tx, { user, action: 'users.refuse_passkey', ...originOf(request) })
      return null
    }
    await attempt.succeed(tx)
    return signedIn(tx, secrets, request, user, 'users.sign_in_by_passkey')
  })
  if (!answer) throw passkeyRefused()
  return answer
}
