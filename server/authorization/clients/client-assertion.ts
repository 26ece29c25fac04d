import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, type JWTVerifyOptions, jwtVerify } from 'jose'
import { Problem } from '#core/problems.ts'
import type { Addresses } from '../addresses.ts'
import { OAuthError } from '../parameters.ts'
import { assertionAlgorithms, type FoundClient, invalidClient } from './client.ts'
import { usableKeySet } from './client-keys.ts'
import { createFetchedObjects, type FetchParts } from './fetched-objects.ts'

const set_bytes_max = 16_384
const kept_ms = 600_000
/** While their server is away, keys that were read serve as long as a client's document does. */
const usable_ms = 86_400_000

const tolerance_s = 60
const ahead_s_max = 300
const jti_characters_max = 256

/** Header members that would have us take the key from the one who is to prove it (RFC 8725 §3.10). */
const foreign_keys = ['jku', 'jwk', 'x5u', 'x5c']

/** The part of a valid assertion that is remembered, so that it holds once (RFC 7523 §3). */
export interface VerifiedAssertion {
  jti: string
  expires_at: string
}

/** Verifies the signed assertions of clients (RFC 7523 §3) with their keys, also those kept at addresses (RFC 7591 §2). */
export function createAssertions({ auth_url }: Addresses, parts: FetchParts) {
  const sets = createFetchedObjects<JSONWebKeySet>(parts, {
    name: 'key_sets',
    bytes_max: set_bytes_max,
    take(_, object) {
      const keys = usableKeySet(object)
      if (!keys) throw new OAuthError('invalid_client_metadata', 'is no key set')
      return keys
    },
  })
  const now = () => parts.clock.now()
  /** With `kid`, read again where none of those kept has it. */
  const keysAt = async (url: string, kid: string | undefined, network: string): Promise<JSONWebKeySet | null> => {
    const known = sets.known(url)
    const hasKey = kid === undefined || known?.value?.keys.some((key) => key.kid === kid)
    const isFresh = known && hasKey && now() - known.read_at_ms < kept_ms
    const { value, read_at_ms, missing } = isFresh ? known : await sets.fetch(url, network)
    if (value && now() - read_at_ms < usable_ms) return value
    if (!missing?.is_away) return null
    // Not a bad credential: clients that are told `invalid_client` throw away what they hold.
    const words = 'client: its keys cannot be read for the moment'
    throw new OAuthError('temporarily_unavailable', words, { isElsewhere: true })
  }
  const audiences = [auth_url, `${auth_url}/oauth/token`]
  return {
    /** Throws `invalid_client` when anything is amiss. */
    async verify(client: FoundClient, assertion: string, network: string): Promise<VerifiedAssertion> {
      try {
        const header = decodeProtectedHeader(assertion)
        if (foreign_keys.some((name) => name in header)) throw new Error('the assertion brings its own key')
        const keys = client.jwks ?? (client.jwks_uri && (await keysAt(client.jwks_uri, header.kid, network)))
        if (!keys) throw new Error('the client has no keys')
        return await verifiedBy(keys, assertion, client, audiences)
      } catch (cause) {
        // Keys that cannot be read now, or were asked for too often, say nothing of the assertion.
        if (cause instanceof OAuthError || cause instanceof Problem) throw cause
        throw invalidClient(cause)
      }
    },
  }
}

async function verifiedBy(
  { keys }: JSONWebKeySet,
  assertion: string,
  { client_id, now }: FoundClient,
  audiences: string[],
): Promise<VerifiedAssertion> {
  const { exp, iat, jti, aud } = await payloadOf(assertion, keys, {
    // RFC 9864 calls the one curve of EdDSA that there is by its own name, and newer clients do.
    algorithms: [...assertionAlgorithms, 'Ed25519'],
    issuer: client_id,
    subject: client_id,
    audience: audiences,
    requiredClaims: ['exp', 'jti'],
    // Time of the database, which is the one clock of tokens.
    currentDate: new Date(now),
    clockTolerance: tolerance_s,
  })
  // Checks that the library leaves to us: the ends of time, and that nobody else is addressed (RFC 8725 §3.9).
  const now_s = Date.parse(now) / 1_000
  if (exp === undefined || exp > now_s + ahead_s_max) throw new Error('exp is too far ahead')
  if (iat !== undefined && iat > now_s + tolerance_s) throw new Error('iat is in the future')
  if ([aud].flat().some((one) => !audiences.some((known) => known === one))) throw new Error('aud names others too')
  if (typeof jti !== 'string' || jti === '' || jti.length > jti_characters_max) throw new Error('jti is no short text')
  return { jti, expires_at: new Date((exp + tolerance_s) * 1_000).toISOString() }
}

/** Each key is tried by itself: keys without a `kid` may fit several times, and the library passes over those that do not. */
async function payloadOf(assertion: string, keys: JSONWebKeySet['keys'], options: JWTVerifyOptions) {
  let fault: unknown = new Error('the client has no keys')
  for (const key of keys) {
    try {
      return (await jwtVerify(assertion, createLocalJWKSet({ keys: [key] }), options)).payload
    } catch (error) {
      fault = error
    }
  }
  throw fault
}
