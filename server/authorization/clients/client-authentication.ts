import {
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  errors,
  type JSONWebKeySet,
  type JWTPayload,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose'
import type { Runtime } from '#core/invoke.ts'
import type { RevealedSecret } from '#core/operation.ts'
import { Problem } from '#core/problems.ts'
import type { Transaction } from '#db/database.ts'
import { DatabaseUnavailable } from '#db/errors.ts'
import { atRest, digestOf, newToken, tokenKindOf } from '#identity/token-format.ts'
import type { Addresses } from '../addresses.ts'
import type { OAuthRequest } from '../oauth-endpoint.ts'
import { OAuthError } from '../oauth-error.ts'
import type { VerifiedAssertion } from './client.store.ts'
import { insertSecret, isSecretOf, noteAssertion, noteClientUse, use_noted_every_ms } from './client.store.ts'
import type { FoundClient } from './client.ts'
import { assertionAlgorithms } from './client.ts'
import type { KeySets } from './client-keys.ts'

export interface AuthenticationParts {
  runtime: Runtime
  addresses: Addresses
  keySets: KeySets
}

/** Proves that a request comes from the client it names, in the way that client is registered for; throws `invalid_client`. */
export async function authenticateClient(
  parts: AuthenticationParts,
  client: FoundClient | undefined,
  presented: Presented,
  network: string,
): Promise<FoundClient> {
  // A client is held to its method: who knows the id of one with a secret cannot come without (RFC 6749 §10.1).
  if (!client?.auth_methods.includes(presented.method)) throw invalidClient()
  const { database } = parts.runtime
  // Nothing to check and nothing to write: a token request of a public client costs one transaction less.
  if (presented.method === 'none' && wasUsedLately(client)) return client
  const { client_id } = client
  const assertion =
    presented.method === 'private_key_jwt' ? await verifiedBy(parts, client, presented.assertion, network) : null
  await database.transaction({ role: 'lookup' }, async (tx) => {
    if ('secret' in presented && !(await isClientSecret(tx, client_id, presented.secret))) throw invalidClient()
    if (assertion && !(await noteAssertion(tx, client_id, assertion))) throw invalidClient()
    await noteClientUse(tx, client_id)
  })
  return client
}

/** Times are the database's, read where the client was found; `noteClientUse` writes once in this time. */
function wasUsedLately({ now, last_used_at }: FoundClient): boolean {
  return last_used_at !== null && Date.parse(now) - Date.parse(last_used_at) < use_noted_every_ms
}

async function verifiedBy(
  { addresses, keySets }: AuthenticationParts,
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

/** The credential that a request presents for its client, before anything of it is believed. */
type Presented = { client_id: string } & (
  | { method: 'none' }
  | { method: 'client_secret_basic' | 'client_secret_post'; secret: string }
  | { method: 'private_key_jwt'; assertion: string }
)

const assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const assertion_characters_max = 8_192

/** Unknown client and failed authentication read alike. */
export function invalidClient(cause?: unknown): OAuthError {
  return new OAuthError('invalid_client', 'client: is not known here or did not authenticate as it is registered', {
    cause,
  })
}

/** Reads the credential of a client; more than one of them is refused (RFC 6749 §2.3). */
export function presentedCredentials({ authorization, parameters }: OAuthRequest): Presented {
  const client_id = parameters.get('client_id')
  const secret = parameters.get('client_secret')
  const assertion = parameters.get('client_assertion')
  const sent = [authorization, secret, assertion].filter((one) => one !== undefined)
  if (sent.length > 1) throw new OAuthError('invalid_request', 'client: must authenticate in one way only')
  if (authorization !== undefined) return basic(authorization, client_id)
  if (assertion !== undefined) return signed(assertion, parameters.get('client_assertion_type'), client_id)
  if (client_id === undefined) throw invalidClient()
  return secret === undefined ? { method: 'none', client_id } : { method: 'client_secret_post', client_id, secret }
}

/** RFC 6749 §2.3.1: both parts are form-encoded before they are joined. */
function basic(authorization: string, named: string | undefined): Presented {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(authorization)?.[1]
  const parts = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString())
  const [client_id, secret] = [formDecoded(parts?.[1]), formDecoded(parts?.[2])]
  if (!client_id || !secret || (named !== undefined && named !== client_id)) throw invalidClient()
  return { method: 'client_secret_basic', client_id, secret }
}

function formDecoded(text: string | undefined): string | null {
  if (text === undefined) return null
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return null
  }
}

/** RFC 7523 §2.2; without `client_id` the assertion says whose it is, which its signature then has to prove. */
function signed(assertion: string, type: string | undefined, named: string | undefined): Presented {
  if (type !== assertion_type || assertion.length > assertion_characters_max) throw invalidClient()
  const client_id = named ?? subjectOf(assertion)
  if (typeof client_id !== 'string' || client_id === '') throw invalidClient()
  return { method: 'private_key_jwt', client_id, assertion }
}

function subjectOf(assertion: string): unknown {
  try {
    return decodeJwt(assertion).sub
  } catch (cause) {
    throw invalidClient(cause)
  }
}

async function isClientSecret(tx: Transaction, client_id: string, secret: string): Promise<boolean> {
  return tokenKindOf(secret) === 'client_secret' && (await isSecretOf(tx, client_id, digestOf(secret)))
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

/** Makes a secret and writes its digest; the value exists only in what this answers. */
export async function newClientSecret(
  tx: Transaction,
  { client_id, is_sandbox }: { client_id: string; is_sandbox: boolean },
): Promise<string> {
  const value = newToken('client_secret', is_sandbox)
  await insertSecret(tx, client_id, atRest(value))
  return value
}

/** The answers that make a secret show it as long as it can still be used. */
export const revealedSecret: RevealedSecret = {
  field: 'client_secret',
  stands(answer, { tx }) {
    // The cast holds for every answer that makes a secret.
    const { client_id, client_secret } = answer as { client_id: string; client_secret: string }
    return isSecretOf(tx, client_id, digestOf(client_secret))
  },
}
