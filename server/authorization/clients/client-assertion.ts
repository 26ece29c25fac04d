import {
  createLocalJWKSet,
  decodeProtectedHeader,
  errors,
  type JSONWebKeySet,
  type JWTPayload,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose'
import { Problem } from '#core/problems.ts'
import { DatabaseUnavailable } from '#db/errors.ts'
import type { Addresses } from '../addresses.ts'
import { OAuthError } from '../parameters.ts'
import type { VerifiedAssertion } from './client.store.ts'
import { assertionAlgorithms, type FoundClient, invalidClient } from './client.ts'
import type { KeySets } from './client-keys.ts'

export interface AssertionParts {
  addresses: Addresses
  keySets: KeySets
}

/** Verifies the signed assertion of a client (RFC 7523 §3) with its keys; throws `invalid_client`. */
export async function verifiedAssertion(
  { addresses, keySets }: AssertionParts,
  client: FoundClient,
  assertion: string,
  network: string,
) {
  const { auth_url } = addresses
  const { client_id, now } = client
  const rules = { client_id, now, audiences: [auth_url, `${auth_url}/oauth/token`] }
  try {
    const kid = keyIdOf(assertion)
    const keys = client.jwks ?? (client.jwks_uri && (await keySets.keysAt(client.jwks_uri, kid, network)))
    if (!keys) throw new Error('the client has no keys')
    return await verifyAssertion(assertion, keys, rules)
  } catch (cause) {
    // Keys that cannot be read now, or were asked for too often, say nothing of the assertion.
    if (cause instanceof DatabaseUnavailable || cause instanceof OAuthError || cause instanceof Problem) throw cause
    throw invalidClient(cause)
  }
}

function keyIdOf(assertion: string): string | undefined {
  const { kid } = decodeProtectedHeader(assertion)
  return typeof kid === 'string' ? kid : undefined
}

const tolerance_s = 60
const ahead_s_max = 300
const jti_characters_max = 256

/** Header members that would have us take the key from the one who is to prove it (RFC 8725 §3.10). */
const foreign_keys = ['jku', 'jwk', 'x5u', 'x5c']

interface AssertionRules {
  client_id: string
  /** Issuer and token endpoint: who the assertion may be meant for. */
  audiences: readonly string[]
  /** Time of the database, which is the one clock of tokens. */
  now: string
}

/** Verifies the signed assertion of a client (RFC 7523 §3) with one of its keys; rejects when anything is amiss. */
async function verifyAssertion(
  assertion: string,
  keys: JSONWebKeySet,
  rules: AssertionRules,
): Promise<VerifiedAssertion> {
  const header = decodeProtectedHeader(assertion)
  if (foreign_keys.some((name) => Object.hasOwn(header, name))) throw new Error('the assertion brings its own key')
  const payload = await verified(assertion, keys, {
    // RFC 9864 calls the one curve of EdDSA that there is by its own name, and newer clients do.
    algorithms: [...assertionAlgorithms, 'Ed25519'],
    issuer: rules.client_id,
    subject: rules.client_id,
    audience: [...rules.audiences],
    requiredClaims: ['exp', 'jti'],
    currentDate: new Date(rules.now),
    clockTolerance: tolerance_s,
  })
  return checkClaims(payload, rules)
}

/** Keys without a `kid` may fit several times; each is tried. */
async function verified(assertion: string, keys: JSONWebKeySet, options: JWTVerifyOptions): Promise<JWTPayload> {
  try {
    return (await jwtVerify(assertion, createLocalJWKSet(keys), options)).payload
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
    let last: unknown = error
    for await (const key of error) {
      try {
        return (await jwtVerify(assertion, key, options)).payload
      } catch (next) {
        last = next
      }
    }
    throw last
  }
}

/** Checks that the library leaves to us: the ends of time, and that nobody else is addressed (RFC 8725 §3.9). */
function checkClaims({ exp, iat, jti, aud }: JWTPayload, { audiences, now }: AssertionRules): VerifiedAssertion {
  const now_s = Date.parse(now) / 1_000
  if (exp === undefined || exp > now_s + ahead_s_max) throw new Error('exp is too far ahead')
  if (iat !== undefined && iat > now_s + tolerance_s) throw new Error('iat is in the future')
  if ([aud].flat().some((one) => !audiences.some((known) => known === one))) throw new Error('aud names others too')
  if (typeof jti !== 'string' || jti === '' || jti.length > jti_characters_max) throw new Error('jti is no short text')
  return { jti, expires_at: new Date((exp + tolerance_s) * 1_000).toISOString() }
}
