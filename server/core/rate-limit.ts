import { rateLimited } from './problems.ts'

/** Callers counted at once; beyond that the one counted longest ago is forgotten, so memory stays bounded. */
const counted_max = 50_000

export type RateLimit = ReturnType<typeof createRateLimit>

/** A fixed window per key, counted in this process: `RateLimit` fields of draft-ietf-httpapi-ratelimit-headers-10. */
export function createRateLimit(
  name: string,
  { requests_max, window_s, now }: { requests_max: number; window_s: number; now: () => number },
) {
  const windows = new Map<string, { until_ms: number; used: number }>()
  const policy = `"${name}";q=${requests_max};w=${window_s}`

  const openWindow = (key: string) => {
    const known = windows.get(key)
    return known && known.until_ms > now() ? known : undefined
  }
  const begin = (key: string) => {
    windows.delete(key)
    const [oldest] = windows.keys()
    if (windows.size >= counted_max && oldest !== undefined) windows.delete(oldest)
    const window = { until_ms: now() + window_s * 1_000, used: 0 }
    windows.set(key, window)
    return window
  }
  const headersOf = ({ until_ms, used }: { until_ms: number; used: number }) => {
    const rest_s = Math.max(1, Math.ceil((until_ms - now()) / 1_000))
    const left = Math.max(0, requests_max - used)
    return { 'RateLimit-Policy': policy, RateLimit: `"${name}";r=${left};t=${rest_s}`, 'Retry-After': String(rest_s) }
  }
  const refuseBeyond = (window: { until_ms: number; used: number }, limit: number) => {
    if (window.used > limit) throw rateLimited(undefined, { headers: headersOf(window) })
  }
  return {
    /** Counts one request and answers the headers for it; throws `rate_limited` when none is left. */
    take(key: string): Record<string, string> {
      const window = openWindow(key) ?? begin(key)
      window.used += 1
      refuseBeyond(window, requests_max)
      const { 'Retry-After': _, ...headers } = headersOf(window)
      return headers
    },
    /** Throws when nothing is left, without counting. */
    check(key: string): void {
      const window = openWindow(key)
      if (window) refuseBeyond(window, requests_max - 1)
    },
    isSpent: (key: string): boolean => (openWindow(key)?.used ?? 0) >= requests_max,
  }
}
