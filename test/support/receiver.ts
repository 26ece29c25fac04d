import { once } from 'node:events'
import net from 'node:net'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import tls from 'node:tls'
import zlib from 'node:zlib'
import { type CertificateKind, receiverAuthority, receiverCertificate } from './receiver-certificates.ts'

/** One request as it arrived, to the byte. */
export interface ReceivedRequest {
  /** `performance.now()` when the last byte of the request had arrived. */
  arrived_at_ms: number
  /** From 1; requests with the same number came over the same connection. */
  connection: number
  method: string
  path: string
  /** Names in lower case. */
  headers: Record<string, string>
  /** The head with its empty line, as it came. */
  raw_head: string
  body: Buffer
}

/** The receiver's reaction to a request that has arrived; it writes bytes of HTTP, or does not. */
export type Behaviour = (socket: net.Socket, request: ReceivedRequest) => void | Promise<void>

export interface ReceiverOptions {
  /** https unless told; `http` speaks without TLS on the same kind of port. */
  transport?: 'https' | 'http'
  certificate?: CertificateKind
  /** Names and addresses in the certificate; localhost, 127.0.0.1 and ::1 unless told. */
  names?: readonly string[]
  host?: string
  /** A free one unless told. */
  port?: number
  /** Further options of the TLS server, for example `maxVersion`. */
  tls?: tls.TlsOptions
  /** For requests that no script entry is left for; `answer()` unless told. */
  behaviour?: Behaviour
  /** Takes a new connection over before anything is read from it, before TLS if the transport is http. */
  takeOver?: (socket: net.Socket) => void
}

export interface Receiver {
  readonly port: number
  /** `https://localhost:<port>/hook` */
  readonly url: string
  /** The root to trust, in PEM. */
  readonly ca: string
  readonly requests: readonly ReceivedRequest[]
  /** Connections opened so far (after TLS). */
  readonly connections: number
  /** Appends behaviours for the next requests, one each. */
  script(...behaviours: Behaviour[]): void
  /** Resolves once this many requests have arrived in all; rejects after the limit. */
  waitFor(requests: number, limit_ms?: number): Promise<readonly ReceivedRequest[]>
  /** Resolves once no connection is open any more; rejects after the limit. */
  waitForIdle(limit_ms?: number): Promise<void>
  /** Breaks every open connection without closing the receiver. */
  dropConnections(): void
  close(): Promise<void>
}

const WAIT_LIMIT_MS = 60_000
const LOCAL_NAMES = ['localhost', '127.0.0.1', '::1']

/** Starts a receiver on a free port of 127.0.0.1. It shares no code with the sender: it parses and answers by itself. */
export async function startReceiver(options: ReceiverOptions = {}): Promise<Receiver> {
  const secure = options.transport !== 'http'
  const requests: ReceivedRequest[] = []
  const news = createNews()
  const sockets = new Set<net.Socket>()
  const scripted: Behaviour[] = []
  let connections = 0

  function serve(socket: net.Socket) {
    const connection = ++connections
    track(socket)
    if (options.takeOver) return options.takeOver(socket)
    readRequests(socket, connection, (request) => {
      requests.push(request)
      news.tell()
      const behaviour = scripted.shift() ?? options.behaviour ?? answer()
      void Promise.resolve(behaviour(socket, request)).catch(() => socket.destroy())
    })
  }

  function track(socket: net.Socket) {
    sockets.add(socket)
    socket.on('close', () => {
      sockets.delete(socket)
      news.tell()
    })
    // The other side may break a connection at any time; that is what many tests are about.
    socket.on('error', () => {})
  }

  const certificate = await receiverCertificate(options.certificate ?? 'valid', options.names ?? LOCAL_NAMES)
  const server = secure
    ? tls.createServer({ ...certificate, ALPNProtocols: ['http/1.1'], allowHalfOpen: true, ...options.tls }, serve)
    : net.createServer({ allowHalfOpen: true }, serve)
  // Handshakes that fail or never end have no secure connection, but must end with the receiver.
  if (secure) {
    const tcp_by_port = new Map<number | undefined, net.Socket>()
    server.on('connection', (socket: net.Socket) => {
      track(socket)
      const { remotePort } = socket
      tcp_by_port.set(remotePort, socket)
      socket.on('close', () => tcp_by_port.delete(remotePort))
    })
    server.prependListener('secureConnection', (socket: net.Socket) => {
      const tcp = tcp_by_port.get(socket.remotePort)
      if (tcp) tcpOf.set(socket, tcp)
    })
  }
  server.on('tlsClientError', () => {})
  server.listen(options.port ?? 0, options.host ?? '127.0.0.1')
  await once(server, 'listening')
  // A server that listens on a port has an address of that kind, never null or a path.
  const { port } = server.address() as net.AddressInfo

  return {
    port,
    url: `${secure ? 'https' : 'http'}://localhost:${port}/hook`,
    ca: (await receiverAuthority()).pem,
    requests,
    get connections() {
      return connections
    },
    script: (...behaviours) => void scripted.push(...behaviours),
    async waitFor(count, limit_ms = WAIT_LIMIT_MS) {
      await news.until(
        () => requests.length >= count,
        limit_ms,
        () => `${requests.length} of ${count} requests arrived`,
      )
      return requests
    },
    waitForIdle: (limit_ms = WAIT_LIMIT_MS) =>
      news.until(
        () => sockets.size === 0,
        limit_ms,
        () => `${sockets.size} connections are open`,
      ),
    dropConnections() {
      for (const socket of sockets) socket.destroy()
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Waiting for a condition that can only become true when something is told, without polling. */
function createNews() {
  const checks = new Set<() => void>()
  return {
    tell() {
      for (const check of checks) check()
    },
    until(isTrue: () => boolean, limit_ms: number, state: () => string): Promise<void> {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const limit = setTimeout(() => reject(new Error(`${state()} after ${limit_ms} ms`)), limit_ms)
      const check = () => isTrue() && resolve()
      checks.add(check)
      check()
      return promise.finally(() => {
        checks.delete(check)
        clearTimeout(limit)
      })
    },
  }
}

/** Reads requests with a Content-Length, one after another, and calls back for each. */
function readRequests(socket: net.Socket, connection: number, received: (request: ReceivedRequest) => void) {
  let buffered = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    buffered = Buffer.concat([buffered, chunk])
    for (let request = parseRequest(buffered, connection); request; request = parseRequest(buffered, connection)) {
      buffered = buffered.subarray(Buffer.byteLength(request.raw_head, 'latin1') + request.body.length)
      received(request)
    }
  })
  socket.on('end', () => socket.end())
}

function parseRequest(bytes: Buffer, connection: number): ReceivedRequest | null {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return null
  const raw_head = bytes.toString('latin1', 0, end + 4)
  const [start_line = '', ...lines] = raw_head.trimEnd().split('\r\n')
  const [method = '', path = ''] = start_line.split(' ')
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  const length = Number(headers['content-length'] ?? 0)
  if (bytes.length < end + 4 + length) return null
  const body = Buffer.from(bytes.subarray(end + 4, end + 4 + length))
  return { arrived_at_ms: performance.now(), connection, method, path, headers, raw_head, body }
}

export interface Answer {
  status?: number
  headers?: Record<string, string>
  body?: string | Buffer
}

/** Answers with a Content-Length and keeps the connection open; 200 with `ok` unless told. */
export function answer({ status = 200, headers = {}, body = 'ok' }: Answer = {}): Behaviour {
  const bytes = Buffer.from(body)
  // RFC 9110 section 8.6: a 204 has no Content-Length.
  const length: Record<string, string> = status === 204 || status === 304 ? {} : { 'content-length': `${bytes.length}` }
  const message = Buffer.concat([head(status, { ...length, ...headers }), status === 204 ? Buffer.alloc(0) : bytes])
  return (socket) => void socket.write(message)
}

/** Answers later; for tests that need an attempt to be under way. */
export const answerAfter = (until: Promise<unknown>, then: Behaviour = answer()): Behaviour => {
  return async (socket, request) => {
    await until
    await then(socket, request)
  }
}

export const redirect = (status: number, location: string): Behaviour =>
  answer({ status, headers: { location }, body: '' })

/** Writes these bytes as they are and keeps the connection open. */
export const raw = (bytes: string | Buffer): Behaviour => {
  return (socket) => void socket.write(Buffer.from(bytes as string, 'latin1'))
}

/** Writes these bytes as they are, then closes in order. */
export const rawThenClose = (bytes: string | Buffer): Behaviour => {
  return (socket) => void socket.end(Buffer.from(bytes as string, 'latin1'))
}

/** Never answers. */
export const hang: Behaviour = () => {}

// node:tls cannot reset a connection, the TCP socket below it can.
const tcpOf = new WeakMap<net.Socket, net.Socket>()

/** Breaks the connection without an orderly close: the other side sees ECONNRESET. */
export const reset: Behaviour = (socket) => void (tcpOf.get(socket) ?? socket).resetAndDestroy()

/** Writes the head whole, or not, and the rest one piece at a time, for ever unless `pieces` ends. */
export function drip(first: string, piece: string, every_ms: number, pieces = Number.POSITIVE_INFINITY): Behaviour {
  return async (socket) => {
    socket.write(first)
    for (let written = 0; written < pieces && !socket.destroyed; written++) {
      socket.write(piece)
      await delay(every_ms, null, { ref: false })
    }
  }
}

/** Writes the head and then this chunk again and again, as fast as it is read, until the other side has enough. */
export function endless(headers: Record<string, string>, chunk: Buffer, chunks_max: number): Behaviour {
  return (socket) => pipeline([head(200, headers), ...Array<Buffer>(chunks_max).fill(chunk)], socket)
}

/** 200 with a gzip body that unpacks to this many MiB of zero bytes, in members of 16 MiB (RFC 1952 section 2.2). */
export function gzipBomb(unpacked_mib: number): Behaviour {
  const member = zlib.gzipSync(Buffer.alloc(16 * 1024 * 1024))
  const body = Buffer.concat(Array.from({ length: Math.ceil(unpacked_mib / 16) }, () => member))
  return answer({ headers: { 'content-encoding': 'gzip' }, body })
}

/** The bytes of a response head, with its empty line. */
export function head(status: number, headers: Record<string, string>): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`HTTP/1.1 ${status} Scripted\r\n${lines.join('')}\r\n`, 'latin1')
}
