import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerFactory,
} from 'fastify'
import type { Logger } from 'pino'
import { Counter, Histogram } from 'prom-client'
import { isUtf8, readJson } from '#core/json.ts'
import { metrics } from '#core/metrics.ts'
import {
  malformedJson,
  malformedRequest,
  methodNotAllowed,
  notFound,
  type Problem,
  refusalOf,
  unsupportedMediaType,
  validationFailed,
} from '#core/problems.ts'
import { pathOfTarget } from '#core/request-target.ts'
import { errors_max, escapePointer } from '#core/schema/validate.ts'
import { newId } from '#core/values.ts'
import { METHODS } from './http1.ts'
import { peerAddress } from './https/address.ts'
import { closeUnlessRead, createParserErrors, faultOfHead } from './https/request-faults.ts'
import { html, prefersPage, sendPage } from './reference/html-page.ts'
import { type RestAddresses, sendProblem } from './send-problem.ts'

export interface HttpServerOptions {
  addresses: RestAddresses
  hsts_max_age_s: number
  now: () => number
  /** Takes a line for each request, and for each connection whose bytes are none. */
  log?: Logger
  /** Makes the listening server; tests that call in process leave it out. */
  serverFactory?: FastifyServerFactory
  /** Finds the address that a request comes from, when that is not the peer itself (trusted proxies). */
  clientAddress?: (request: IncomingMessage) => string
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Address of the client, behind trusted proxies the one they saw. */
    client_address: string
  }
}

const request_id_header = 'request-id'
const methods: ReadonlySet<string> = new Set(METHODS)

/** The HTTP application without its routes: ids, security headers, bodies and the shape of every error. */
export function createHttpServer({
  addresses,
  hsts_max_age_s,
  now,
  log,
  serverFactory,
  clientAddress,
}: HttpServerOptions): FastifyInstance {
  const transport_security = `max-age=${hsts_max_age_s}`
  const headers = {
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
  }
  const begin = (request: FastifyRequest, reply: FastifyReply) => {
    request.client_address = clientAddress?.(request.raw) ?? request.ip
    reply.headers(headers).header('Request-Id', request.id)
    if (!isLocal(request.host)) reply.header('Strict-Transport-Security', transport_security)
    parserErrors.begin(request.raw.socket, reply.raw)
  }
  const render = (problem: Problem, socket: Socket) => {
    const request_id = newId(now())
    const { status, body } = refusalOf(addresses, problem, request_id)
    const address = peerAddress(socket.remoteAddress)
    log?.info({ request_id, operation: 'none', status, address, problem: problem.definition.code }, 'request')
    const own = { 'Content-Type': 'application/problem+json', 'Request-Id': request_id }
    return { status, headers: { ...headers, ...own }, body: JSON.stringify(body) }
  }
  const parserErrors = createParserErrors(render)
  const refuseMethod = async (request: IncomingMessage, response: ServerResponse) => {
    const { status, headers, body } = render(malformedRequest('The method is none of HTTP.'), request.socket)
    await closeUnlessRead(request, response)
    response.writeHead(status, headers).end(body)
  }
  const app = Fastify({
    bodyLimit: body_bytes_max,
    // The longest is the address of a client's document, 2,048 characters with each of them encoded.
    routerOptions: { maxParamLength: 6_144, caseSensitive: true, ignoreTrailingSlash: false },
    genReqId: ({ headers }) => requestIdOf(headers[request_id_header]) ?? newId(now()),
    requestIdHeader: false,
    // Paths that the router itself refuses; no hook runs for them.
    frameworkErrors: (error, request, reply) => {
      begin(request, reply)
      sendProblem(reply, error, addresses)
    },
    clientErrorHandler: parserErrors.answer,
    ...(serverFactory && { serverFactory: refuseUnknownMethods(serverFactory, refuseMethod) }),
  })
  app.decorateRequest('client_address', '')
  app.decorateRequest('caller', undefined)
  app.decorateRequest('operation', undefined)
  app.decorateRequest('problem', undefined)
  readJsonBodies(app)
  app.addHook('onRequest', (request, reply, done) => {
    begin(request, reply)
    done(faultOfHead(request.raw) ?? undefined)
  })
  refuseOtherMethods(app)
  refuseUnreadable(app)
  refuseUnknownPaths(app, addresses)
  // The last step before a body is read: who was refused is not asked to send it.
  app.addHook('preParsing', ({ headers }, reply, payload, done) => {
    if (headers.expect !== undefined) reply.raw.writeContinue()
    done(null, payload)
  })
  app.addHook('onSend', async ({ raw }, reply) => {
    // The framework sets it where a body could not be read; HTTP/2 has no such field (RFC 9113 §8.2.2).
    if (raw.httpVersionMajor > 1) reply.removeHeader('connection')
    await closeUnlessRead(raw, reply.raw)
  })
  app.setErrorHandler((error, _, reply) => sendProblem(reply, error, addresses))
  if (log) logRequests(app, log)
  return app
}

/** The parser of HTTP/1.1 lets known methods through only; others of HTTP/2 would pass the router and every hook by. */
function refuseUnknownMethods(
  serverFactory: FastifyServerFactory,
  refuse: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): FastifyServerFactory {
  return (handler, options) =>
    serverFactory((request, response) => {
      if (methods.has(request.method ?? '')) handler(request, response)
      else refuse(request, response).catch(() => request.destroy()) // its stream is gone already
    }, options)
}

/** Before the body is read: nobody is asked for what nobody takes, nor is it waited for. */
function refuseUnknownPaths(app: FastifyInstance, addresses: RestAddresses): void {
  const refuse = (request: FastifyRequest, reply: FastifyReply) => {
    const problem = notFound('There is nothing at this path.')
    if (!prefersPage(request)) return sendProblem(reply, problem, addresses)
    request.problem = problem
    return sendPage(reply.code(404), 'Nothing is here', nothingHere)
  }
  app.setNotFoundHandler(refuse)
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (request.is404) refuse(request, reply)
    else done(null, payload)
  })
}

const nothingHere = html`<p>This service has nothing at this address. Perhaps you look for one of these:</p>
<ul>
<li><a href="/">The console</a>, where people sign in</li>
<li><a href="/docs">The API reference</a>, with every operation and event</li>
<li><a href="/docs/problems">Problems</a>: what a refusal means</li>
</ul>`

/**
 * A browser would keep the word for every other server on this name, whatever its port: what somebody else develops on
 * `localhost` over plain HTTP would be out of reach for a year. For an address it means nothing (RFC 6797 §8.1.1).
 */
function isLocal(host: string): boolean {
  const name = URL.parse(`https://${host}`)?.hostname ?? ''
  return name === 'localhost' || name.endsWith('.localhost') || /^[\d.]+$|^\[/.test(name)
}

/** An id that the caller chose is kept when it is short and plain, so that both sides find it in their logs. */
function requestIdOf(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && /^[0-9A-Za-z._-]{1,64}$/.test(header) ? header : undefined
}

type Methods = ReadonlySet<string>

/**
 * Answers every other method on a path that the application has with 405, and the allowed ones in `Allow` (RFC 9110
 * §15.5.6). Looked for when it is asked: a route for every other method of every path would take a tenth of each start.
 */
function refuseOtherMethods(app: FastifyInstance): void {
  const methodsOf = new Map<string, Methods>()
  app.addHook('onRoute', ({ url, method }) => {
    // Paths below a wildcard are known to its handler only.
    if (!url.includes('*')) methodsOf.set(url, new Set([...(methodsOf.get(url) ?? []), method].flat()))
  })
  // After the hooks that name the request and check its host, and before its body is read.
  app.addHook('preParsing', ({ is404, method, raw, routeOptions }, _, payload, done) => {
    // A route without parameters was found by its own path.
    if (!is404 && !routeOptions.url?.includes(':')) return done(null, payload)
    const path = pathOfTarget(raw.url)
    // The path itself first: to the router, `/webhooks/events` is also a webhook of that id.
    const known = methodsOf.get(path) ?? (is404 ? methodsFitting(methodsOf, path) : undefined)
    if (!known?.size || known.has(method)) return done(null, payload)
    done(methodNotAllowed(undefined, { headers: { Allow: [...known].sort().join(', ') } }))
  })
}

function methodsFitting(methodsOf: ReadonlyMap<string, Methods>, path: string): Methods {
  return new Set([...methodsOf].flatMap(([template, methods]) => (fits(path, template) ? [...methods] : [])))
}

function fits(path: string, template: string): boolean {
  const parts = path.split('/')
  const names = template.split('/')
  return (
    parts.length === names.length && names.every((name, at) => (name.startsWith(':') ? parts[at] : name === parts[at]))
  )
}

const body_bytes_max = 1_048_576

/** JSON in UTF-8 and nothing else; an empty body is no body, as actions without input send it. */
function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    if (!isUtf8(request.headers['content-type'])) {
      return done(unsupportedMediaType('Send the body in UTF-8, with `Content-Type: application/json`.'))
    }
    if (/^[ \t\r\n]*$/.test((bytes as Buffer).toString('latin1'))) return done(null, undefined)
    const read = readJson(bytes as Buffer)
    if ('fault' in read) return done(malformedJson(read.fault, { cause: read.cause }))
    done(null, read.value)
  })
}

/** For every surface, before a body is read: what is sent packed, or is no UTF-8 where it is unpacked. */
function refuseUnreadable(app: FastifyInstance): void {
  app.addHook('preParsing', (request, _, payload, done) => {
    const refusal = refusalOfCoding(request.headers['content-encoding']) ?? refusalOfTarget(request.raw.url)
    done(refusal, payload)
  })
}

/** RFC 9110 §8.4 and §12.5.3: the answer says what would be taken. */
function refusalOfCoding(coding: string | undefined) {
  if (coding === undefined || /^\s*(identity)?\s*$/i.test(coding)) return null
  const headers = { 'Accept-Encoding': 'identity' }
  return unsupportedMediaType('Send the body as it is, without Content-Encoding.', { headers })
}

/** Percent-encoded UTF-8 (RFC 3986 §2.1). What is broken in the path the router refuses by itself. */
function refusalOfTarget(target = '') {
  if (/[^!-~]/.test(target)) return validationFailed('The address has characters that must be percent-encoded.')
  const start = target.indexOf('?')
  const pairs = start < 0 ? [] : target.slice(start + 1).split('&')
  const broken = pairs.filter((pair) => !isDecodable(pair)).map((pair) => pair.split('=')[0] ?? '')
  if (broken.length === 0) return null
  const errors = broken.slice(0, errors_max).map((name) => ({
    pointer: `/${escapePointer(name)}`,
    message: 'is not percent-encoded UTF-8',
  }))
  return validationFailed(undefined, { errors })
}

function isDecodable(text: string): boolean {
  try {
    // The result is used: a bundler drops a call whose result is not, and with it the error that is waited for here.
    return text === '' || decodeURIComponent(text) !== ''
  } catch {
    return false
  }
}

const durations = new Histogram({
  name: 'http_server_request_duration_seconds',
  help: 'Time from the request head to the end of the answer.',
  labelNames: ['operation', 'status'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30],
  registers: [metrics],
})
const rateLimited = new Counter({
  name: 'rate_limited_total',
  help: 'Requests refused by a rate limit.',
  registers: [metrics],
})

/** One canonical line per request, named by the operation, with ids and never with values, headers or query. */
function logRequests(app: FastifyInstance, log: Logger): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { caller, problem, operation = 'none' } = request
    const status = reply.statusCode
    const line = {
      request_id: request.id,
      surface: request.surface,
      operation,
      method: request.method,
      status,
      duration_ms: Math.round(reply.elapsedTime * 10) / 10,
      organization_id: caller?.organization_id,
      credential_id: caller?.credential_id,
      address: request.client_address,
      problem: problem?.definition.code,
    }
    // The tool server answers a mistake of ours by 200 and a JSON-RPC error.
    const isOurFault = Math.max(status, problem?.definition.status ?? 0) >= 500 && !problem?.details.is_elsewhere
    if (isOurFault) log.error({ ...line, err: problem?.cause }, 'request')
    else log.info(line, 'request')
    // No organization among the labels, because they must stay few.
    durations.observe({ operation, status }, reply.elapsedTime / 1_000)
    if (status === 429) rateLimited.inc()
    done()
  })
}
