import type { AttemptResult } from '#outbound/attempt.ts'

const window_ms = 60_000
const hosts_min = 20
const failed_share = 0.9
/** Attempts kept; beyond, the oldest are forgotten. */
const kept_max = 10_000

/** Failures that never came to a word of HTTP. */
const below_http = new Set(['dns', 'connect_refused', 'connect_unreachable', 'connect_reset', 'tls_handshake'])

type Ended = Pick<AttemptResult, 'outcome' | 'error_phase'> & { error_class: string | null }

/** True when the network here is at fault rather than many receivers at once. It informs only and changes no rule. */
export function createEgressWatch(monotonic_ms: () => number = () => performance.now()) {
  const seen: { at_ms: number; host: string; failed: boolean }[] = []
  return {
    note(url: string, { outcome, error_class, error_phase }: Ended): void {
      if (outcome === 'unknown' || error_class === 'blocked_address') return
      const isCut = error_class === 'timeout' && (error_phase === 'connect' || error_phase === 'tls')
      const failed = isCut || (error_class !== null && below_http.has(error_class))
      if (seen.length >= kept_max) seen.splice(0, seen.length / 2)
      seen.push({ at_ms: monotonic_ms(), host: URL.parse(url)?.host ?? '', failed })
    },
    isSuspect(): boolean {
      const since_ms = monotonic_ms() - window_ms
      const recent = seen.filter(({ at_ms }) => at_ms >= since_ms)
      const failed = recent.filter((reach) => reach.failed)
      const hosts = new Set(failed.map(({ host }) => host)).size
      return hosts >= hosts_min && failed.length > failed_share * recent.length
    },
  }
}
