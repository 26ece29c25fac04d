import net from 'node:net'
import tls from 'node:tls'
import { Client, type Dispatcher } from 'undici'
import { type Destination, isSameAddress } from './address-rules.ts'
import { type Attempt, CONNECTION_GONE, connectFailure, Failure, inMicroseconds, tlsFailure } from './attempt.ts'

/** U11: bytes of an answer's head, and of all informational answers before it. */
export const HEAD_BYTES_MAX = 16_384

/** Listener that is told what comes back for a request. */
export interface ConnectionHandler extends Dispatcher.DispatchHandler {
  /** Bytes of the answer are about to be parsed; as many in all have belonged to informational answers before it. */
  bytesArrived(bytes: number, informational: number): void
}

/** One address of a destination; `key` is the (host, port, address) by which connections are pooled. */
export interface Endpoint {
  readonly destination: Destination
  readonly origin: string
  readonly address: string
  readonly key: string
}

/** One open connection to one endpoint, spoken to by an undici client of its own. */
export class Connection {
  readonly endpoint: Endpoint
  readonly tls_version: string | null
  readonly opened_at_ms = performance.now()
  readonly #socket: net.Socket
  readonly #client: Client
  /** The handler of the request whose answer is arriving now. */
  handler: ConnectionHandler | null = null
  /** The start of what may be an informational answer; null once the final one has begun. */
  #undecided: Buffer | null = null
  /** Bytes of the informational answers that are skipped, and of the start. */
  #informational_bytes = 0

  constructor(endpoint: Endpoint, socket: net.Socket, idle_ms: number) {
    this.endpoint = endpoint
    this.tls_version = socket instanceof tls.TLSSocket ? socket.getProtocol() : null
    this.#socket = socket
    this.#client = new Client(endpoint.origin, {
      // It never connects by itself: once the socket is gone its requests fail, and the sender decides what then. undici
      // must not be answered inside its own call: its queue would then not be looked at again.
      connect: (_, callback) =>
        queueMicrotask(() => (socket.destroyed ? callback(closedError(), null) : callback(null, socket))),
      pipelining: 1,
      maxHeaderSize: HEAD_BYTES_MAX,
      // The attempt's deadline is the only clock while a request runs.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: idle_ms,
      keepAliveMaxTimeout: idle_ms,
    })
    // Runs before undici's own listener, which empties the socket's buffer.
    socket.on('readable', () => this.#arrived())
  }

  /** True when another request may be written. */
  get usable(): boolean {
    return !this.#socket.destroyed && this.#socket.writable && !this.#socket.readableEnded
  }

  /** True when bytes of the request still wait to be taken by the network. */
  get sending(): boolean {
    return this.#socket.writableLength > 0
  }

  send(request: Dispatcher.DispatchOptions, handler: ConnectionHandler) {
    this.handler = handler
    this.#undecided = Buffer.alloc(0)
    this.#informational_bytes = 0
    this.#client.dispatch(request, handler)
  }

  #arrived() {
    const bytes = this.#socket.readableLength
    if (bytes === 0) return
    // Nothing was asked. The parser would skip empty lines for as long as the connection is kept.
    if (!this.handler) return this.destroy()
    this.#skipInformational()
    this.handler.bytesArrived(bytes, this.#informational_bytes)
  }

  /** RFC 9110 section 15.2: any number of them may come, asked for or not. undici takes 100 and 101 for faults. */
  #skipInformational() {
    if (!this.#undecided) return
    const held = this.#undecided.length
    let rest = Buffer.concat([this.#undecided, this.#socket.read()])
    this.#informational_bytes += rest.length - held
    while (mayBeInformational(rest)) {
      const end = rest.indexOf(head_end)
      this.#undecided = rest
      if (end < 0) return
      rest = rest.subarray(end + head_end.length)
    }
    this.#undecided = null
    this.#informational_bytes -= rest.length
    this.#socket.unshift(rest)
  }

  onClose(listener: () => void) {
    this.#socket.once('close', listener)
  }

  destroy() {
    this.handler = null
    this.#client.destroy(null, () => {})
    this.#socket.destroy()
  }
}

const informational = 'HTTP/1.1 100 '
const head_end = '\r\n\r\n'

/** True for the head of an informational answer, and for what may become one. */
function mayBeInformational(bytes: Buffer): boolean {
  const start = bytes.toString('latin1', 0, informational.length)
  return /^HTTP\/1\.1 1\d\d[ \r]$/.test(start + informational.slice(start.length))
}

// Not a code of undici's own: those make it connect again and again instead of failing the request.
const closedError = () => Object.assign(new Error('the connection was closed'), { code: CONNECTION_GONE })

/**
 * Connects to one address, with the name only in SNI and certificate check (U8), and verifies whom it reached (U10).
 * Never rejects; ends with the attempt, or after `timeout_ms`.
 */
export async function openConnection(
  attempt: Attempt,
  endpoint: Endpoint,
  timeout_ms: number,
  { secure_context, idle_ms }: { secure_context: tls.SecureContext; idle_ms: number },
): Promise<Connection | Failure> {
  const { promise, resolve } = Promise.withResolvers<Connection | Failure>()
  const { destination, address } = endpoint
  const contact = attempt.contact(address)
  const socket = connect(endpoint, secure_context).setNoDelay(true).setKeepAlive(true)
  const started_at_ms = performance.now()
  let phase: 'connect' | 'tls' = 'connect'
  function fail(failure: Failure) {
    resolve(failure)
    socket.destroy()
  }
  attempt.on_stop = () => fail(attempt.stopFailure(phase))
  const timeOut = () => fail(new Failure('timeout', phase, `no connection within ${timeout_ms} ms`))
  const timer = setTimeout(timeOut, timeout_ms)
  // Stays for the life of the socket: an error without a listener would end the process.
  socket.on('error', (error) =>
    fail(phase === 'connect' ? connectFailure(error) : tlsFailure(error, isCertificateRefused(socket))),
  )
  socket.prependOnceListener('connect', () => {
    phase = 'tls'
    contact.connect_ms = inMicroseconds(performance.now() - started_at_ms)
    const reached = socket.remoteAddress
    if (reached === undefined) fail(new Failure('connect_reset', 'connect', 'the connection was gone at once'))
    else if (!isSameAddress(reached, address))
      fail(new Failure('blocked_address', 'connect', 'the connection led to another address'))
  })
  socket.once(destination.tls ? 'secureConnect' : 'connect', () => {
    if (socket.destroyed) return
    const { connect_ms } = contact
    if (destination.tls) contact.tls_ms = inMicroseconds(performance.now() - started_at_ms - (connect_ms ?? 0))
    const connection = new Connection(endpoint, socket, idle_ms)
    contact.tls_version = connection.tls_version
    resolve(connection)
  })
  const outcome = await promise
  clearTimeout(timer)
  attempt.on_stop = null
  attempt.contacted(contact, outcome instanceof Failure ? outcome : null)
  return outcome
}

function connect({ destination, address }: Endpoint, secure_context: tls.SecureContext): net.Socket {
  const { host, port } = destination
  if (!destination.tls) return net.connect({ host: address, port })
  return tls.connect({
    host: address,
    port,
    // An address is checked against the certificate as an address and must not travel in SNI (RFC 6066 section 3).
    servername: net.isIP(host) === 0 ? host : '',
    secureContext: secure_context,
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: true,
  })
}

const isCertificateRefused = (socket: net.Socket) =>
  socket instanceof tls.TLSSocket && Boolean(socket.authorizationError)

export interface PoolLimits {
  /** Idle connections kept in all; 1,000 of them weigh some 115 MB. */
  connections_idle_max: number
  /** A connection is not used again when older, so that a receiver's certificate is verified now and then. */
  connection_age_ms_max: number
}

/**
 * Idle connections. The limit bounds what is kept, not what is open: an attempt never waits for a connection, because its
 * deadline runs; how many run at once is the dispatcher's limit.
 */
export class ConnectionPool {
  readonly #limits: PoolLimits
  readonly #open = new Set<Connection>()
  /** The one used longest ago first. */
  readonly #idle = new Set<Connection>()
  /** The same by the key of their endpoint: a search among hundreds took 14 µs per attempt. */
  readonly #idle_at = new Map<string, Connection[]>()

  constructor(limits: PoolLimits) {
    this.#limits = limits
  }

  get counts(): { open: number; idle: number } {
    return { open: this.#open.size, idle: this.#idle.size }
  }

  /** Counts a new connection until it closes. */
  add(connection: Connection) {
    this.#open.add(connection)
    connection.onClose(() => {
      this.#open.delete(connection)
      this.#withdraw(connection)
    })
  }

  /** The idle connection used last to the first of these endpoints that has one; the others may expire. */
  take(endpoints: readonly Endpoint[]): Connection | null {
    for (const { key } of endpoints)
      for (let last = this.#idle_at.get(key)?.at(-1); last; last = this.#idle_at.get(key)?.at(-1)) {
        this.#withdraw(last)
        const age_ms = performance.now() - last.opened_at_ms
        if (last.usable && age_ms < this.#limits.connection_age_ms_max) return last
        last.destroy()
      }
    return null
  }

  /** Takes a connection back; one that cannot be used again is closed, or the oldest where there is no room. */
  give(connection: Connection) {
    if (!connection.usable) return connection.destroy()
    const { key } = connection.endpoint
    this.#idle.add(connection)
    const others = this.#idle_at.get(key)
    if (others) others.push(connection)
    else this.#idle_at.set(key, [connection])
    const [oldest] = this.#idle
    if (!oldest || this.#idle.size <= this.#limits.connections_idle_max) return
    this.#withdraw(oldest)
    oldest.destroy()
  }

  destroy() {
    for (const connection of this.#open) connection.destroy()
  }

  #withdraw(connection: Connection) {
    if (!this.#idle.delete(connection)) return
    const { key } = connection.endpoint
    const others = this.#idle_at.get(key)
    others?.splice(others.lastIndexOf(connection), 1)
    if (others?.length === 0) this.#idle_at.delete(key)
  }
}
