import { isIP } from 'node:net'
import { destinationOf, judgeAddress } from './destination.ts'
import type { EgressPolicy } from './policy.ts'
import type { NameResolver } from './resolver.ts'
import type { UrlRefusal } from './url-rules.ts'

/** U8: how long a POST or PATCH waits for the addresses of a name. */
export const HOST_CHECK_MS = 3_000

/**
 * Judges, when a subscription is written, the addresses to which the name of a checked url resolves now. A name that
 * does not resolve in time is `unresolved`, which is a warning; every attempt judges the addresses again.
 */
export async function checkHost(
  url: URL,
  policy: EgressPolicy,
  resolver: NameResolver,
  timeout_ms: number = HOST_CHECK_MS,
): Promise<'permitted' | 'unresolved' | UrlRefusal> {
  const destination = destinationOf(url)
  // checkUrl has judged it already.
  if (isIP(destination.host) !== 0) return 'permitted'
  const expired = Promise.withResolvers<null>()
  const timer = setTimeout(expired.resolve, timeout_ms, null)
  const answer = await Promise.race([resolver.resolve(destination.host), expired.promise])
  clearTimeout(timer)
  if (!answer || 'code' in answer) return 'unresolved'
  const judgements = answer.addresses.map((address) => judgeAddress(address, destination, policy))
  if (judgements.includes('allowed')) return 'permitted'
  if (judgements.includes('url_own_host'))
    return { code: 'url_own_host', detail: 'the url leads to this service itself' }
  return { code: 'url_address_forbidden', detail: 'no address of the host is a public one' }
}
