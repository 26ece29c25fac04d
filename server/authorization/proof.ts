import { unauthenticated } from '#core/problems.ts'
import { Closed, type Static, Type } from '#core/schema/schema.ts'
import { auditAccount, lockUser } from '#identity/account.store.ts'
import { refuseOldProof } from '#identity/console-request.ts'
import { passkeysOf, signingOptions, takePasskey } from '#identity/factors/passkeys.ts'
import { renewProof, type Session } from '#identity/session.store.ts'
import type { FlowParts } from './clients/clients.ts'
import type { ConsoleAnswer, ConsoleEndpoint, ConsoleRequest } from './console-endpoint.ts'
import { originOf, PasskeyAnswer, passkeyRefused } from './second-step.ts'
import { proveByPassword } from './sign-in.ts'
import { countPasskey } from './sign-in-attempts.store.ts'

const Password = Closed({ password: Type.String({ minLength: 1, maxLength: 1_000 }) })
const Passkey = Closed({ passkey: PasskeyAnswer })

const path = '/console/auth/proof'

/** Endpoints by which somebody who is signed in proves again who it is: by one of the passkeys, or by the password. */
export const proofEndpoints: readonly ConsoleEndpoint[] = [
  { operation: 'console.proof_options', method: 'POST', path: `${path}/options`, handle: showOptions },
  { operation: 'console.prove', method: 'POST', path, input: Password, handle: prove },
  {
    ...{ operation: 'console.prove_by_passkey', method: 'POST', path: `${path}/passkey`, input: Passkey },
    handle: proveByPasskey,
  },
]

export async function requireSession(request: ConsoleRequest): Promise<Session> {
  const session = await request.session()
  if (!session) throw unauthenticated('Nobody is signed in.')
  return session
}

/** The session, when its person proved in the last ten minutes who it is. */
export async function requireProof(request: ConsoleRequest, { runtime }: FlowParts): Promise<Session> {
  const session = await requireSession(request)
  const now = await runtime.database.transaction({ role: 'lookup', read_only: true }, async (tx) => tx.now)
  refuseOldProof(session, now)
  return session
}

/** Options to sign with a passkey of this person; null for who has none. */
async function showOptions(request: ConsoleRequest, { runtime, addresses }: FlowParts): Promise<ConsoleAnswer> {
  const { user_id, session_id } = await requireSession(request)
  const place = { secrets: runtime.secrets, auth_url: addresses.auth_url }
  const { known, now } = await runtime.database.transaction({ role: 'lookup', read_only: true }, async (tx) => {
    return { known: await passkeysOf(tx, user_id), now: tx.now }
  })
  const challenge = { purpose: 'prove', session_id } as const
  const options = known.length > 0 ? await signingOptions(place, now, challenge, known) : null
  return { body: { options } }
}

/** Counted as an attempt to sign in: an open page is no place to guess at. */
async function prove(request: ConsoleRequest, parts: FlowParts): Promise<ConsoleAnswer> {
  const session = await requireSession(request)
  // The cast holds because the input was checked against `Password`.
  const { password } = request.input as Static<typeof Password>
  const { attempt } = await proveByPassword(parts, request, session.email, password)
  await parts.runtime.database.transaction({ role: 'lookup' }, async (tx) => {
    await attempt.succeed(tx)
    await renewProof(tx, session.session_id, false)
    await auditAccount(tx, { ...ofSession(session, request), action: 'users.prove' })
  })
  return { status: 204 }
}

async function proveByPasskey(request: ConsoleRequest, { runtime, addresses }: FlowParts): Promise<ConsoleAnswer> {
  const session = await requireSession(request)
  const { user_id, session_id } = session
  // The cast holds because the input was checked against `Passkey`.
  const { passkey } = request.input as Static<typeof Passkey>
  const attempt = await countPasskey(runtime.database, request)
  const place = { secrets: runtime.secrets, auth_url: addresses.auth_url }
  const isProved = await runtime.database.transaction({ role: 'lookup' }, async (tx) => {
    const taken = await takePasskey(tx, place, { purpose: 'prove', session_id, user_id }, passkey)
    const holds = taken?.holds === true && (await lockUser(tx, user_id)) !== undefined
    const action = holds ? 'users.prove_by_passkey' : 'users.refuse_passkey'
    await auditAccount(tx, { ...ofSession(session, request), action })
    if (!holds) return false
    await attempt.succeed(tx)
    await renewProof(tx, session_id, true)
    return true
  })
  if (!isProved) throw passkeyRefused()
  return { status: 204 }
}

/** The members of an audit line on an account that its person changes in a session. */
export function ofSession({ session_id: credential_id, user_id: id, name }: Session, request: ConsoleRequest) {
  return { user: { id, name }, credential_id, ...originOf(request) }
}
