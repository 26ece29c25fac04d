import { Resolver } from 'node:dns/promises'

/** The addresses of a name, IPv4 first; shared and kept, so nobody may change it. */
export interface DnsAnswer {
  readonly addresses: readonly string[]
  /** On the clock of `performance.now()`. */
  readonly expires_at_ms: number
}

/** Why a name has no addresses; `code` is that of node:dns (ENOTFOUND, ENODATA, ESERVFAIL, ETIMEOUT), `detail` names it. */
export interface DnsFailure {
  readonly code: string
  readonly detail: string
}

export type NameResolver = ReturnType<typeof createResolver>

export interface ResolverOptions {
  /** Name servers as `address` or `address:port`; without them those of the system. */
  name_servers?: readonly string[]
  query_timeout_ms?: number
  answer_kept_ms_max?: number
  names_max?: number
}

// U9: 5 s for a query, answers kept at most 5 s.
const QUERY_TIMEOUT_MS = 5_000
const ANSWER_KEPT_MS_MAX = 5_000
const NAMES_MAX = 1_000
// One of the two families is often broken alone; an attempt does not wait for it when the other has addresses.
const OTHER_FAMILY_WAIT_MS = 300

/**
 * Resolves names by c-ares (RFC 1035 queries over sockets of the event loop): neither the thread pool nor the hosts file
 * is used, so one hanging name server blocks nothing else. `localhost` and names below it are loopback by definition
 * and never asked for (RFC 6761 section 6.3).
 */
export function createResolver(options: ResolverOptions = {}) {
  const { query_timeout_ms = QUERY_TIMEOUT_MS, names_max = NAMES_MAX } = options
  const kept_ms_max = Math.min(options.answer_kept_ms_max ?? ANSWER_KEPT_MS_MAX, ANSWER_KEPT_MS_MAX)
  const answers = new Map<string, DnsAnswer>()
  const asked = new Map<string, { cares: Resolver; answer: Promise<DnsAnswer | DnsFailure> }>()

  /** An answer that is still fresh, without asking. */
  function peek(name: string): DnsAnswer | null {
    if (isLocalhost(name)) return LOCALHOST
    const answer = answers.get(name)
    return answer && answer.expires_at_ms > performance.now() ? answer : null
  }

  async function ask(name: string, cares: Resolver): Promise<DnsAnswer | DnsFailure> {
    const outcome = await queryBothFamilies(cares, name, query_timeout_ms)
    asked.delete(name)
    if ('code' in outcome) return outcome
    const { addresses, ttl_s } = outcome
    const answer = { addresses, expires_at_ms: performance.now() + Math.min(ttl_s * 1000, kept_ms_max) }
    answers.delete(name)
    const [oldest] = answers.keys()
    if (answers.size >= names_max && oldest !== undefined) answers.delete(oldest)
    answers.set(name, answer)
    return answer
  }

  return {
    peek,
    /** Asks unless a fresh answer is at hand; ends within the query timeout and never rejects. */
    async resolve(name: string): Promise<DnsAnswer | DnsFailure> {
      const known = peek(name) ?? asked.get(name)?.answer
      if (known) return known
      // One for each name: it can be cancelled alone, and notices when the name servers of the system have changed.
      const cares = new Resolver({ timeout: Math.ceil(query_timeout_ms / 2), tries: 2 })
      if (options.name_servers) cares.setServers(options.name_servers)
      const answer = ask(name, cares)
      asked.set(name, { cares, answer })
      return answer
    },
    close() {
      for (const { cares } of asked.values()) cares.cancel()
    },
  }
}

const LOCALHOST: DnsAnswer = { addresses: ['127.0.0.1', '::1'], expires_at_ms: Number.POSITIVE_INFINITY }
const isLocalhost = (name: string) => name === 'localhost' || name.endsWith('.localhost')

/** Asks for A and AAAA records at once; the first family with addresses gives the other a moment, not the whole time. */
async function queryBothFamilies(
  cares: Resolver,
  name: string,
  timeout_ms: number,
): Promise<{ addresses: string[]; ttl_s: number } | DnsFailure> {
  const cancelIn = (wait_ms: number) => setTimeout(() => cares.cancel(), wait_ms)
  const timers = [cancelIn(timeout_ms)]
  const queries = [cares.resolve4(name, { ttl: true }), cares.resolve6(name, { ttl: true })].map(async (query) => {
    const records = await query
    timers.push(cancelIn(OTHER_FAMILY_WAIT_MS))
    return records
  })
  const outcomes = await Promise.allSettled(queries)
  for (const timer of timers) clearTimeout(timer)
  const records = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []))
  if (records.length > 0)
    return { addresses: records.map(({ address }) => address), ttl_s: Math.min(...records.map(({ ttl }) => ttl)) }
  // node:dns rejects with an Error that carries a code.
  const failures = outcomes.flatMap((outcome): NodeJS.ErrnoException[] =>
    outcome.status === 'rejected' ? [outcome.reason] : [],
  )
  // "No such record" from one family says less than a failure of the other.
  const failure = failures.find(({ code }) => code !== 'ENODATA') ?? failures[0]
  if (failure?.code === 'ECANCELLED')
    return { code: 'ETIMEOUT', detail: `ETIMEOUT: no answer for ${name} within ${timeout_ms} ms` }
  return { code: failure?.code ?? 'ENODATA', detail: failure?.message ?? `ENODATA: ${name} has no addresses` }
}
