import type { JSONWebKeySet } from 'jose'
import type { Logger } from 'pino'
import type { Clock } from '#core/runtime.ts'
import { type GuardedGet, readJsonAt } from './guarded-get.ts'
import { usableKeySet } from './key-set.ts'

const kept_ms = 600_000
/** A key id that is not known asks again at most this often, and so does a server that is away. */
const again_ms = 60_000
const sets_max = 1_000
const set_bytes_max = 16_384
const fetches_max = 64

interface Kept {
  keys: JSONWebKeySet | null
  /** When the set was last read, and when that was last tried. */
  read_at_ms: number
  tried_at_ms: number
}

export interface KeySets {
  /** The keys at an address; with `kid`, read again where none of those kept has it. Null when there are none. */
  keysAt(url: string, kid: string | undefined): Promise<JSONWebKeySet | null>
}

/** The keys that clients keep at addresses (RFC 7591 `jwks_uri`), read through the egress guard and kept for ten minutes. */
export function createKeySets({ clock, log, get }: { clock: Clock; log: Logger; get: GuardedGet }): KeySets {
  const sets = new Map<string, Kept>()
  const running = new Map<string, Promise<JSONWebKeySet | null>>()

  const read = async (url: string): Promise<JSONWebKeySet | null> => {
    const found = await readJsonAt(get, url, set_bytes_max)
    const keys = 'failure' in found ? null : usableKeySet(found.object)
    if (!keys)
      log.info({ jwks_uri: url, failure: 'failure' in found ? found.failure : 'is no key set' }, 'key_set_refused')
    const known = sets.get(url)
    const now_ms = clock.now()
    sets.delete(url)
    const [oldest] = sets.keys()
    if (sets.size >= sets_max && oldest !== undefined) sets.delete(oldest)
    // While its server is away the keys that were read last still serve.
    const kept = { keys: keys ?? known?.keys ?? null, read_at_ms: keys ? now_ms : (known?.read_at_ms ?? 0) }
    sets.set(url, { ...kept, tried_at_ms: now_ms })
    return kept.keys
  }
  return {
    async keysAt(url, kid) {
      const known = sets.get(url)
      const hasKey = kid === undefined || (known?.keys?.keys.some((key) => key.kid === kid) ?? false)
      const isFresh = known !== undefined && clock.now() - known.read_at_ms < kept_ms && hasKey
      const wasTried = known !== undefined && clock.now() - known.tried_at_ms < again_ms
      if (isFresh || wasTried) return known.keys
      if (running.size >= fetches_max && !running.has(url)) return known?.keys ?? null
      const shared = running.get(url) ?? read(url).finally(() => running.delete(url))
      running.set(url, shared)
      return shared
    },
  }
}
