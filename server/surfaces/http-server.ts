import { existsSync, readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { extname } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { propagation, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerFactory,
} from 'fastify'
import type { Logger } from 'pino'
import type { Caller } from '#core/caller.ts'
import { jsonBody } from '#core/json.ts'
import { counter, histogram } from '#core/metrics.ts'
import { malformedRequest, methodNotAllowed, notFound, type Problem, refusalOf } from '#core/problems.ts'
import { pathOfTarget } from '#core/request-target.ts'
import { newId } from '#core/values.ts'
import {
  type AnsweredRequest,
  type AnsweredRequests,
  body_bytes_max as noted_bytes_max,
  waiting_max,
} from '#resources/request-logs/index.ts'
import { METHODS } from './http1.ts'
import { peerAddress } from './https/address.ts'
import { answerParserErrors, closeUnlessRead } from './https/hang-up.ts'
import { html, sendPage } from './reference/html-page.ts'
import { faultOfHead, isArriving, prefersPage, refusalOfCoding, refusalOfTarget, weightsOf } from './request-head.ts'
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
  /** Keeps what an app is refused for want of a scope, before it is told. */
  noteNeededScope?: (caller: Caller, refusal: Problem) => Promise<void>
  /** Takes a note of each request of a known credential, for the request log. */
  answered?: AnsweredRequests
  /** A room that tells refusals in words of its own, those of the router too. */
  own_words?: { below: string; send(error: unknown, request: FastifyRequest, reply: FastifyReply): unknown }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Address of the client, behind trusted proxies the one they saw. */
    client_address: string
    caller: Caller | undefined
    operation: string | undefined
    problem: Problem | undefined
    /** Code of a refusal that is no problem of the service, for the request log. */
    error_code: string | undefined
    /** The bytes of a body that is short enough to be noted. */
    body_bytes: Buffer | undefined
    /** The way into the operations that the request took, where it is not REST. */
    surface: string | undefined
    /** Told to an OpenTelemetry SDK where one is loaded; nothing without. */
    span: Span | undefined
    /** Of a JSON-RPC message; null for what has none (JSON-RPC 2.0 §5). */
    rpc_id: string | number | null
  }
  interface FastifyContextConfig {
    /** Answers of this route hold a secret and stay as they are: their size must tell nothing of it (BREACH). */
    is_never_compressed?: boolean
  }
}

const tracer = trace.getTracer('stint')

const methods: ReadonlySet<string> = new Set(METHODS)

/** Of every answer. */
const headers = { 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer', 'Cache-Control': 'no-store' }

/** The HTTP application without its routes: ids, security headers, bodies and the shape of every error. */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const { addresses, hsts_max_age_s, now, log, serverFactory, clientAddress, noteNeededScope, answered } = options
  const transport_security = `max-age=${hsts_max_age_s}`
  /** By connection, since no other may be written into it. */
  const latest = new WeakMap<Socket, ServerResponse>()
  const begin = (request: FastifyRequest, reply: FastifyReply) => {
    request.client_address = clientAddress?.(request.raw) ?? request.ip
    reply.headers(headers).header('Request-Id', request.id)
    if (!isLocal(request.host)) reply.header('Strict-Transport-Security', transport_security)
    latest.set(request.raw.socket, reply.raw)
  }
  const render = (problem: Problem, socket: Socket) => {
    const request_id = newId(now())
    const { status, body } = refusalOf(addresses, problem, request_id)
    const address = peerAddress(socket.remoteAddress)
    log?.info({ request_id, operation: 'none', status, address, problem: problem.definition.code }, 'request')
    const own = { 'Content-Type': 'application/problem+json', 'Request-Id': request_id }
    return { status, headers: { ...headers, ...own }, body: JSON.stringify(body) }
  }
  const refuseMethod = async (request: IncomingMessage, response: ServerResponse) => {
    const { status, headers, body } = render(malformedRequest('The method is none of HTTP.'), request.socket)
    if (isArriving(request)) await closeUnlessRead(request, response)
    response.writeHead(status, headers).end(body)
  }
  const app = Fastify({
    bodyLimit: body_bytes_max,
    // The longest is the address of a client's document, 2,048 characters with each of them encoded.
    routerOptions: { maxParamLength: 6_144, caseSensitive: true, ignoreTrailingSlash: false },
    // An id that the caller chose is kept when it is short and plain, so that both sides find it in their logs.
    genReqId: ({ headers }) => /^[0-9A-Za-z._-]{1,64}$/.exec(String(headers['request-id'] ?? ''))?.[0] ?? newId(now()),
    requestIdHeader: false,
    // Paths that the router itself refuses; no hook runs for them.
    frameworkErrors: (error, request, reply) => {
      begin(request, reply)
      refuseOfRouter(options, error, request, reply)
    },
    clientErrorHandler: answerParserErrors(render, (socket) => latest.get(socket)),
    ...(serverFactory && { serverFactory: refuseUnknownMethods(serverFactory, refuseMethod) }),
  })
  app.decorateRequest('client_address', '')
  for (const name of ['caller', 'operation', 'problem', 'error_code', 'surface', 'body_bytes', 'span'])
    app.decorateRequest(name, undefined)
  app.decorateRequest('rpc_id', null)
  readJsonBodies(app)
  app.addHook('onRequest', (request, reply, done) => {
    begin(request, reply)
    done(faultOfHead(request.raw) ?? undefined)
  })
  const refusalOfMethod = createMethodCheck(app)
  const refuseUnknownPath = unknownPathHandler(addresses)
  app.setNotFoundHandler(refuseUnknownPath)
  // The last step before a body is read: who is refused is not asked to send it, nor waited for.
  app.addHook('preParsing', (request, reply, payload, done) => {
    const { headers, raw } = request
    const refusal = refusalOfMethod(request) ?? refusalOfCoding(headers['content-encoding']) ?? refusalOfTarget(raw.url)
    if (refusal) return done(refusal)
    if (request.is404 && !prefersPage(request)) return done(unknownPath())
    if (request.is404) return void refuseUnknownPath(request, reply)
    if (headers.expect !== undefined) reply.raw.writeContinue()
    done(null, payload)
  })
  app.addHook('onSend', ({ raw }, reply, _, done) => {
    // The framework sets it where a body could not be read; HTTP/2 has no such field (RFC 9113 §8.2.2).
    if (raw.httpVersionMajor > 1) reply.removeHeader('connection')
    if (!isArriving(raw)) return done()
    closeUnlessRead(raw, reply.raw).then(() => done(), done)
  })
  if (noteNeededScope) {
    app.addHook('onSend', ({ caller, problem }, _, payload, done) => {
      if (!caller?.grant_id || problem?.definition.code !== 'insufficient_scope') return done(null, payload)
      noteNeededScope(caller, problem).then(() => done(null, payload), done)
    })
  }
  app.setErrorHandler((error, _, reply) => sendProblem(reply, error, addresses))
  traceRequests(app, log)
  if (answered) noteRequests(app, answered, now)
  return app
}

function refuseOfRouter(
  { addresses, own_words }: HttpServerOptions,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  if (own_words && request.raw.url?.startsWith(own_words.below)) own_words.send(error, request, reply)
  else sendProblem(reply, error, addresses)
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

const unknownPath = () => notFound('There is nothing at this path.')

function unknownPathHandler(addresses: RestAddresses) {
  return (request: FastifyRequest, reply: FastifyReply) => {
    const problem = unknownPath()
    if (!prefersPage(request)) return sendProblem(reply, problem, addresses)
    request.problem = problem
    return sendPage(reply.code(404), 'Nothing is here', nothingHere)
  }
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

/**
 * Refuses every other method on a path that the application has with 405, and the allowed ones in `Allow` (RFC 9110
 * §15.5.6). Looked for when it is asked: a route for every other method of every path would take a tenth of each start.
 */
function createMethodCheck(app: FastifyInstance): (request: FastifyRequest) => Problem | null {
  const routes = new Map<string, { form: RegExp; methods: Set<string> }>()
  app.addHook('onRoute', ({ url, method }) => {
    // Paths below a wildcard are known to its handler only.
    if (url.includes('*')) return
    const parts = url.split('/').map((part) => (part.startsWith(':') ? '[^/]+' : RegExp.escape(part)))
    const route = routes.get(url) ?? { form: new RegExp(`^${parts.join('/')}$`), methods: new Set() }
    for (const one of [method].flat()) route.methods.add(one)
    routes.set(url, route)
  })
  return ({ is404, method, raw, routeOptions }) => {
    // A route without parameters was found by its own path.
    if (!is404 && !routeOptions.url?.includes(':')) return null
    const path = pathOfTarget(raw.url)
    // The path itself first: to the router, `/webhooks/events` is also a webhook of that id.
    const own = routes.get(path)
    const fitting = own || !is404 ? [own] : [...routes.values()].filter(({ form }) => form.test(path))
    const known = fitting.flatMap((route) => [...(route?.methods ?? [])])
    if (known.length === 0 || known.includes(method)) return null
    return methodNotAllowed(undefined, { headers: { Allow: [...new Set(known)].sort().join(', ') } })
  }
}

const body_bytes_max = 1_048_576

/** JSON in UTF-8 and nothing else; an empty body is no body, as actions without input send it. */
function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  const parse = async (request: FastifyRequest, bytes: Buffer) => {
    if (/^[ \t\r\n]*$/.test(bytes.toString('latin1'))) return undefined
    if (bytes.length <= noted_bytes_max) request.body_bytes = bytes
    return jsonBody(request.headers['content-type'], bytes)
  }
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, parse)
}

const durations = histogram(
  'http_server_request_duration_seconds',
  'Time from the request head to the end of the answer.',
  [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30],
  ['operation', 'status'],
)
const rateLimited = counter('rate_limited_total', 'Requests refused by a rate limit.')

/** A span for each request, and its line in the log. */
function traceRequests(app: FastifyInstance, log: Logger | undefined): void {
  app.addHook('onRequest', (request, _, done) => {
    const caused_by = propagation.extract(ROOT_CONTEXT, request.headers)
    request.span = tracer.startSpan(request.method, { kind: SpanKind.SERVER }, caused_by)
    done()
  })
  app.addHook('onResponse', endSpan)
  if (log) logRequests(app, log)
}

/** Conventions of OpenTelemetry for HTTP; nothing that a person wrote, such as the query. */
function endSpan(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  const { span, operation, method, id, problem } = request
  if (span?.isRecording()) {
    span.updateName(operation ?? method)
    const status = reply.statusCode
    span.setAttributes({ 'http.request.method': method, 'http.response.status_code': status, 'stint.request_id': id })
    if (problem) span.setAttribute('error.type', problem.definition.code)
    if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
  }
  span?.end()
  done()
}

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
    const told = Math.max(status, problem?.definition.status ?? 0)
    const isOurFault = told >= 500 && told !== 501 && !problem?.details.is_elsewhere
    if (isOurFault) log.error({ ...line, err: problem?.cause }, 'request')
    else log.info(line, 'request')
    // No organization among the labels, because they must stay few.
    durations.observe({ operation, status }, reply.elapsedTime / 1_000)
    if (status === 429) rateLimited.inc()
    done()
  })
}

const isLogged = (surface: string): surface is AnsweredRequest['surface'] => /^(?:rest|mcp|scim)$/.test(surface)

/** Puts down for the request log what came of each request of a token or an app; whoever reads it does the rest. */
function noteRequests(app: FastifyInstance, answered: AnsweredRequests, now: () => number): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { caller, surface = 'rest' } = request
    // A refusal that came before the operation was known is still one of provisioning.
    const { operation = surface === 'scim' ? 'scim.other' : 'none' } = request
    // The audit log tells of people in the console, and nobody wants to read of reading the log.
    const is_noted = caller && isLogged(surface) && !operation.startsWith('request_logs.')
    if (is_noted && answered.length < waiting_max) {
      const { id: request_id, method, url, problem, error_code } = request
      const { client_address: address, headers, body_bytes: body } = request
      answered.push({
        ...{ caller, surface, operation, request_id, method, url, problem, error_code, address, headers, body },
        at_ms: now(),
        duration_ms: reply.elapsedTime,
        // The tool server answers refusals of an operation by 200; a bulk request of provisioning is more than its last operation.
        status: surface === 'mcp' ? Math.max(reply.statusCode, problem?.definition.status ?? 0) : reply.statusCode,
      })
    }
    done()
  })
}

/** A text and its media type, with what was compressed of it ahead. */
export type EncodedFile = NonNullable<ReturnType<typeof readEncoded>>

const encodings = ['br', 'gzip'] as const
type Encoding = (typeof encodings)[number]

/** One packet holds less than this anyway. */
const compressed_bytes_min = 1_400

const encode: Record<Encoding, (text: string) => Promise<Buffer>> = {
  // 89 kB of contracts take 0.2 ms and become 4.1 kB at this quality; at the highest 31 ms, for a tenth less.
  br: (text) => promisify(brotliCompress)(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: promisify(gzip),
}

/**
 * Compresses what the routes of this scope answer, where the client takes it. A strong `ETag` names the bytes of one
 * encoding (RFC 9110 §8.8.3.3), so an answer that has one goes out as it is: those are single rows, and short. Streams
 * are left alone.
 */
export function compressAnswers(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' || payload.length < compressed_bytes_min) return payload
    if (reply.hasHeader('ETag') || request.routeOptions.config.is_never_compressed) return payload
    varyByEncoding(reply)
    const encoding = acceptedEncoding(request, encodings)
    if (!encoding) return payload
    reply.header('Content-Encoding', encoding).removeHeader('Content-Length')
    return encode[encoding](payload)
  })
}

export function sendFile(request: FastifyRequest, reply: FastifyReply, file: EncodedFile): FastifyReply {
  const offered = encodings.filter((name) => file[name])
  const encoding = acceptedEncoding(request, offered)
  varyByEncoding(reply.type(file.type))
  if (!encoding) return reply.send(file.plain)
  return reply.header('Content-Encoding', encoding).send(file[encoding])
}

const file_types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** A file of a build with what lies compressed beside it; null where there is none, or none of a page's types. */
export function readEncoded(path: string) {
  const read = (name: string) => (existsSync(name) ? readFileSync(name) : null)
  const type = file_types[extname(path)]
  const plain = type ? read(path) : null
  return type && plain ? { type, plain, br: read(`${path}.br`), gzip: read(`${path}.gz`) } : null
}

/** Serves files whose names hold a digest of their content, so that they never change; no request names a file of the disk. */
export function mountAssets(app: FastifyInstance, path: string, files: () => ReadonlyMap<string, EncodedFile>): void {
  app.get<{ Params: { name: string } }>(`${path}/:name`, (request, reply) => {
    const file = files().get(request.params.name)
    if (!file) throw notFound('There is no such file.')
    reply.headers({
      'Cache-Control': 'public, max-age=31536000, immutable',
      'Cross-Origin-Resource-Policy': 'same-origin',
    })
    return sendFile(request, reply, file)
  })
}

/** Beside what else the answer varies by, such as `Origin`. */
function varyByEncoding(reply: FastifyReply): void {
  const known = reply.getHeader('Vary')
  reply.header('Vary', known ? `${known}, Accept-Encoding` : 'Accept-Encoding')
}

/** The one the client prefers, of equals the first; it is named, or meant by `*`, and not refused by `q=0` (RFC 9110 §12.5.3). */
function acceptedEncoding({ headers }: FastifyRequest, offered: readonly Encoding[]): Encoding | undefined {
  const weights = weightsOf(headers['accept-encoding'])
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0
  const [best] = offered.toSorted((a, b) => weightOf(b) - weightOf(a))
  return best && weightOf(best) > 0 ? best : undefined
}
