import { isIP } from 'node:net'
import tls from 'node:tls'
import { destinationOf, type EgressPolicy, judgeAddress } from './address-rules.ts'
import { Attempt, type AttemptResult, describe, Failure, inMicroseconds } from './attempt.ts'
import { call } from './call.ts'
import { type Connection, ConnectionPool, type Endpoint, openConnection, type PoolLimits } from './connection.ts'
import { createResolver, type NameResolver } from './resolver.ts'
import { checkUrl } from './url-rules.ts'

export interface SendRequest {
  url: string
  /** POST unless told. */
  method?: 'POST' | 'GET'
  /** Without host, content-length and connection, which follow from the url and the body. */
  headers: Record<string, string>
  body: Buffer
  /** From before DNS to the end of the body; 30 s unless told, never more (C 6.2). */
  deadline_ms?: number
}

export type Sender = ReturnType<typeof createSender>

export interface SenderOptions extends Partial<PoolLimits> {
  /** Shared with the checks at POST and PATCH; whoever made it closes it. */
  resolver?: NameResolver
  /** The longest that an idle connection is kept; a receiver's shorter Keep-Alive hint wins. */
  connection_idle_ms_max?: number
  /** Milliseconds that an address is waited for while another one is left (U8). */
  address_timeout_ms?: number
  /** Aborting it ends running attempts, and all later ones, as `shutdown`. */
  signal?: AbortSignal
}

/** U11, C 6.2. */
export const DEADLINE_MS = 30_000
/** U8. */
export const ADDRESS_TIMEOUT_MS = 10_000
// Each may cost the address timeout, so no attempt could ever try more.
const ENDPOINTS_MAX = 16

/** The only way out of the service to a receiver: every rule of section 7 holds for what goes through here. */
export function createSender(policy: EgressPolicy, options: SenderOptions = {}) {
  const route = routeOf(policy, options)
  const running = new Set<Attempt>()
  let closed = options.signal?.aborted ?? false
  function shutDown() {
    closed = true
    for (const attempt of running) attempt.stop('shutdown')
  }
  options.signal?.addEventListener('abort', shutDown, { once: true })

  return {
    /** Makes one attempt. Never rejects: what a receiver does is a result, and so is a fault of our own (`internal`). */
    async send(request: SendRequest): Promise<AttemptResult> {
      const attempt = new Attempt(Math.min(request.deadline_ms ?? DEADLINE_MS, DEADLINE_MS))
      running.add(attempt)
      if (closed) attempt.stop('shutdown')
      try {
        return attempt.end(await attemptOnce(attempt, request, route))
      } catch (error) {
        // A fault of this code or of a library: not the receiver's, so the attempt is repeated and not counted.
        const cause = error instanceof Error ? error : new Error(`${error}`)
        return attempt.end(new Failure('internal', null, describe(cause)))
      } finally {
        running.delete(attempt)
      }
    },
    /** Ends running attempts as `shutdown`, closes every connection. */
    close() {
      options.signal?.removeEventListener('abort', shutDown)
      shutDown()
      route.pool.destroy()
    },
    get connections(): { open: number; idle: number } {
      return route.pool.counts
    },
  }
}

type Route = ReturnType<typeof routeOf>

function routeOf(policy: EgressPolicy, options: SenderOptions) {
  const { resolver = createResolver(), address_timeout_ms = ADDRESS_TIMEOUT_MS, connection_idle_ms_max } = options
  const pool = new ConnectionPool({ connections_idle_max: 512, connection_age_ms_max: 300_000, ...options })
  const roots = policy.extra_ca === null ? {} : { ca: [...tls.getCACertificates('default'), policy.extra_ca] }
  // One context for all connections: making it for each would add half to the CPU time of a handshake.
  const secure_context = tls.createSecureContext({ ...roots, minVersion: 'TLSv1.2' })
  return { policy, resolver, address_timeout_ms, pool, secure_context, idle_ms: connection_idle_ms_max ?? 15_000 }
}

async function attemptOnce(attempt: Attempt, request: SendRequest, route: Route): Promise<Failure | null> {
  const url = checkUrl(request.url, route.policy)
  // Settings can become stricter after a subscription was made; then nothing is contacted either.
  if ('code' in url) return new Failure('blocked_address', 'connect', `${url.code}: ${url.detail}`)
  const destination = destinationOf(url)
  const path = url.pathname + url.search
  const addresses = await resolve(attempt, destination.host, route.resolver)
  if (addresses instanceof Failure) return addresses
  const judgements = addresses.map((address) => judgeAddress(address, destination, route.policy))
  const endpoints = addresses
    .filter((_, index) => judgements[index] === 'allowed')
    .slice(0, ENDPOINTS_MAX)
    .map((address): Endpoint => ({ destination, origin: url.origin, address, key: `${url.origin} ${address}` }))
  // As when a subscription is written: a name that also leads to us is refused whole.
  if (endpoints.length === 0 || judgements.includes('url_own_host'))
    return new Failure('blocked_address', 'connect', 'no address of the host may be contacted')

  const pooled = attempt.stopped ? null : route.pool.take(endpoints)
  if (pooled) {
    const contact = attempt.contact(pooled.endpoint.address, true)
    contact.tls_version = pooled.tls_version
    const failure = await sendOver(pooled)
    // Only a connection that had been idle can have been closed by the receiver before it saw this request.
    if (!isStale(attempt, failure)) return failure
    attempt.contacted(contact, failure)
  }
  const opened = await openFirst(attempt, endpoints, route)
  return opened instanceof Failure ? opened : sendOver(opened)

  async function sendOver(connection: Connection): Promise<Failure | null> {
    const { method = 'POST', headers, body } = request
    const message = { method, path, headers, body }
    const failure = attempt.stopped ? attempt.stopFailure('request') : await call(attempt, connection, message)
    route.pool.give(connection)
    return failure
  }
}

async function resolve(attempt: Attempt, host: string, resolver: NameResolver): Promise<readonly string[] | Failure> {
  // An address in place of a name never reaches a resolver.
  const known = isIP(host) === 0 ? resolver.peek(host)?.addresses : [host]
  if (known) return known
  const started_at_ms = performance.now()
  const stopped = Promise.withResolvers<null>()
  attempt.on_stop = () => stopped.resolve(null)
  if (attempt.stopped) return attempt.stopFailure('dns')
  const answer = await Promise.race([resolver.resolve(host), stopped.promise])
  attempt.on_stop = null
  attempt.seen.dns_ms = inMicroseconds(performance.now() - started_at_ms)
  if (!answer) return attempt.stopFailure('dns')
  return 'code' in answer ? new Failure('dns', 'dns', answer.detail) : answer.addresses
}

/** Tries the endpoints in turn (U8): each gets the address timeout, the last one whatever time remains. */
async function openFirst(
  attempt: Attempt,
  endpoints: readonly Endpoint[],
  route: Route,
): Promise<Connection | Failure> {
  let failure = new Failure('internal', 'connect', 'no endpoint to connect to')
  for (const [index, endpoint] of endpoints.entries()) {
    if (attempt.stopped) return attempt.stopFailure('connect')
    const timeout_ms = index < endpoints.length - 1 ? route.address_timeout_ms : DEADLINE_MS
    const outcome = await openConnection(attempt, endpoint, timeout_ms, route)
    if (!(outcome instanceof Failure)) {
      route.pool.add(outcome)
      return outcome
    }
    failure = outcome
    // Another address of a receiver that refused our handshake or showed a wrong certificate would be a downgrade.
    if (attempt.stopped || failure.error_class.startsWith('tls_')) break
  }
  return failure
}

function isStale(attempt: Attempt, failure: Failure | null): boolean {
  const gone = failure?.error_class === 'closed' || failure?.error_class === 'connect_reset'
  return gone && attempt.seen.first_byte_ms === null && !attempt.stopped
}
