import type { IncomingMessage, RequestListener, Server, ServerOptions, ServerResponse } from 'node:http'
import {
  constants,
  createSecureServer,
  type Http2SecureServer,
  Http2ServerRequest,
  type ServerHttp2Session,
} from 'node:http2'
import { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { clientAddress, peerAddress, trustedProxies } from './address.ts'
import type { CertifiedKey } from './certificate-authority.ts'
import { hangUp } from './hang-up.ts'
import { type ListenerLimits, listener_limits } from './limits.ts'
import { cameByHttp, cameByHttps, createForwardedServer, divertPlainConnections, httpsRequired } from './plain-http.ts'

export interface SecureListenerOptions {
  tls: CertifiedKey
  handler: RequestListener
  /** The problem document `https_required` (RFC 9457). */
  problem: (request_id: string) => object
  /** Addresses and CIDR ranges of peers that may connect without TLS and whose `X-Forwarded-*` headers are believed. */
  trusted_proxies?: string[]
  limits?: Partial<ListenerLimits>
}

export type SecureListener = ReturnType<typeof createSecureListener>

/**
 * One port for HTTPS and for telling plain HTTP so. TLS (1.2 and up) carries HTTP/2 or HTTP/1.1. A plain connection is
 * refused by its first byte, except from a trusted proxy, whose every request must say that it came by HTTPS.
 */
export function createSecureListener(options: SecureListenerOptions) {
  const limits = { ...listener_limits, ...options.limits }
  const trusts = trustedProxies(options.trusted_proxies ?? [])
  const addresses = new WeakMap<IncomingMessage, string>()
  const running = new Set<ServerResponse>()
  const addressOf = ({ socket, headers }: IncomingMessage) =>
    clientAddress(socket.remoteAddress, headers['x-forwarded-for']?.toString(), trusts)
  const secure = createTlsServer(options.tls, limits)
  // Fastify knows one protocol per server. What it uses of this one, and of its requests, both have.
  const server = secure as unknown as Server

  const serve: RequestListener = (request, response) => {
    addresses.set(request, addressOf(request)) // now, because it is gone when the client is
    if (request.httpVersionMajor === 1) running.add(response.once('close', () => running.delete(response)))
    else limitRequestTime(request, limits.request_timeout_ms)
    options.handler(request, response)
  }
  const admitBy = (isAdmitted: (request: IncomingMessage) => boolean): RequestListener => {
    return (request, response) => {
      if (isAdmitted(request)) return serve(request, response)
      const refusal = httpsRequired(options.problem)
      if (request.httpVersionMajor === 1) return hangUp(request.socket, refusal, limits, request.method === 'HEAD')
      response.writeHead(refusal.status, refusal.headers).end(refusal.body)
    }
  }
  const admit = admitBy((request) => !cameByHttp(request, trusts))
  // A request with `Expect` is served like others: the application says whether it goes on, and with what.
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, admit)
  const forwarded = createForwardedServer(http1Options(limits), admitBy(cameByHttps), server)
  forwarded.setTimeout(limits.inactivity_timeout_ms)
  divertPlainConnections(server, limits.first_byte_timeout_ms, (socket, first_chunk) => {
    if (!trusts(peerAddress(socket.remoteAddress))) {
      const isHead = first_chunk.toString('latin1', 0, 5) === 'HEAD ' // its response has no content (RFC 9110 §9.3.2)
      return hangUp(socket, httpsRequired(options.problem), limits, isHead)
    }
    socket.unshift(first_chunk)
    forwarded.emit('connection', socket)
  })
  const sockets = closeGracefully(server, forwarded, running)

  return {
    /** For Fastify's `serverFactory`; HTTP/2 requests come as the compatible objects of `node:http2`. */
    server,
    /** The origin of a request, as a plain IPv4 or IPv6 address. */
    clientAddress: (request: IncomingMessage): string => addresses.get(request) ?? addressOf(request),
    /** Serves another certificate to connections opened from now on. Throws, and changes nothing, for a broken pair. */
    setTls: (tls: CertifiedKey) => secure.setSecureContext(secureContext(tls)),
    /** Stops accepting, lets running requests finish and cuts what is left after `grace_ms`. */
    async close(grace_ms: number): Promise<void> {
      const timer = setTimeout(() => {
        for (const socket of sockets) socket.destroy()
      }, grace_ms)
      await new Promise((resolve) => server.close(resolve))
      clearTimeout(timer)
    },
  }
}

/**
 * Makes every close of the server, Fastify's too, a graceful one: Node ends idle connections and tells HTTP/2 sessions to go
 * away; each other HTTP/1.1 connection is ended when its last response is out, which says so if it can. Returns the open
 * connections.
 */
function closeGracefully(server: Server, forwarded: Server, running: ReadonlySet<ServerResponse>): Set<Socket> {
  const sockets = new Set<Socket>()
  let isClosing = false
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  // A handshake that was under way.
  server.on('secureConnection', (socket: TLSSocket) => {
    if (isClosing && socket.alpnProtocol !== 'h2') socket.destroySoon()
  })
  server.on('session', (session: ServerHttp2Session) => {
    if (isClosing) session.close()
  })
  const closeIdle = () => {
    server.closeIdleConnections()
    forwarded.closeIdleConnections()
  }
  const close = server.close
  server.close = (done) => {
    isClosing = true
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
    for (const response of running) {
      response.once('close', closeIdle)
      if (!response.headersSent) response.setHeader('Connection', 'close')
    }
    forwarded.close()
    return close.call(server, done)
  }
  return sockets
}

/** Gives an HTTP/2 request the bound that Node keeps for HTTP/1.1 (`requestTimeout`): its body arrives in time or it ends. */
function limitRequestTime(request: unknown, request_timeout_ms: number): void {
  if (!(request instanceof Http2ServerRequest) || request.stream.endAfterHeaders) return
  const { stream } = request
  const timer = setTimeout(() => stream.close(constants.NGHTTP2_CANCEL), request_timeout_ms)
  const release = () => clearTimeout(timer)
  request.once('end', release)
  stream.once('close', release)
}

/**
 * Mozilla's intermediate list (guideline 5.7): TLS 1.3, and of TLS 1.2 what is authenticated and forward secret. Without its
 * suites of finite-field Diffie–Hellman, which no client needs that has none of the others.
 */
const ciphers = [
  ...['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'],
  ...['ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-RSA-AES128-GCM-SHA256', 'ECDHE-ECDSA-AES256-GCM-SHA384'],
  ...['ECDHE-RSA-AES256-GCM-SHA384', 'ECDHE-ECDSA-CHACHA20-POLY1305', 'ECDHE-RSA-CHACHA20-POLY1305'],
].join(':')

const secureContext = ({ cert, key }: CertifiedKey) => ({ cert, key, ciphers, minVersion: 'TLSv1.2' as const })

/** The bounds that HTTP/1.1 has in common with and without TLS. */
function http1Options(limits: ListenerLimits): ServerOptions {
  return {
    noDelay: true,
    requireHostHeader: false, // its absence is answered like every other fault of a head, see `faultOfHead`
    maxHeaderSize: limits.header_bytes_max,
    headersTimeout: limits.headers_timeout_ms,
    requestTimeout: limits.request_timeout_ms,
    connectionsCheckingInterval: limits.timeout_check_interval_ms,
    keepAliveTimeout: limits.keep_alive_timeout_ms,
  }
}

/** A server of HTTP/2 and HTTP/1.1 over TLS (ALPN, RFC 7301) that is not listening yet. */
function createTlsServer(tls: CertifiedKey, limits: ListenerLimits): Http2SecureServer {
  const server = createSecureServer({
    ...secureContext(tls),
    ...http1Options(limits),
    allowHTTP1: true,
    handshakeTimeout: limits.handshake_timeout_ms,
    // Twice the bounds: up to here an answer says what is wrong (`faultOfHead`), beyond it the stream is only reset.
    settings: { maxConcurrentStreams: limits.streams_max, maxHeaderListSize: 2 * limits.header_bytes_max },
    maxHeaderListPairs: 2 * limits.header_fields_max,
    maxSessionInvalidFrames: limits.invalid_frames_max,
    maxSessionRejectedStreams: limits.rejected_streams_max,
    streamResetBurst: limits.stream_resets_max,
    streamResetRate: limits.stream_resets_per_s,
  })
  server.maxConnections = limits.connections_max
  server.setTimeout(limits.inactivity_timeout_ms)
  server.on('timeout', (idle: Socket | ServerHttp2Session) => endInactive(idle, limits.inactivity_timeout_ms))
  server.on('tlsClientError', (_error, socket) => socket.destroy())
  return server
}

/** An HTTP/2 session is told first (GOAWAY), so that a request already under way is not lost to it. */
function endInactive(idle: Socket | ServerHttp2Session, inactivity_timeout_ms: number): void {
  if (idle instanceof Socket) return void idle.destroy()
  idle.close()
  idle.setTimeout(inactivity_timeout_ms, () => idle.destroy())
}
