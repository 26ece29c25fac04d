/** The closed list of section 7, without `worker_lost`, which only the reaper can know. */
export type ErrorClass = ConnectClass | TlsClass | AnswerClass | OwnClass
type ConnectClass = 'dns' | 'blocked_address' | 'connect_refused' | 'connect_unreachable' | 'connect_reset' | 'timeout'
type TlsClass = 'tls_certificate' | 'tls_handshake'
type AnswerClass = 'closed' | 'protocol' | 'head_too_large' | 'redirect' | 'http_4xx' | 'http_5xx' | 'http_other'
/** Faults of our side: such attempts are repeated and not counted. */
type OwnClass = 'shutdown' | 'internal'

/** Step of an attempt: asking for addresses, connecting, shaking hands, sending, awaiting the head, reading. */
export type AttemptPhase = 'dns' | 'connect' | 'tls' | 'request' | 'head' | 'body'

/** Why the stored answer body is not all of it: 16 KiB reached, time over (or shutdown), or the other side broke off. */
export type ResponseCut = 'size' | 'time' | 'closed'

/**
 * Observations of one attempt; nothing is guessed.
 * Durations are milliseconds with three decimals. `dns_ms`, `connect_ms` and `tls_ms` are null when that phase did not
 * take place or did not end (literal address or kept DNS answer, reused connection, plain http); `connect_ms` and
 * `tls_ms` belong to the address in `resolved_ip`. `first_byte_ms` and `total_ms` count from the start of the attempt,
 * before DNS.
 */
export type AttemptResult = ReturnType<typeof nothingSeen>

/** The result of an attempt before anything has been seen. The casts tell what else each part can become. */
export const nothingSeen = () => ({
  outcome: 'succeeded' as 'succeeded' | 'failed' | 'unknown',
  error_class: null as ErrorClass | null,
  /** The phase of a failure; for an answer that was a failure itself null, or `body` if it also was cut short. */
  error_phase: null as AttemptPhase | null,
  /** One line for people, at most 300 characters, without control characters. */
  error_detail: null as string | null,
  response_status: null as number | null,
  /** Names in lower case; values as Latin-1 text, one character per byte. */
  response_headers: null as Record<string, string | string[]> | null,
  /** At most 16 KiB, after removal of content codings; as received if the coding is unknown or broken. */
  response_body: null as Buffer | null,
  response_cut: null as ResponseCut | null,
  retry_after: null as string | null,
  /** Every address contacted, in the order in which they were tried. */
  addresses: [] as Contact[],
  /** The address contacted last; null if nothing was contacted. */
  resolved_ip: null as string | null,
  tls_version: null as string | null,
  connection_reused: false,
  dns_ms: null as number | null,
  connect_ms: null as number | null,
  tls_ms: null as number | null,
  first_byte_ms: null as number | null,
  total_ms: 0,
})

/** An address that was contacted, with times in milliseconds from the start of the attempt. */
const contactOf = (address: string, connection_reused: boolean, started_ms: number) => ({
  address,
  connection_reused,
  tls_version: null as string | null,
  started_ms,
  connect_ms: null as number | null,
  tls_ms: null as number | null,
  /** When the connection stood, or was given up. */
  ended_ms: started_ms,
  /** Why another address or connection was needed, or none was left; null if the request went over this one. */
  error_class: null as ErrorClass | null,
  error_detail: null as string | null,
})
export type Contact = ReturnType<typeof contactOf>

/** A duration rounded to three decimals, which is what the clock can tell. */
export const inMicroseconds = (duration_ms: number): number => Math.round(duration_ms * 1000) / 1000

/** Code of the error for a request whose connection closed before the request was written. */
export const CONNECTION_GONE = 'ERR_CONNECTION_GONE'
const DETAIL_CHARACTERS_MAX = 300

/** Why a stage of an attempt ended without what it was to bring. A value, never thrown. */
export class Failure {
  readonly error_class: ErrorClass
  readonly phase: AttemptPhase | null
  readonly detail: string

  constructor(error_class: ErrorClass, phase: AttemptPhase | null, detail: string) {
    this.error_class = error_class
    this.phase = phase
    // Parts of a detail can come from the receiver (names in a certificate), so it is kept short and printable.
    this.detail = detail.replace(/\p{Cc}+/gu, ' ').slice(0, DETAIL_CHARACTERS_MAX)
  }
}

type NetworkError = NodeJS.ErrnoException & { reason?: string }

/** A network error as one line: its code, and the words that OpenSSL or the system gave. */
export function describe(error: NetworkError): string {
  // Node appends advice for its own command line after a semicolon; it helps nobody who reads a delivery.
  const [words = ''] = (error.reason ?? error.message).split(';')
  return !error.code || words.includes(error.code) ? words : `${error.code}: ${words}`
}

const NETWORK_CLASSES = new Map<string | undefined, ErrorClass>([
  ['ECONNREFUSED', 'connect_refused'],
  ['ECONNRESET', 'connect_reset'],
  ['ETIMEDOUT', 'timeout'],
  ...['EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENETDOWN', 'EADDRNOTAVAIL', 'EACCES', 'EPERM'].map(
    (code): [string, ErrorClass] => [code, 'connect_unreachable'],
  ),
])

/** The failure behind an error of a socket that was not yet connected; an unknown code is a fault of our side. */
export function connectFailure(error: NetworkError): Failure {
  return new Failure(NETWORK_CLASSES.get(error.code) ?? 'internal', 'connect', describe(error))
}

/** The failure behind an error between the connection and the end of the TLS handshake. */
export function tlsFailure(error: NetworkError, certificate_refused: boolean): Failure {
  // An orderly close during the handshake is reported by node:tls as ECONNRESET too, but without a system call.
  const error_class = error.code === 'ECONNRESET' && error.syscall ? 'connect_reset' : 'tls_handshake'
  return new Failure(certificate_refused ? 'tls_certificate' : error_class, 'tls', describe(error))
}

/** The failure behind an error that undici reported after the request had been handed to it. */
export function callFailure(error: NetworkError, phase: AttemptPhase, answered: boolean): Failure {
  const code = error.code ?? ''
  const detail = describe(error)
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return new Failure('head_too_large', phase, 'the head exceeds 16 KiB')
  // "bad response" and "bad upgrade" are undici's words for answers that were not asked for, such as 100 and 101.
  if (code === 'UND_ERR_SOCKET' && error.message.startsWith('bad '))
    return new Failure('protocol', phase, 'the receiver sent an answer that was not asked for')
  if (code === 'UND_ERR_SOCKET' || code === 'EPIPE' || code === CONNECTION_GONE)
    return new Failure('closed', phase, 'the receiver closed the connection without an answer')
  if (code === 'ECONNRESET') return new Failure('connect_reset', phase, detail)
  if (code === 'ETIMEDOUT') return new Failure('timeout', phase, detail)
  // TLS 1.3 receivers refuse a missing client certificate only after our side of the handshake has ended.
  if (code.startsWith('ERR_SSL_') || code === 'EPROTO') return new Failure('tls_handshake', 'tls', detail)
  if (!answered) return new Failure('internal', phase, detail)
  // llhttp's codes say what is wrong; undici's own assertions, which only bytes of the receiver can trip, do not.
  return new Failure('protocol', phase, code.startsWith('HPE_') ? detail : 'the answer does not follow HTTP/1.1')
}

/** One attempt while it runs: its deadline, and what it has seen so far. */
export class Attempt {
  readonly #started_at_ms = performance.now()
  readonly #timer: NodeJS.Timeout
  readonly #deadline_ms: number
  #stopped: 'time' | 'shutdown' | null = null
  /** Called once when the time is over or the service shuts down; set by the stage that is running. */
  on_stop: (() => void) | null = null
  readonly seen = nothingSeen()

  /** The deadline runs from here: before DNS, to the end of the answer's body. */
  constructor(deadline_ms: number) {
    this.#deadline_ms = deadline_ms
    this.#timer = setTimeout(() => this.stop('time'), deadline_ms)
  }

  get stopped(): boolean {
    return this.#stopped !== null
  }

  /** Milliseconds since the start, with three decimals. */
  get age_ms(): number {
    return inMicroseconds(performance.now() - this.#started_at_ms)
  }

  stop(reason: 'time' | 'shutdown') {
    if (this.#stopped) return
    this.#stopped = reason
    this.on_stop?.()
  }

  /** The failure of a stage that a stop has ended. */
  stopFailure(phase: AttemptPhase): Failure {
    if (this.#stopped === 'shutdown') return new Failure('shutdown', phase, 'the service is shutting down')
    // A name that does not resolve in time is a failure of DNS, whichever clock ran out first.
    const error_class = phase === 'dns' ? 'dns' : 'timeout'
    return new Failure(error_class, phase, `not finished within ${this.#deadline_ms} ms`)
  }

  /** An address is contacted, or has a connection that is open already. */
  contact(address: string, connection_reused = false): Contact {
    const contact = contactOf(address, connection_reused, this.age_ms)
    this.seen.addresses.push(contact)
    return contact
  }

  contacted(contact: Contact, failure: Failure | null) {
    const { error_class = null, detail: error_detail = null } = failure ?? {}
    Object.assign(contact, { ended_ms: this.age_ms, error_class, error_detail })
  }

  end(failure: Failure | null): AttemptResult {
    clearTimeout(this.#timer)
    this.on_stop = null
    const { seen, age_ms: total_ms } = this
    const retry_after = seen.response_headers?.['retry-after']
    Object.assign(seen, { retry_after: retry_after === undefined ? null : String(retry_after), total_ms })
    const last = seen.addresses.at(-1)
    if (last) {
      const { address: resolved_ip, connection_reused, tls_version, connect_ms, tls_ms } = last
      Object.assign(seen, { resolved_ip, connection_reused, tls_version, connect_ms, tls_ms })
    }
    if (!failure) return seen
    const { error_class, phase: error_phase, detail: error_detail } = failure
    const is_unknown = error_class === 'internal' || error_class === 'shutdown'
    return Object.assign(seen, { outcome: is_unknown ? 'unknown' : 'failed', error_class, error_phase, error_detail })
  }
}
