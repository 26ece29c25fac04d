import { randomUUIDv7 } from 'node:crypto'
import type { IncomingMessage, RequestListener, Server, ServerOptions } from 'node:http'
import type { Socket } from 'node:net'
import { createServer } from '../http1.ts'
import { peerAddress, type TrustsProxy } from './address.ts'
import type { PlainResponse } from './hang-up.ts'

/** The response to a request over plain HTTP. `problem` makes the document `https_required` (RFC 9457). */
export function httpsRequired(problem: (request_id: string) => object): PlainResponse {
  const request_id = randomUUIDv7()
  const body = JSON.stringify(problem(request_id))
  const headers = { 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store', 'Request-Id': request_id }
  return { status: 403, headers, body }
}

/** Plain HTTP/1.1 for trusted proxies, which say about each request how it came to them. It never listens itself. */
export function createForwardedServer(options: ServerOptions, admit: RequestListener, tls_server: Server): Server {
  const server = createServer(options)
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, admit)
  server.on('clientError', (error, socket) => tls_server.emit('clientError', error, socket) || socket.destroy())
  server.emit('listening') // Node watches header and request timeouts from here on
  return server
}

/** Says of a request without TLS of our own whether its client used HTTPS. */
export const cameByHttps = (request: IncomingMessage) => forwardedProtocol(request) === 'https'

/** True when a trusted proxy, itself connected by TLS, says that its client was not. */
export function cameByHttp(request: IncomingMessage, trusts: TrustsProxy): boolean {
  const protocol = forwardedProtocol(request)
  return protocol !== undefined && protocol !== 'https' && trusts(peerAddress(request.socket.remoteAddress))
}

/** A header sent twice reads `https, https`: the proxy let a stranger's pass beside its own. */
const forwardedProtocol = (request: IncomingMessage) => request.headers['x-forwarded-proto']

/** The record type of a TLS handshake, the first byte of every TLS connection (RFC 8446 §5.1). */
const tls_handshake_record = 0x16

/** Lets a TLS server take only those of its connections that open with TLS; `takePlain` gets the others and their bytes. */
export function divertPlainConnections(
  tls_server: Server,
  first_byte_timeout_ms: number,
  takePlain: (socket: Socket, first_chunk: Buffer) => void,
): void {
  const [startTls, ...others] = tls_server.listeners('connection')
  if (!startTls || others.length > 0) throw new Error('a new TLS server has exactly one connection listener')
  tls_server.removeAllListeners('connection')
  tls_server.on('connection', (socket: Socket) => {
    takeFirstChunk(socket, first_byte_timeout_ms, (chunk) => {
      if (chunk[0] !== tls_handshake_record) return takePlain(socket, chunk)
      socket.unshift(chunk)
      Reflect.apply(startTls, tls_server, [socket])
    })
  })
}

/**
 * Hands over the first bytes of a connection, once. A connection that ends, fails or stays silent is dropped.
 *
 * Bytes read here and put back with `unshift` keep the fast path: Node feeds them to its native TLS or HTTP/1.1 parser,
 * which then reads the kernel's socket itself. Processor time of the server (Node 26.10, 2 cores, medians of 9
 * interleaved rounds): 0.64 ms per new connection against 0.60 ms without this; per kept-alive request the difference
 * (20.1 and 18.5 µs over HTTP/1.1, 25.7 and 28.3 µs over HTTP/2) is within the noise of the machine.
 *
 * Letting OpenSSL find out instead (`tlsClientError` with ERR_SSL_HTTP_REQUEST) would save those 0.04 ms, but hands over a
 * destroyed TLS socket whose connection is a private field, and could not serve a trusted proxy on the same port.
 */
function takeFirstChunk(socket: Socket, first_byte_timeout_ms: number, take: (chunk: Buffer) => void): void {
  const drop = () => socket.destroy()
  const timer = setTimeout(drop, first_byte_timeout_ms)
  const release = () => {
    clearTimeout(timer)
    socket.off('readable', read).off('error', drop).off('close', release)
  }
  const read = () => {
    const chunk: Buffer | null = socket.read()
    if (chunk === null) return // the end of a connection that never spoke
    release()
    take(chunk)
  }
  socket.on('readable', read).on('error', drop).on('close', release)
}
