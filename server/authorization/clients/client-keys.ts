import { createPublicKey, type webcrypto } from 'node:crypto'
import type { JSONWebKeySet, JWK } from 'jose'
import { unstorable } from '#core/schema/validate.ts'

const keys_max = 10
/** Of a set that is fetched: more than any client has at once. */
const fetched_keys_max = 50
const rsa_bits_min = 2_048
const key_types = new Set(['RSA', 'EC', 'OKP'])

/** Members of private and symmetric keys (RFC 7518 §6): who registers one has given it away. */
const private_members = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

/** The fault of the keys of a client that signs its assertions: here or at an address, not both (RFC 7591 §2). */
export function faultOfKeys({ jwks, jwks_uri }: { jwks: unknown; jwks_uri: string | null }) {
  if (jwks && jwks_uri) return { field: 'jwks', message: 'must not stand beside jwks_uri' }
  if (jwks_uri) {
    return isKeyAddress(jwks_uri) ? null : { field: 'jwks_uri', message: 'must be an https address without fragment' }
  }
  const message = jwks ? faultOfKeySet(jwks) : 'or jwks_uri is needed for private_key_jwt'
  return message === null ? null : { field: 'jwks', message }
}

function isKeyAddress(uri: string): boolean {
  const url = /^https:\/\/[^\s#]+$/.test(uri) && unstorable(uri, 1).length === 0 ? URL.parse(uri) : null
  return url !== null && url.username === '' && url.password === ''
}

/** The fault of a set of public keys, or null. */
function faultOfKeySet(value: unknown): string | null {
  if (!isObject(value) || !Object.hasOwn(value, 'keys') || !Array.isArray(value.keys)) {
    return 'must be an object with a list of keys'
  }
  if (value.keys.length === 0 || value.keys.length > keys_max) return `must have 1 to ${keys_max} keys`
  for (const [index, key] of value.keys.entries()) {
    const fault = faultOfKey(key)
    if (fault) return `key ${index} ${fault}`
  }
  return null
}

function faultOfKey(key: unknown): string | null {
  if (!isObject(key)) return 'must be an object'
  if (unstorable(key, 1).length > 0) return 'has characters that are not allowed'
  if (private_members.some((name) => Object.hasOwn(key, name))) return 'must be a public key without private members'
  if (!key_types.has(String(key.kty))) return 'must be of type RSA, EC or OKP'
  try {
    const { asymmetricKeyDetails } = createPublicKey({ key: key as webcrypto.JsonWebKey, format: 'jwk' })
    const { modulusLength = rsa_bits_min } = asymmetricKeyDetails ?? {}
    return modulusLength < rsa_bits_min ? `must have at least ${rsa_bits_min} bits` : null
  } catch {
    // node:crypto says why in words of OpenSSL, which help nobody who registers a client.
    return 'cannot be read'
  }
}

/** The keys of a set that can be used; others in it may be for other purposes, and are passed over. */
export function usableKeySet(value: Record<string, unknown>): JSONWebKeySet | null {
  if (!Array.isArray(value.keys)) return null
  const keys: unknown[] = value.keys.slice(0, fetched_keys_max)
  return keptKeySet({ keys: keys.filter((key) => faultOfKey(key) === null) })
}

const kept_members = ['kty', 'kid', 'alg', 'use', 'n', 'e', 'crv', 'x', 'y'] as const

/** The members of a checked set that are used; whatever else stood in it is not kept. */
export function keptKeySet(checked: object): JSONWebKeySet {
  const { keys } = checked as JSONWebKeySet
  const keptOf = (key: JWK) =>
    kept_members.flatMap((name) => (typeof key[name] === 'string' ? [[name, key[name]]] : []))
  return { keys: keys.map((key) => Object.fromEntries(keptOf(key)) as JWK) }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
