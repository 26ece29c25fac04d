import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerFactory,
} from 'fastify'
import type { Logger } from 'pino'
import { malformedRequest, notFound, type Problem, refusalOf } from '#core/problems.ts'
import { newId } from '#core/values/id.ts'
import { METHODS } from './http1.ts'
import { peerAddress } from './https/address.ts'
import { closeUnlessRead, createParserErrors, faultOfHead } from './https/request-faults.ts'
import { prefersPage } from './prefers-page.ts'
import { html, sendPage } from './reference/html-page.ts'
import { refuseOtherMethods } from './refuse-other-methods.ts'
import { body_bytes_max, readJsonBodies, refuseUnreadable } from './rest/read-body.ts'
import { type RestAddresses, sendProblem } from './send-problem.ts'

export interface HttpServerOptions {
  addresses: RestAddresses
  hsts_max_age_s: number
  now: () => number
  /** Takes a line for each connection whose bytes are no request. */
  log?: Logger
  /** Makes the listening server; tests that call in process leave it out. */
  serverFactory?: FastifyServerFactory
  /** Where a request comes from, when that is not the peer itself (trusted proxies). */
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
