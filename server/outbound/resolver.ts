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

export interface NameResolver {
  /** An answer that is still fresh, without asking. */
  peek(name: string): DnsAnswer | null
  /** Asks unless a fresh answer is at hand; ends within the query timeout and never rejects. */
  resolve(name: string): Promise<DnsAnswer | DnsFailure>
  close(): void
}

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
// c-ares reads the system's name servers when it is created; a fresh one notices a changed resolv.conf.
const SYSTEM_SERVERS_KEPT_MS = 60_000

/**
 * Resolves names by c-ares (RFC 1035 queries over sockets of the event loop): neither the thread pool nor the hosts file
 * is used, so one hanging name server blocks nothing else. `localhost` and names below it are loopback by definition
 * and never asked for (RFC 6761 section 6.3).
 */
export function createResolver(options: ResolverOptions = {}): NameResolver {
  const query_timeout_ms = options.query_timeout_ms ?? QUERY_TIMEOUT_MS
  const kept_ms_max = Math.min(options.answer_kept_ms_max ?? ANSWER_KEPT_MS_MAX, ANSWER_KEPT_MS_MAX)
  const names_max = options.names_max ?? NAMES_MAX
  const answers = new Map<string, DnsAnswer>()
  const asked = new Map<string, Promise<DnsAnswer | DnsFailure>>()
  const cares = caresFactory(query_timeout_ms, options.name_servers)

  function peek(name: string): DnsAnswer | null {
    if (isLocalhost(name)) return LOCALHOST
    const answer = answers.get(name)
    return answer && answer.expires_at_ms > performance.now() ? answer : null
  }

  function keep(name: string, answer: DnsAnswer) {
    answers.delete(name)
    const oldest = answers.size >= names_max ? answers.keys().next().value : undefined
    if (oldest !== undefined) answers.delete(oldest)
    answers.set(name, answer)
  }

  async function ask(name: string): Promise<DnsAnswer | DnsFailure> {
    const outcome = await queryBothFamilies(cares.current(), name, query_timeout_ms)
    asked.delete(name)
    if ('code' in outcome) return outcome
    const kept_ms = Math.min(outcome.ttl_s * 1000, kept_ms_max)
    const answer = { addresses: outcome.addresses, expires_at_ms: performance.now() + kept_ms }
    if (kept_ms > 0) keep(name, answer)
    return answer
  }

  return {
    peek,
    resolve(name) {
      const known = peek(name)
      if (known) return Promise.resolve(known)
      const running = asked.get(name) ?? ask(name)
      asked.set(name, running)
      return running
    },
    close: () => cares.close(),
  }
}

const LOCALHOST: DnsAnswer = { addresses: ['127.0.0.1', '::1'], expires_at_ms: Number.POSITIVE_INFINITY }
const isLocalhost = (name: string) => name === 'localhost' || name.endsWith('.localhost')

function caresFactory(query_timeout_ms: number, name_servers: readonly string[] | undefined) {
  const create = () => {
    const resolver = new Resolver({ timeout: Math.ceil(query_timeout_ms / 2), tries: 2 })
    if (name_servers) resolver.setServers(name_servers)
    return resolver
  }
  let resolver = create()
  let created_at_ms = performance.now()
  return {
    current(): Resolver {
      if (!name_servers && performance.now() - created_at_ms > SYSTEM_SERVERS_KEPT_MS) {
        resolver = create()
        created_at_ms = performance.now()
      }
      return resolver
    },
    close: () => resolver.cancel(),
  }
}

interface Found {
  addresses: string[]
  ttl_s: number
}

/** Asks for A and AAAA records at once; the first family with addresses gives the other a moment, not the whole time. */
async function queryBothFamilies(resolver: Resolver, name: string, timeout_ms: number): Promise<Found | DnsFailure> {
  const limit = deadline(timeout_ms)
  const queries = [resolver.resolve4(name, { ttl: true }), resolver.resolve6(name, { ttl: true })].map(
    async (query) => {
      const outcome = await family(query)
      if ('addresses' in outcome) limit.shorten(OTHER_FAMILY_WAIT_MS)
      return outcome
    },
  )
  const outcomes = await Promise.all(queries.map((query) => Promise.race([query, limit.expired])))
  limit.clear()
  return merge(name, outcomes, timeout_ms)
}

async function family(query: Promise<{ address: string; ttl: number }[]>): Promise<Found | DnsFailure> {
  try {
    const records = await query
    return { addresses: records.map(({ address }) => address), ttl_s: Math.min(...records.map(({ ttl }) => ttl)) }
  } catch (error) {
    // node:dns rejects with an Error that carries a code; anything else still means that the name has no addresses.
    const { code = 'EBADRESP', message } = error as NodeJS.ErrnoException
    return { code, detail: message }
  }
}

function merge(name: string, outcomes: (Found | DnsFailure | 'expired')[], timeout_ms: number): Found | DnsFailure {
  const found = outcomes.filter((outcome) => typeof outcome === 'object' && 'addresses' in outcome)
  if (found.length > 0)
    return {
      addresses: found.flatMap(({ addresses }) => addresses),
      ttl_s: Math.min(...found.map(({ ttl_s }) => ttl_s)),
    }
  // "No such record" from one family says less than a failure of the other.
  const failures = outcomes.filter((outcome) => typeof outcome === 'object' && 'code' in outcome)
  const failure = failures.find(({ code }) => code !== 'ENODATA')
  if (failure) return failure
  if (outcomes.includes('expired'))
    return { code: 'ETIMEOUT', detail: `ETIMEOUT: no answer for ${name} within ${timeout_ms} ms` }
  return failures[0] ?? { code: 'ENODATA', detail: `ENODATA: ${name} has no addresses` }
}

function deadline(timeout_ms: number) {
  const { promise: expired, resolve } = Promise.withResolvers<'expired'>()
  const ends_at_ms = performance.now() + timeout_ms
  let timer = setTimeout(resolve, timeout_ms, 'expired')
  return {
    expired,
    shorten(wait_ms: number) {
      clearTimeout(timer)
      timer = setTimeout(resolve, Math.min(wait_ms, ends_at_ms - performance.now()), 'expired')
    },
    clear: () => clearTimeout(timer),
  }
}
