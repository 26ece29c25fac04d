import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { constants, Http2ServerRequest } from 'node:http2'
import { isSpanContextValid } from '@opentelemetry/api'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Caller } from '#core/caller.ts'
import {
  expectationFailed,
  headersTooLarge,
  hostForbidden,
  malformedRequest,
  notFound,
  Problem,
  unsupportedMediaType,
  validationFailed,
} from '#core/problems.ts'
import type { RateLimit } from '#core/rate-limit.ts'
import { isAddressedTo, ownHostNames, pathOfTarget } from '#core/request-target.ts'
import { errors_max, escapePointer } from '#core/schema/validate.ts'
import { networkOf } from './https/address.ts'
import { listener_limits } from './https/limits.ts'

/** The bytes that a field takes beside its name and value (RFC 7541 §4.1). */
const field_overhead_bytes = 32

/**
 * The fault of the head of a request that the parsers let pass, or null. One bound for both protocols: HTTP/2 has none
 * of its own before the client has confirmed our settings, and what it refuses itself it only resets.
 */
export function faultOfHead(request: IncomingMessage): Problem | null {
  const { rawHeaders = [], headers, httpVersion, httpVersionMajor, url = '' } = request
  if (rawHeaders.length / 2 > listener_limits.header_fields_max) return headersTooLarge()
  const overhead = httpVersionMajor === 2 ? field_overhead_bytes / 2 : 0
  const bytes = rawHeaders.reduce((sum, text) => sum + text.length + overhead, 0)
  if (bytes > listener_limits.header_bytes_max) return headersTooLarge()
  const hosts = rawHeaders.filter((_, at) => at % 2 === 1 && host_fields.has(rawHeaders[at - 1]?.toLowerCase() ?? ''))
  // RFC 9112 §3.2; RFC 9113 §8.3.1 allows HTTP/2 both fields when they say the same.
  if (httpVersionMajor === 2 ? new Set(hosts).size > 1 : hosts.length > 1) {
    return malformedRequest('The request names its host more than once.')
  }
  if (httpVersion === '1.1' && hosts.length === 0) return malformedRequest('The request names no host.')
  if (!hosts.every((host) => host_form.test(host))) {
    return malformedRequest('The host of the request is none: send its name, and its port where there is one.')
  }
  if (rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'authorization').length > 1) {
    return malformedRequest('The request has more than one credential.')
  }
  // RFC 9112 §3.2.2: the host of such a target counts, and a proxy may have looked at the other one.
  const named = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i.exec(url)?.[1]
  if (named !== undefined && named.toLowerCase() !== hosts[0]?.toLowerCase()) {
    return malformedRequest('The address of the request names another host than the request.')
  }
  const { expect } = headers
  return expect === undefined || expect.toLowerCase() === '100-continue' ? null : expectationFailed()
}

const host_fields = new Set(['host', ':authority'])

/** RFC 9110 §7.2: a name or an address with an optional port; for `https` it is not empty (§4.2.2). */
const host_form = /^(?:\[[\da-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})+)(?::\d*)?$/i

/** RFC 9110 §8.4 and §12.5.3: the answer says what would be taken. */
export function refusalOfCoding(coding: string | undefined) {
  if (coding === undefined || /^\s*(identity)?\s*$/i.test(coding)) return null
  const headers = { 'Accept-Encoding': 'identity' }
  return unsupportedMediaType('Send the body as it is, without Content-Encoding.', { headers })
}

/** Percent-encoded UTF-8 (RFC 3986 §2.1). What is broken in the path the router refuses by itself. */
export function refusalOfTarget(target = '') {
  if (/[^!-~]/.test(target)) return validationFailed('The address has characters that must be percent-encoded.')
  const start = target.indexOf('?')
  const pairs = start < 0 ? [] : target.slice(start + 1).split('&')
  const broken = pairs.filter((pair) => !isDecodable(pair)).map((pair) => pair.split('=')[0] ?? '')
  return refusalOfFields(broken, 'is not percent-encoded UTF-8')
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** Says the same of each field; null where there are none. */
export function refusalOfFields(names: readonly [string, ...string[]], message: string): Problem
export function refusalOfFields(names: readonly string[], message: string): Problem | null
export function refusalOfFields(names: readonly string[], message: string): Problem | null {
  if (names.length === 0) return null
  const errors = names.slice(0, errors_max).map((name) => ({ pointer: `/${escapePointer(name)}`, message }))
  return validationFailed(undefined, { errors })
}

export interface Admission {
  /** Turns what a request presents into its caller, or throws `unauthenticated`. */
  authenticate(request: Pick<FastifyRequest, 'headers' | 'client_address'>): Promise<Caller>
  /** Requests of a credential with all that it made; refused credentials of the network they come from. */
  limits: { requests: RateLimit; failures: RateLimit }
}

/**
 * Identifies the caller and counts the request; answers the headers that tell of the limit. Refused credentials are counted
 * by network, after they were looked up: beyond the limit they are answered 429, while a good one behind the same address
 * is served.
 */
export async function admitCaller({ authenticate, limits }: Admission, request: FastifyRequest) {
  const { headers, client_address } = request
  try {
    const caller = await authenticate(request)
    request.caller = caller
    return { caller, limit_headers: limits.requests.take(countedAs(caller)) }
  } catch (error) {
    // A database that is away says nothing about the credential, and must not be held against its sender.
    const isRefusal = error instanceof Problem && error.definition.status === 401 && headers.authorization !== undefined
    if (isRefusal) limits.failures.take(networkOf(client_address))
    throw error
  }
}

/** A credential counts together with those that it made: otherwise it would make itself fresh limits as it likes. */
export const countedAs = ({ root_id, credential_id }: Caller): string => root_id ?? credential_id

/** The key that a caller chose against repeats, from the header or the argument of this name. */
export function idempotencyKeyOf(value: unknown, name: string): string | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'string' && /^[\x20-\x7e]{1,255}$/.test(value)) return value
  throw refusalOfHeader(name, 'must be 1 to 255 printable ASCII characters')
}

/** Reads whether a change is only to be rehearsed, and the digest of what it may do. */
export function dryRunOf({ 'stint-dry-run': dry_run = 'false', 'stint-confirm': confirm }: IncomingHttpHeaders) {
  // Anything else is refused: it must not be taken for a real call.
  if (dry_run !== 'true' && dry_run !== 'false') throw refusalOfHeader('Stint-Dry-Run', 'must be true or false')
  return { dry_run: dry_run === 'true', confirm: confirmOf(confirm, 'Stint-Confirm') }
}

/** The digest of a dry run, from the header or the argument of this name. */
export function confirmOf(value: unknown, name: string): string | undefined {
  if (value === undefined || (typeof value === 'string' && /^[\w-]{43}$/.test(value))) return value
  throw refusalOfHeader(name, 'must be the digest of a dry run')
}

function refusalOfHeader(name: string, message: string): Problem {
  return validationFailed(`${name} ${message}.`, { errors: [{ pointer: `/${name}`, message }] })
}

/**
 * The most that the data of an answer may be behind. RFC 9111 §5.2.1 has the words for it: `no-cache` asks for what is there
 * now, `max-age` for what was there at most so many seconds ago. One that cannot be read asks for what is there now.
 */
export function ageAcceptedOf({ 'cache-control': header = '' }: IncomingHttpHeaders): number {
  const directives = header.toLowerCase().split(',')
  const ages_ms = directives.map((directive) => {
    const [name, value = ''] = directive.trim().split('=')
    if (name === 'no-cache') return 0
    if (name !== 'max-age') return Number.POSITIVE_INFINITY
    return 1_000 * Number(/^"?(\d{1,9})"?$/.exec(value)?.[1] ?? 0)
  })
  return Math.min(...ages_ms)
}

/** The trace of the events that a request causes: that of its span, where traces are kept, else that of its `traceparent`. */
export function traceIdOf({ headers, span }: Pick<FastifyRequest, 'headers' | 'span'>): string | null {
  const kept = span?.spanContext()
  return kept && isSpanContextValid(kept) ? kept.traceId : traceIdIn(headers.traceparent)
}

/** The trace id of a W3C `traceparent`. */
function traceIdIn(header: string | string[] | undefined): string | null {
  return /^[\da-f]{2}-(?!0{32})([\da-f]{32})-[\da-f]{16}-[\da-f]{2}/.exec(String(header))?.[1] ?? null
}

/** True when the body of a request is still to come. */
export function isArriving(request: IncomingMessage): boolean {
  if (request instanceof Http2ServerRequest) {
    return request.stream.state.state === constants.NGHTTP2_STREAM_STATE_OPEN
  }
  const { 'transfer-encoding': coding, 'content-length': length = 0 } = request.headers
  // Requests of tests that call in process arrive as a whole, and do not say so.
  return request.complete === false && (coding !== undefined || Number(length) > 0)
}

/** True when a browser asks for something to show, not a program: a page's scripts send an `Accept` of their own. */
export function prefersPage({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean {
  return (method === 'GET' || method === 'HEAD') && /(^|,)\s*text\/html\s*(;|,|$)/.test(headers.accept ?? '')
}

/** The choices of an `Accept` header with their weights (RFC 9110 §12.4.2), in lower case; 1 where none is given. */
export function weightsOf(header: string | string[] = ''): Map<string, number> {
  const choices = String(header).toLowerCase().split(',')
  return new Map(
    choices.map((part) => {
      const [choice = '', ...parameters] = part.split(';').map((piece) => piece.trim())
      const weight = Number(parameters.find((one) => one.startsWith('q='))?.slice(2) ?? 1)
      return [choice, Number.isNaN(weight) ? 0 : weight]
    }),
  )
}

/** Paths that exist at the authorization server, or at the REST API and the tool server; others at both. */
const auth_paths = /^\/(oauth|console)(\/|$)|^\/\.well-known\/oauth-authorization-server$/
const api_paths =
  /^\/(rest|mcp|scim|docs)(\/|$)|^\/openapi\.(json|yaml)$|^\/llms\.txt$|^\/\.well-known\/oauth-protected-resource(\/|$)/

/** Paths that a foreign name must not reach, so that no page can rebind its name to us (RFC 9700 §4.13). */
const guarded_paths = /^\/(oauth|console)(\/|$)/

/**
 * Each path answers on its own host only, where the addresses differ; a `Host` that is not ours is refused where it could
 * be an attack. The header is compared and never used to make an address. The tool server has the same rule in its own
 * order of checks.
 */
export function mountHostRule(
  app: FastifyInstance,
  { api_host, auth_url }: { api_host: string; auth_url: string },
  listen_host: string,
): void {
  const own = ownHostNames([api_host, auth_url], listen_host)
  const [api, auth] = [api_host, auth_url].map((origin) => ownHostNames([origin], ''))
  app.addHook('onRequest', async (request) => {
    // The route, however its path was spelled; the path itself where nothing stands.
    const path = request.routeOptions.url ?? pathOfTarget(request.raw.url)
    if (guarded_paths.test(path) && !isAddressedTo(own, request.host)) throw hostForbidden()
    if (api_host === auth_url || !api || !auth) return
    const other = auth_paths.test(path) ? api : api_paths.test(path) && auth
    if (other && isAddressedTo(other, request.host)) throw notFound('There is nothing at this path.')
  })
}
