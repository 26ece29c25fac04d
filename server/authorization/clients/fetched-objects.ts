import type { Logger } from 'pino'
import type { Clock } from '#core/clock.ts'
import { createRateLimit } from '#core/rate-limit.ts'
import { type GuardedGet, type Missing, readJsonAt, refused } from '#outbound/guarded-get.ts'
import { OAuthError } from '../parameters.ts'

export interface FetchParts {
  clock: Clock
  log: Logger
  /** Reads what stands at an address, through the egress guard. */
  get: GuardedGet
}

/** An address, as far as it is known. */
interface Known<Value> {
  /** The last that was read there, and when. */
  value: Value | null
  read_at_ms: number
  tried_at_ms: number
  /** Why the last try brought nothing; `is_away` when that says nothing of what stands there. */
  missing: Missing | null
}

interface Rules<Value> {
  /** Names them in limits and logs. */
  name: string
  bytes_max: number
  /** Takes what stands there; an `OAuthError` says that it is of no use. */
  take(url: string, object: Record<string, unknown>, headers: Record<string, string | string[]>): Value | Promise<Value>
  /** Told of each try. */
  onTry?(url: string, missing: Missing | null): void
}

const again_ms = 60_000
const known_max = 1_000
/** Fetches that run at once; each ends within seconds, and who comes beyond is asked to come again. */
const fetches_max = 64
/** Anybody can name an address here. */
const new_addresses_per_hour_max = 60

/** Objects that clients keep at addresses of their own: each is asked for once a minute at most, whoever needs it. */
export function createFetchedObjects<Value>(
  { clock, log, get }: FetchParts,
  { name, bytes_max, take, onTry }: Rules<Value>,
) {
  const known = new Map<string, Known<Value>>()
  const running = new Map<string, Promise<Known<Value>>>()
  const { now } = clock
  const news = createRateLimit(name, { requests_max: new_addresses_per_hour_max, window_s: 3_600, now })

  const read = async (url: string): Promise<Value | Missing> => {
    const found = await readJsonAt(get, url, bytes_max)
    if ('failure' in found) return found
    try {
      return await take(url, found.object, found.headers)
    } catch (error) {
      if (error instanceof OAuthError) return refused(error.message)
      throw error
    }
  }
  const tryOnce = async (url: string): Promise<Known<Value>> => {
    const found = await read(url)
    const missing = isMissing(found) ? found : null
    if (missing) log.info({ url, failure: missing.failure }, `${name}_refused`)
    onTry?.(url, missing)
    const last = isMissing(found) ? known.get(url) : { value: found, read_at_ms: now() }
    const next = { ...nothing, ...last, tried_at_ms: now(), missing }
    const [oldest] = known.keys()
    if (known.size >= known_max && oldest !== undefined) known.delete(oldest)
    known.set(url, next)
    return next
  }
  return {
    /** An address as far as it is known, whenever it was read. */
    known: (url: string) => known.get(url),
    /** Reads it, unless that was tried within the minute. What was never read is counted for the network that asks. */
    async fetch(url: string, network: string | null): Promise<Known<Value>> {
      const last = known.get(url)
      if (last && now() - last.tried_at_ms < again_ms) return last
      const shared = running.get(url)
      if (shared) return shared
      if (running.size >= fetches_max) return { ...nothing, ...last, missing: busy }
      if (network !== null && !last?.value) news.take(network)
      const trying = tryOnce(url).finally(() => running.delete(url))
      running.set(url, trying)
      return trying
    },
  }
}

const nothing = { value: null, read_at_ms: 0, tried_at_ms: 0 }
const busy: Missing = { failure: 'too many others are read', is_away: true, reach: 'untried' }

function isMissing(found: unknown): found is Missing {
  return typeof found === 'object' && found !== null && 'failure' in found
}
