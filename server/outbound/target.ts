import { isIP } from 'node:net'
import type { Endpoint } from './connection.ts'
import { type Destination, destinationOf, judgeAddress } from './destination.ts'
import { Failure } from './failure.ts'
import type { EgressPolicy } from './policy.ts'
import type { DnsAnswer } from './resolver.ts'
import { checkUrl } from './url-rules.ts'

const TARGETS_MAX = 2_000
// Each may cost the address timeout, so no attempt could ever try more.
const ENDPOINTS_MAX = 16
const LITERALS_EXPIRE = Number.POSITIVE_INFINITY

/** A receiver url that passed the rules, with everything a request needs that does not change between attempts. */
export interface Target {
  readonly destination: Destination
  readonly origin: string
  readonly path: string
  /** Set for an address in place of a name: it never reaches a resolver. */
  readonly literal: DnsAnswer | null
  /** The last DNS answer judged, and what it left. */
  judged: { answer: DnsAnswer; endpoints: readonly Endpoint[] } | null
}

/**
 * Targets by url text, so that a hot receiver is parsed and judged once; the policy never changes during its life.
 * Bounded: the oldest is forgotten first.
 */
export function createTargets(policy: EgressPolicy): (url: string) => Target | Failure {
  const targets = new Map<string, Target>()
  return (url) => {
    const known = targets.get(url)
    if (known) return known
    const target = targetOf(url, policy)
    if (target instanceof Failure) return target
    const oldest = targets.size >= TARGETS_MAX ? targets.keys().next().value : undefined
    if (oldest !== undefined) targets.delete(oldest)
    targets.set(url, target)
    return target
  }
}

function targetOf(raw: string, policy: EgressPolicy): Target | Failure {
  const url = checkUrl(raw, policy)
  // Settings can become stricter after a subscription was made; then nothing is contacted either.
  if ('code' in url) return new Failure('blocked_address', 'connect', `${url.code}: ${url.detail}`)
  const destination = destinationOf(url)
  const literal =
    isIP(destination.host) === 0 ? null : { addresses: [destination.host], expires_at_ms: LITERALS_EXPIRE }
  return { destination, origin: url.origin, path: url.pathname + url.search, literal, judged: null }
}

/** The endpoints of an answer that may be contacted now (U6, U8), in the order of the answer. */
export function permittedEndpoints(target: Target, answer: DnsAnswer, policy: EgressPolicy): readonly Endpoint[] {
  if (target.judged?.answer === answer) return target.judged.endpoints
  const { destination, origin } = target
  const endpoints = answer.addresses
    .filter((address) => judgeAddress(address, destination, policy) === 'allowed')
    .slice(0, ENDPOINTS_MAX)
    .map((address) => ({ destination, origin, address, key: `${origin} ${address}` }))
  target.judged = { answer, endpoints }
  return endpoints
}
