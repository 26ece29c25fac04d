import type { IncomingMessage, RequestListener, Server } from 'node:http'
import type { ServerHttp2Session } from 'node:http2'
import type { TLSSocket } from 'node:tls'
import { peerAddress } from './address.ts'
import { readClientAddress } from './client-address.ts'
import { Connections } from './connections.ts'
import { divertPlainConnections } from './first-byte.ts'
import { cameByHttp, createForwardedServer } from './forwarded-server.ts'
import { type HttpsRequiredOptions, httpsRequiredAnswers } from './https-required.ts'
import { type ListenerLimits, listener_limits } from './limits.ts'
import { refuseConnection, refuseRequest } from './refuse-plain-http.ts'
import { limitRequestTime } from './request-time.ts'
import { createTlsServer, secureContext, type TlsPair } from './tls-server.ts'
import { trustedProxies } from './trusted-proxies.ts'

export interface SecureListenerOptions extends HttpsRequiredOptions {
  tls: TlsPair
  handler: RequestListener
  /** Addresses and CIDR ranges of peers that may connect without TLS and whose `X-Forwarded-*` headers are believed. */
  trusted_proxies?: string[]
  limits?: Partial<ListenerLimits>
}

export interface SecureListener {
  /** For Fastify's `serverFactory`; HTTP/2 requests come as the compatible objects of `node:http2`. */
  server: Server
  /** Where a request comes from, as a plain IPv4 or IPv6 address. */
  clientAddress(request: IncomingMessage): string
  /** Serves another certificate to connections opened from now on. Throws, and changes nothing, for a broken pair. */
  setTls(tls: TlsPair): void
  /** Stops accepting, lets running requests finish and cuts what is left after `grace_ms`. */
  close(grace_ms: number): Promise<void>
}

/**
 * One port for HTTPS and for telling plain HTTP so. TLS (1.2 and up) carries HTTP/2 or HTTP/1.1. A plain connection is
 * refused by its first byte, except from a trusted proxy, whose every request must say that it came by HTTPS.
 */
export function createSecureListener(options: SecureListenerOptions): SecureListener {
  const limits = { ...listener_limits, ...options.limits }
  const proxies = trustedProxies(options.trusted_proxies ?? [])
  const connections = new Connections()
  const addresses = new WeakMap<IncomingMessage, string>()
  const secure = createTlsServer(options.tls, limits)
  // Fastify knows one protocol per server. What it uses of this one, and of its requests, both have.
  const server = secure as unknown as Server

  const serve: RequestListener = (request, response) => {
    addresses.set(request, readClientAddress(request, proxies)) // now, because it is gone when the client is
    if (request.httpVersionMajor === 1) connections.startHttp1(request.socket, response)
    else limitRequestTime(request, limits.request_timeout_ms)
    options.handler(request, response)
  }
  const answer = httpsRequiredAnswers(options)
  const refuse: RequestListener = (request, response) =>
    refuseRequest(request, response, answer(request.socket.remoteAddress), limits)
  const forwarded = createForwardedServer({ limits, serve, refuse, tls_server: server })

  const admit: RequestListener = (request, response) =>
    (cameByHttp(request, proxies) ? refuse : serve)(request, response)
  // Whoever expects something is served like others: the application says whether it goes on, and with what.
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, admit)
  server.on('secureConnection', (socket: TLSSocket) => {
    if (socket.alpnProtocol !== 'h2') connections.openHttp1(socket)
  })
  server.on('session', (session: ServerHttp2Session) => connections.openHttp2(session))
  divertPlainConnections(server, {
    first_byte_timeout_ms: limits.first_byte_timeout_ms,
    onAccept: (socket) => connections.accept(socket),
    onPlain(socket, first_chunk) {
      if (!proxies.trust(peerAddress(socket.remoteAddress))) {
        return refuseConnection(socket, first_chunk, answer(socket.remoteAddress), limits)
      }
      socket.unshift(first_chunk)
      connections.openHttp1(socket)
      forwarded.accept(socket)
    },
  })

  drainOnClose(server, () => {
    connections.drain()
    forwarded.close()
  })

  return {
    server,
    clientAddress: (request) => addresses.get(request) ?? readClientAddress(request, proxies),
    setTls: (tls) => secure.setSecureContext(secureContext(tls)),
    async close(grace_ms) {
      const timer = setTimeout(() => connections.destroyAll(), grace_ms)
      await new Promise((resolve) => server.close(resolve))
      clearTimeout(timer)
    },
  }
}

/** Whoever closes the server, Fastify too, closes it gracefully. */
function drainOnClose(server: Server, drain: () => void): void {
  const close = server.close
  server.close = (done) => {
    drain()
    return close.call(server, done)
  }
}
