import { createPublicKey, type webcrypto } from 'node:crypto'
import type { JSONWebKeySet, JWK } from 'jose'
import type { Logger } from 'pino'
import type { Clock } from '#core/clock.ts'
import { createRateLimit } from '#core/rate-limit.ts'
import { unstorable } from '#core/schema/validate.ts'
import { type GuardedGet, readJsonAt } from '#outbound/guarded-get.ts'
import { OAuthError } from '../parameters.ts'

const kept_ms = 600_000
/** While their server is away, keys that were read serve as long as a client's document does. */
const usable_ms = 86_400_000
/** A key id that is not known asks again at most this often, and so does a server that is away. */
const again_ms = 60_000
const sets_max = 1_000
const set_bytes_max = 16_384
const fetches_max = 64
/** As for documents of clients: anybody can name an address here. */
const new_addresses_per_hour_max = 60

interface Kept {
  keys: JSONWebKeySet | null
  /** When the set was last read, and when that was last tried. */
  read_at_ms: number
  tried_at_ms: number
  /** The last try says nothing of what stands at the address. */
  is_away: boolean
}

export interface KeySets {
  /**
   * The keys at an address; with `kid`, read again where none of those kept has it. Null when there are none; throws
   * `temporarily_unavailable` when that cannot be told now, `rate_limited` when a network brings too many new addresses.
   */
  keysAt(url: string, kid: string | undefined, network: string): Promise<JSONWebKeySet | null>
}

/** The keys that clients keep at addresses (RFC 7591 `jwks_uri`), read through the egress guard and kept for ten minutes. */
export function createKeySets({ clock, log, get }: { clock: Clock; log: Logger; get: GuardedGet }): KeySets {
  const sets = new Map<string, Kept>()
  const running = new Map<string, Promise<Kept>>()
  const now = () => clock.now()
  const news = createRateLimit('key_sets', { requests_max: new_addresses_per_hour_max, window_s: 3_600, now })

  const read = async (url: string): Promise<Kept> => {
    const found = await readJsonAt(get, url, set_bytes_max)
    const keys = 'failure' in found ? null : usableKeySet(found.object)
    const is_away = 'failure' in found && found.is_away
    if (!keys)
      log.info({ jwks_uri: url, failure: 'failure' in found ? found.failure : 'is no key set' }, 'key_set_refused')
    const known = sets.get(url)
    sets.delete(url)
    const [oldest] = sets.keys()
    if (sets.size >= sets_max && oldest !== undefined) sets.delete(oldest)
    const last = { keys: keys ?? known?.keys ?? null, read_at_ms: keys ? now() : (known?.read_at_ms ?? 0) }
    const kept = { ...last, tried_at_ms: now(), is_away }
    sets.set(url, kept)
    return kept
  }
  const lookedUp = async (url: string, kid: string | undefined, network: string): Promise<Kept> => {
    const known = sets.get(url)
    const hasKey = kid === undefined || (known?.keys?.keys.some((key) => key.kid === kid) ?? false)
    const isFresh = known !== undefined && now() - known.read_at_ms < kept_ms && hasKey
    const wasTried = known !== undefined && now() - known.tried_at_ms < again_ms
    if (isFresh || wasTried) return known
    const shared = running.get(url)
    if (shared) return shared
    if (running.size >= fetches_max) return known ?? { keys: null, read_at_ms: 0, tried_at_ms: 0, is_away: true }
    if (!known) news.take(network)
    const reading = read(url).finally(() => running.delete(url))
    running.set(url, reading)
    return reading
  }
  return {
    async keysAt(url, kid, network) {
      const { keys, read_at_ms, is_away } = await lookedUp(url, kid, network)
      if (keys && now() - read_at_ms < usable_ms) return keys
      // Not a bad credential: clients that are told `invalid_client` throw away what they hold.
      if (is_away) {
        throw new OAuthError('temporarily_unavailable', 'client: its keys cannot be read for the moment', {
          isElsewhere: true,
        })
      }
      return null
    },
  }
}

const keys_max = 10
/** Of a set that is fetched: more than any client has at once. */
const fetched_keys_max = 50
const rsa_bits_min = 2_048
const key_types = new Set(['RSA', 'EC', 'OKP'])

/** Members of private and symmetric keys (RFC 7518 §6): who registers one has given it away. */
const private_members = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

/** The fault of a set of public keys, or null. */
export function faultOfKeySet(value: unknown): string | null {
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
function usableKeySet(value: unknown): JSONWebKeySet | null {
  if (!isObject(value) || !Array.isArray(value.keys)) return null
  const keys: unknown[] = value.keys.slice(0, fetched_keys_max)
  return keptKeySet({ keys: keys.filter((key) => faultOfKey(key) === null) })
}

/** The members of a checked set that are used; whatever else stood in it is not kept. */
export function keptKeySet(value: unknown): JSONWebKeySet {
  const { keys } = value as JSONWebKeySet
  const kept = ['kty', 'kid', 'alg', 'use', 'n', 'e', 'crv', 'x', 'y'] as const
  const member = (key: JWK, name: (typeof kept)[number]) => (typeof key[name] === 'string' ? [[name, key[name]]] : [])
  return { keys: keys.map((key) => Object.fromEntries(kept.flatMap((name) => member(key, name))) as JWK) }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
