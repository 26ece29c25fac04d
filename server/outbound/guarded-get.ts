import { type EgressSettings, egressPolicy } from './address-rules.ts'
import type { AttemptResult, ErrorClass } from './attempt.ts'
import { createResolver, type NameResolver } from './resolver.ts'
import { createSender } from './sender.ts'

type Reach = 'some' | 'none' | 'untried'

/**
 * Result of a GET: an answer of whatever status, or why there is none; `is_away` when that may pass, because it is no
 * refusal of ours and no answer; `reach` is `none` when no address could be connected to, `untried` when none was tried.
 * Texts are for our log, not for callers.
 */
export type Fetched =
  | { status: number; headers: Record<string, string | string[]>; body: Buffer; is_whole: boolean }
  | { failure: string; is_away: boolean; reach: Reach }

export interface GuardedGet {
  /** Reads what stands at an address, by every rule that deliveries follow; redirects are not followed. Never rejects. */
  get(url: string, accept: string, deadline_ms: number): Promise<Fetched>
  close(): void
}

/** Error classes that say something of the address itself. */
const refusals: readonly ErrorClass[] = ['blocked_address', 'protocol', 'head_too_large', 'redirect']

function reachOf({ error_class, error_phase }: Pick<AttemptResult, 'error_class' | 'error_phase'>): Reach {
  if (error_class === 'blocked_address' || error_class === 'shutdown' || error_class === 'internal') return 'untried'
  return error_phase === 'dns' || error_phase === 'connect' ? 'none' : 'some'
}

/** Other rooms' way out of the service. It has connections of its own, so that deliveries and it do not share limits. */
export function createGuardedGet(settings: EgressSettings, options: { resolver?: NameResolver } = {}): GuardedGet {
  const resolver = options.resolver ?? createResolver()
  const sender = createSender(egressPolicy(settings), { resolver, connections_idle_max: 16 })
  return {
    async get(url, accept, deadline_ms) {
      const headers = { accept, 'user-agent': 'Stint' }
      const result = await sender.send({ url, method: 'GET', headers, body: Buffer.alloc(0), deadline_ms })
      if (result.response_status === null) {
        const failure = `${result.error_class}: ${result.error_detail}`
        const is_away = !refusals.some((refusal) => refusal === result.error_class)
        return { failure, is_away, reach: reachOf(result) }
      }
      return {
        status: result.response_status,
        headers: result.response_headers ?? {},
        body: result.response_body ?? Buffer.alloc(0),
        is_whole: result.response_cut === null,
      }
    },
    close() {
      sender.close()
      resolver.close()
    },
  }
}
