import { invalidState, notFound, unauthenticated, validationFailed } from '#core/problems.ts'
import { Closed, type Static, Text, Type } from '#core/schema/schema.ts'
import { isId } from '#core/values.ts'
import type { Transaction } from '#db/database.ts'
import { auditAccount, forgetSetUpLinks, lockUser, replacePassword, type UserRow } from '#identity/account.store.ts'
import {
  demandingOrganizations,
  factorsOf,
  hasFactor,
  removeRecoveryCodes,
  removeTotp,
} from '#identity/factors/factors.store.ts'
import { addPasskey, creationOptions, passkeysOf, removePasskey } from '#identity/factors/passkeys.ts'
import { renewRecoveryCodes } from '#identity/factors/recovery-codes.ts'
import { confirmTotp, offerTotp } from '#identity/factors/totp.ts'
import { faultOfPassword, hashPassword } from '#identity/password.ts'
import { endOtherSessions, endSessionOf, renewSession, type Session, sessionsOf } from '#identity/session.store.ts'
import type { FlowParts } from './clients/clients.ts'
import type { ConsoleAnswer, ConsoleEndpoint, ConsoleRequest } from './console-endpoint.ts'
import { ofSession, requireProof, requireSession } from './proof.ts'
import { passkeyRefused } from './second-step.ts'

const passkeys_max = 20

const base64url = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '^[\\w-]+$' })

const Password = Closed({ password: Type.String({ maxLength: 1_000 }) })
const Totp = Closed({ offer: base64url(1_000), code: Type.String({ minLength: 1, maxLength: 20 }) })
const NewPasskey = Closed({
  name: Text(1, 60),
  passkey: Closed({
    id: base64url(1_400),
    client_data: base64url(8_000),
    attestation: base64url(16_000),
    transports: Type.Array(Type.String({ maxLength: 20, pattern: '^[a-z-]+$' }), { maxItems: 10 }),
  }),
})

const path = '/console/auth/account'

/** Endpoints of the page on which a person looks after the own account. Giving and taking ways in asks for a fresh proof. */
export const accountEndpoints: readonly ConsoleEndpoint[] = [
  { operation: 'console.account', method: 'GET', path, handle: showAccount },
  { operation: 'console.set_password', method: 'POST', path: `${path}/password`, input: Password, handle: setPassword },
  { operation: 'console.offer_totp', method: 'POST', path: `${path}/totp/offer`, handle: showTotpOffer },
  { operation: 'console.set_up_totp', method: 'POST', path: `${path}/totp`, input: Totp, handle: setUpTotp },
  { operation: 'console.remove_totp', method: 'DELETE', path: `${path}/totp`, handle: takeOffTotp },
  {
    ...{ operation: 'console.make_recovery_codes', method: 'POST', path: `${path}/recovery-codes` },
    handle: makeRecoveryCodes,
  },
  {
    ...{ operation: 'console.new_passkey_options', method: 'POST', path: `${path}/passkeys/options` },
    handle: showPasskeyOptions,
  },
  {
    ...{ operation: 'console.add_passkey', method: 'POST', path: `${path}/passkeys`, input: NewPasskey },
    handle: keepPasskey,
  },
  {
    ...{ operation: 'console.remove_passkey', method: 'DELETE', path: `${path}/passkeys/:id` },
    handle: takeOffPasskey,
  },
  { operation: 'console.end_sessions', method: 'DELETE', path: `${path}/sessions`, handle: endOthers },
  { operation: 'console.end_session', method: 'DELETE', path: `${path}/sessions/:id`, handle: endOne },
]

async function showAccount(request: ConsoleRequest, { runtime }: FlowParts): Promise<ConsoleAnswer> {
  const { user_id, session_id, email, name, second_factor } = await requireSession(request)
  const body = await runtime.database.transaction({ role: 'lookup', read_only: true }, async (tx) => {
    const [factors, passkeys, sessions, demanded_by] = await Promise.all([
      factorsOf(tx, user_id),
      passkeysOf(tx, user_id),
      sessionsOf(tx, user_id),
      demandingOrganizations(tx, user_id),
    ])
    const { totp_since, recovery_codes_left } = factors
    return {
      ...{ email, name, second_factor, demanded_by, totp_since },
      recovery_codes_left: hasFactor(factors) ? recovery_codes_left : null,
      passkeys: passkeys.map(({ id, name, is_synced, created_at, last_used_at }) => ({
        ...{ id, name, is_synced, created_at, last_used_at },
      })),
      sessions: sessions.map((session) => ({ ...session, is_current: session.id === session_id })),
    }
  })
  return { body }
}

async function setPassword(request: ConsoleRequest, parts: FlowParts): Promise<ConsoleAnswer> {
  const session = await requireProof(request, parts)
  // The cast holds because the input was checked against `Password`.
  const { password } = request.input as Static<typeof Password>
  const fault = faultOfPassword(password)
  if (fault) throw validationFailed(undefined, { errors: [{ pointer: '/password', message: fault }] })
  const password_hash = await hashPassword(password)
  return change(request, parts, session, async (tx) => {
    await replacePassword(tx, session.user_id, password_hash)
    await forgetSetUpLinks(tx, session.user_id)
    return { action: 'users.set_password', second_factor: session.second_factor }
  })
}

async function showTotpOffer(request: ConsoleRequest, parts: FlowParts): Promise<ConsoleAnswer> {
  const session = await requireProof(request, parts)
  const { database, secrets } = parts.runtime
  return database.transaction({ role: 'lookup', read_only: true }, async (tx) => ({
    body: offerTotp(secrets, tx.now, session),
  }))
}

/** The first factor of an account brings recovery codes with it. */
async function setUpTotp(request: ConsoleRequest, parts: FlowParts): Promise<ConsoleAnswer> {
  const session = await requireProof(request, parts)
  // The cast holds because the input was checked against `Totp`.
  const { offer, code } = request.input as Static<typeof Totp>
  const { secrets } = parts.runtime
  return change(request, parts, session, async (tx) => {
    const isFirst = !hasFactor(await factorsOf(tx, session.user_id))
    const digits = code.replaceAll(/[\s-]/g, '')
    if (!(await confirmTotp(tx, secrets, session, { offer, code: digits }))) {
      const message = 'is not the code of this moment; look whether the clock of the phone is right'
      throw validationFailed(undefined, { errors: [{ pointer: '/code', message }] })
    }
    const recovery_codes = isFirst ? await renewRecoveryCodes(tx, secrets, session.user_id) : null
    return { action: 'users.set_up_totp', second_factor: true, body: { recovery_codes } }
  })
}

async function takeOffTotp(request: ConsoleRequest, parts: FlowParts): Promise<ConsoleAnswer> {
  const session = await requireProof(request, parts)
  return change(request, parts, session, async (tx) => {
    const { totp_since } = await factorsOf(tx, session.user_id)
    if (totp_since === null) throw notFound('No authenticator app is set up.')
    await removeTotp(tx, session.user_id)
    return { action: 'users.remove_totp', second_factor: await afterRemoval(tx, session) }
  })
}

async function makeRecoveryCodes(request: ConsoleRequest, parts: FlowParts): Promise<ConsoleAnswer> {
  const session = await requireProof(request, parts)
  const { secrets } = parts.runtime
  return change(request, parts, session, async (tx) => {
    if (!hasFactor(await factorsOf(tx, session.user_id))) {
      throw invalidState('Recovery codes stand in for a second factor. Set up an authenticator app or a passkey first.')
    }
    const recovery_codes = await renewRecoveryCodes(tx, secrets, session.user_id)
    return { action: 'users.make_recovery_codes', second_factor: session.second_factor, body: { recovery_codes } }
  })
}

async function showPasskeyOptions(request: ConsoleRequest, parts: FlowParts): Promise<ConsoleAnswer> {
  const session = await requireProof(request, parts)
  const { database, secrets } = parts.runtime
  const { known, now } = await database.transaction({ role: 'lookup', read_only: true }, async (tx) => {
    return { known: await passkeysOf(tx, session.user_id), now: tx.now }
  })
  if (known.length >= passkeys_max) throw invalidState(`An account has at most ${passkeys_max} passkeys.`)
  const place = { secrets, auth_url: parts.addresses.auth_url }
  return { body: { options: await creationOptions(place, now, session, known) } }
}

async function keepPasskey(request: ConsoleRequest, parts: FlowParts): Promise<ConsoleAnswer> {
  const session = await requireProof(request, parts)
  // The cast holds because the input was checked against `NewPasskey`.
  const { name, passkey } = request.input as Static<typeof NewPasskey>
  const { secrets } = parts.runtime
  const place = { secrets, auth_url: parts.addresses.auth_url }
  return change(request, parts, session, async (tx) => {
    const factors = await factorsOf(tx, session.user_id)
    if (factors.passkeys >= passkeys_max) throw invalidState(`An account has at most ${passkeys_max} passkeys.`)
    const added = await addPasskey(tx, place, { ...session, name }, passkey)
    if (!added) throw passkeyRefused('The browser’s answer does not hold. Begin again.')
    const recovery_codes = hasFactor(factors) ? null : await renewRecoveryCodes(tx, secrets, session.user_id)
    return {
      ...{ action: 'users.add_passkey', subject: { kind: 'passkeys', id: added.id } },
      ...{ second_factor: true, body: { id: added.id, recovery_codes } },
    }
  })
}

async function takeOffPasskey(request: ConsoleRequest, parts: FlowParts): Promise<ConsoleAnswer> {
  const session = await requireProof(request, parts)
  const id = idOf(request)
  return change(request, parts, session, async (tx, user) => {
    if (!(await removePasskey(tx, session.user_id, id))) throw notFound('There is no such passkey.')
    const { passkeys } = await factorsOf(tx, session.user_id)
    if (user.password_hash === null && passkeys === 0) {
      throw invalidState('This passkey is the only way into the account. Choose a password first.')
    }
    const subject = { kind: 'passkeys', id }
    return { action: 'users.remove_passkey', subject, second_factor: await afterRemoval(tx, session) }
  })
}

interface Change {
  action: string
  subject?: { kind: string; id: string }
  /** Of the session from now on. */
  second_factor: boolean
  body?: unknown
}

/** Changes a way into the account: one change at a time, told in the audit log, and the other sessions of the user end. */
async function change(
  request: ConsoleRequest,
  { runtime }: FlowParts,
  session: Session,
  work: (tx: Transaction, user: UserRow) => Promise<Change>,
): Promise<ConsoleAnswer> {
  return runtime.database.transaction({ role: 'lookup' }, async (tx) => {
    const user = await lockUser(tx, session.user_id)
    if (!user) throw notFound()
    const { second_factor, body, ...event } = await work(tx, user)
    const cookie = await renewSession(tx, session, { second_factor })
    // Somebody ended this session while it was asking: nothing it asked for happens.
    if (cookie === null) throw unauthenticated('Nobody is signed in.')
    await auditAccount(tx, { ...ofSession(session, request), ...event })
    return { ...(body === undefined ? { status: 204 } : { status: 201, body }), cookie }
  })
}

/** True when a session has a second factor still; refuses to let the last one go where an organization demands one. */
async function afterRemoval(tx: Transaction, { user_id, second_factor }: Session): Promise<boolean> {
  if (hasFactor(await factorsOf(tx, user_id))) return second_factor
  const [demanding] = await demandingOrganizations(tx, user_id)
  if (demanding !== undefined) {
    throw invalidState(`${demanding} demands a second factor, and this is your last one. Set up another one first.`)
  }
  await removeRecoveryCodes(tx, user_id)
  return false
}

async function endOthers(request: ConsoleRequest, { runtime }: FlowParts): Promise<ConsoleAnswer> {
  const session = await requireSession(request)
  await runtime.database.transaction({ role: 'lookup' }, async (tx) => {
    await endOtherSessions(tx, session)
    await auditAccount(tx, { ...ofSession(session, request), action: 'users.end_other_sessions' })
  })
  return { status: 204 }
}

async function endOne(request: ConsoleRequest, { runtime }: FlowParts): Promise<ConsoleAnswer> {
  const session = await requireSession(request)
  const id = idOf(request)
  await runtime.database.transaction({ role: 'lookup' }, async (tx) => {
    if (!(await endSessionOf(tx, session.user_id, id))) throw notFound('This session has ended already.')
    const event = { action: 'users.end_session', subject: { kind: 'sessions', id } }
    await auditAccount(tx, { ...ofSession(session, request), ...event })
  })
  return { status: 204 }
}

/** The id of the path, as long as it is one. */
function idOf({ params: { id = '' } }: ConsoleRequest): string {
  if (!isId(id)) throw notFound()
  return id
}
