import type { IncomingMessage, RequestListener, Server } from 'node:http'
import type { Socket } from 'node:net'
import { createServer } from '../http1.ts'
import { peerAddress } from './address.ts'
import type { ListenerLimits } from './limits.ts'
import { http1Options } from './tls-server.ts'
import type { TrustedProxies } from './trusted-proxies.ts'

export interface ForwardedServer {
  /** Serves HTTP/1.1 on a connection that another server accepted. */
  accept(socket: Socket): void
  close(): void
}

export interface ForwardedServerOptions {
  limits: ListenerLimits
  /** Gets a request whose client used HTTPS. */
  serve: RequestListener
  /** Gets every other one. */
  refuse: RequestListener
  /** The server that accepts the connections; what is not HTTP is reported there (`clientError`). */
  tls_server: Server
}

/** Plain HTTP/1.1 for trusted proxies, which say about each request how it came to them. */
export function createForwardedServer({ limits, serve, refuse, tls_server }: ForwardedServerOptions): ForwardedServer {
  const server = createServer(http1Options(limits))
  server.setTimeout(limits.inactivity_timeout_ms)
  const admit: RequestListener = (request, response) =>
    (forwardedProtocol(request) === 'https' ? serve : refuse)(request, response)
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, admit)
  server.on('clientError', (error, socket) => tls_server.emit('clientError', error, socket) || socket.destroy())
  server.emit('listening') // Node watches header and request timeouts from here on; this server itself never listens
  return { accept: (socket) => server.emit('connection', socket), close: () => server.close() }
}

/** Whether a trusted proxy, itself connected by TLS, says that its client was not. */
export function cameByHttp(request: IncomingMessage, proxies: TrustedProxies): boolean {
  if (proxies.none || !proxies.trust(peerAddress(request.socket.remoteAddress))) return false
  const protocol = forwardedProtocol(request)
  return protocol !== undefined && protocol !== 'https'
}

/** A header sent twice reads `https, https`: the proxy let a stranger's pass beside its own. */
const forwardedProtocol = (request: IncomingMessage) => request.headers['x-forwarded-proto']
