import type { Secrets } from '#core/secrets.ts'
import { newId } from '#core/values.ts'
import { sql, type Transaction } from '#db/database.ts'
import { createTickets } from '../tickets.ts'
import { digestOf } from '../token-format.ts'

/** Loaded with the first passkey: most starts and most processes need none of it. */
const library = () => import('@simplewebauthn/server')

/** A challenge is for one purpose: to sign in, or to prove or add something in one session. */
interface Challenge {
  purpose: 'sign_in' | 'prove' | 'add'
  session_id: string | null
}

/** EdDSA, ES256 and RS256: every authenticator has one of them (COSE algorithm identifiers). */
const supportedAlgorithmIDs = [-8, -7, -257]
const challenge_life_s = 300
const challenges = createTickets<Challenge>('stint passkey challenge', challenge_life_s)
const forgotten_per_use_max = 100

/** The place that passkeys are bound to: browsers sign its origin into every answer. */
export interface Place {
  secrets: Secrets
  auth_url: string
}

const hostOf = ({ auth_url }: Place) => new URL(auth_url).hostname

export interface PasskeyRow {
  id: string
  user_id: string
  credential_id: string
  public_key: Buffer
  counter: string
  transports: string[]
  is_synced: boolean
  name: string
  created_at: string
  last_used_at: string | null
}

export function passkeysOf(tx: Transaction, user_id: string): Promise<PasskeyRow[]> {
  return tx.rows<PasskeyRow>(sql`select * from passkeys where user_id = ${user_id} order by created_at, id`)
}

/** Options for the browser to sign with a passkey: of anybody who has one here, or of a known user. */
export async function signingOptions(
  place: Place,
  now: string,
  challenge: Challenge,
  known: readonly PasskeyRow[] = [],
) {
  const { generateAuthenticationOptions } = await library()
  return generateAuthenticationOptions({
    rpID: hostOf(place),
    challenge: Uint8Array.from(challenges.make(place.secrets, now, challenge)),
    userVerification: 'required',
    timeout: challenge_life_s * 1_000,
    allowCredentials: known.map(({ credential_id: id, transports }) => ({ id, transports })),
  })
}

/** Options for the browser to make a passkey that is kept by name, so that nobody types an address to sign in by it. */
export async function creationOptions(
  place: Place,
  now: string,
  { session_id, user_id, email, name }: { session_id: string; user_id: string; email: string; name: string },
  known: readonly PasskeyRow[],
) {
  const { generateRegistrationOptions } = await library()
  return generateRegistrationOptions({
    rpName: 'Stint',
    rpID: hostOf(place),
    userID: Uint8Array.from(Buffer.from(user_id)),
    userName: email,
    userDisplayName: name,
    challenge: Uint8Array.from(challenges.make(place.secrets, now, { purpose: 'add', session_id })),
    attestationType: 'none',
    timeout: challenge_life_s * 1_000,
    excludeCredentials: known.map(({ credential_id: id, transports }) => ({ id, transports })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs,
  })
}

/** The parts of a browser's answer that are needed. */
export interface Assertion {
  id: string
  client_data: string
  authenticator_data: string
  signature: string
  user_handle?: string | null | undefined
}

export interface Attestation {
  id: string
  client_data: string
  attestation: string
  transports: string[]
}

/**
 * Looks at a signature, in a transaction of the role `lookup`; answers the user of its passkey, null where nobody has it.
 * `holds` is false for one of another origin, for another challenge or one that was answered, without the person's PIN or
 * finger, and with a counter that fell, as that of a copy does.
 */
export async function takePasskey(
  tx: Transaction,
  place: Place,
  wanted: Challenge & { user_id?: string },
  { id, client_data, authenticator_data, signature, user_handle }: Assertion,
): Promise<{ user_id: string; holds: boolean } | null> {
  const { verifyAuthenticationResponse } = await library()
  const found = await tx.row<PasskeyRow>(sql`select * from passkeys where credential_id = ${id} for update`)
  if (!found || (wanted.user_id !== undefined && wanted.user_id !== found.user_id)) return null
  const { user_id } = found
  if (user_handle && Buffer.from(user_handle, 'base64url').toString() !== user_id) return { user_id, holds: false }
  const used = { challenge: '' }
  const verified = await verifyAuthenticationResponse({
    response: {
      ...{ id, rawId: id, type: 'public-key', clientExtensionResults: {} },
      response: { clientDataJSON: client_data, authenticatorData: authenticator_data, signature },
    },
    expectedChallenge: challengeCheck(tx, place, wanted, used),
    expectedOrigin: place.auth_url,
    expectedRPID: hostOf(place),
    requireUserVerification: true,
    credential: { id, publicKey: Uint8Array.from(found.public_key), counter: Number(found.counter) },
  }).catch(() => null)
  if (!verified?.verified || !(await useChallenge(tx, used.challenge))) return { user_id, holds: false }
  const { newCounter, credentialBackedUp } = verified.authenticationInfo
  await tx.run(sql`
    update passkeys set counter = ${newCounter}, is_synced = ${credentialBackedUp}, last_used_at = app_now()
    where id = ${found.id}`)
  return { user_id, holds: true }
}

/** Keeps a new passkey of a user; null when what the browser sent does not hold. */
export async function addPasskey(
  tx: Transaction,
  place: Place,
  { user_id, session_id, name }: { user_id: string; session_id: string; name: string },
  { id, client_data, attestation, transports }: Attestation,
): Promise<{ id: string } | null> {
  const { verifyRegistrationResponse } = await library()
  const used = { challenge: '' }
  const verified = await verifyRegistrationResponse({
    response: {
      ...{ id, rawId: id, type: 'public-key', clientExtensionResults: {} },
      response: { clientDataJSON: client_data, attestationObject: attestation },
    },
    expectedChallenge: challengeCheck(tx, place, { purpose: 'add', session_id }, used),
    expectedOrigin: place.auth_url,
    expectedRPID: hostOf(place),
    requireUserVerification: true,
    supportedAlgorithmIDs,
  }).catch(() => null)
  if (!verified?.verified || !(await useChallenge(tx, used.challenge))) return null
  const { credential, credentialBackedUp } = verified.registrationInfo
  const row_id = newId(Date.parse(tx.now))
  const rows = await tx.run(sql`
    insert into passkeys (id, user_id, credential_id, public_key, counter, transports, is_synced, name, created_at)
    values (${row_id}, ${user_id}, ${credential.id}, ${Buffer.from(credential.publicKey)}, ${credential.counter},
            ${transports}, ${credentialBackedUp}, ${name}, app_now())
    on conflict (credential_id) do nothing`)
  return rows === 1 ? { id: row_id } : null
}

export async function removePasskey(tx: Transaction, user_id: string, id: string): Promise<boolean> {
  return (await tx.run(sql`delete from passkeys where id = ${id} and user_id = ${user_id}`)) === 1
}

/** True for a challenge of ours that is for this purpose and session, and not over. */
function challengeCheck(
  tx: Transaction,
  { secrets }: Place,
  { purpose, session_id }: Challenge,
  used: { challenge: string },
) {
  return (challenge: string) => {
    const read = challenges.read(secrets, tx.now, challenge)
    used.challenge = challenge
    return read !== null && read.purpose === purpose && read.session_id === session_id
  }
}

/** False for a challenge that was answered before; what is over anyway is forgotten, some at a time. */
async function useChallenge(tx: Transaction, challenge: string): Promise<boolean> {
  await tx.run(sql`
    delete from used_challenges where digest in (
      select digest from used_challenges where forget_at < app_now() order by forget_at
      limit ${forgotten_per_use_max} for update skip locked)`)
  const rows = await tx.run(sql`
    insert into used_challenges (digest, forget_at)
    values (${digestOf(challenge)}, app_now() + make_interval(secs => ${challenge_life_s}))
    on conflict (digest) do nothing`)
  return rows === 1
}
