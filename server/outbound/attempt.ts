/** The closed list of section 7, without `worker_lost`, which only the reaper can know. */
export type ErrorClass =
  | 'dns'
  | 'blocked_address'
  | 'connect_refused'
  | 'connect_unreachable'
  | 'connect_reset'
  | 'tls_certificate'
  | 'tls_handshake'
  | 'timeout'
  | 'closed'
  | 'protocol'
  | 'head_too_large'
  | 'redirect'
  | 'http_4xx'
  | 'http_5xx'
  | 'http_other'
  | 'shutdown'
  | 'internal'

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
export interface AttemptResult {
  outcome: 'succeeded' | 'failed' | 'unknown'
  error_class: ErrorClass | null
  /** The phase of a failure; for an answer that was a failure itself null, or `body` if it also was cut short. */
  error_phase: AttemptPhase | null
  /** One line for people, at most 300 characters, without control characters. */
  error_detail: string | null
  response_status: number | null
  /** Names in lower case; values as Latin-1 text, one character per byte. */
  response_headers: Record<string, string | string[]> | null
  /** At most 16 KiB, after removal of content codings; as received if the coding is unknown or broken. */
  response_body: Buffer | null
  response_cut: ResponseCut | null
  retry_after: string | null
  /** The address contacted last; null if nothing was contacted. */
  resolved_ip: string | null
  tls_version: string | null
  connection_reused: boolean
  dns_ms: number | null
  connect_ms: number | null
  tls_ms: number | null
  first_byte_ms: number | null
  total_ms: number
}

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

/** A network error as one line: its code, and the words that OpenSSL or the system gave. */
export function describe(error: NodeJS.ErrnoException & { reason?: string }): string {
  // Node appends advice for its own command line after a semicolon; it helps nobody who reads a delivery.
  const [words = ''] = (error.reason ?? error.message).split(';')
  return !error.code || words.includes(error.code) ? words : `${error.code}: ${words}`
}

const CONNECT_CLASSES: Readonly<Record<string, ErrorClass>> = {
  ECONNREFUSED: 'connect_refused',
  ECONNRESET: 'connect_reset',
  EHOSTUNREACH: 'connect_unreachable',
  ENETUNREACH: 'connect_unreachable',
  EHOSTDOWN: 'connect_unreachable',
  ENETDOWN: 'connect_unreachable',
  EADDRNOTAVAIL: 'connect_unreachable',
  EACCES: 'connect_unreachable',
  EPERM: 'connect_unreachable',
  ETIMEDOUT: 'timeout',
}

/** The failure behind an error of a socket that was not yet connected; an unknown code is a fault of our side. */
export function connectFailure(error: NodeJS.ErrnoException): Failure {
  return new Failure(CONNECT_CLASSES[error.code ?? ''] ?? 'internal', 'connect', describe(error))
}

/** The failure behind an error between the connection and the end of the TLS handshake. */
export function tlsFailure(error: NodeJS.ErrnoException & { syscall?: string }, certificate_refused: boolean): Failure {
  if (certificate_refused) return new Failure('tls_certificate', 'tls', describe(error))
  // An orderly close during the handshake is reported by node:tls as ECONNRESET too, but without a system call.
  if (error.code === 'ECONNRESET' && error.syscall) return new Failure('connect_reset', 'tls', describe(error))
  return new Failure('tls_handshake', 'tls', describe(error))
}

/** The failure behind an error that undici reported after the request had been handed to it. */
export function callFailure(error: NodeJS.ErrnoException, phase: AttemptPhase, answered: boolean): Failure {
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

/** The result of an attempt before anything has been seen. */
export const nothingSeen = (): AttemptResult => ({
  outcome: 'succeeded',
  error_class: null,
  error_phase: null,
  error_detail: null,
  response_status: null,
  response_headers: null,
  response_body: null,
  response_cut: null,
  retry_after: null,
  resolved_ip: null,
  tls_version: null,
  connection_reused: false,
  dns_ms: null,
  connect_ms: null,
  tls_ms: null,
  first_byte_ms: null,
  total_ms: 0,
})

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
    this.#timer = setTimeout(stopForTime, deadline_ms, this)
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

  /** A connection to this address begins; what an earlier one of this attempt took is no longer told. */
  contact(resolved_ip: string) {
    Object.assign(this.seen, {
      resolved_ip,
      tls_version: null,
      connection_reused: false,
      connect_ms: null,
      tls_ms: null,
    })
  }

  end(failure: Failure | null): AttemptResult {
    clearTimeout(this.#timer)
    this.on_stop = null
    const { seen, age_ms: total_ms } = this
    const retry_after = seen.response_headers?.['retry-after']
    Object.assign(seen, { retry_after: retry_after === undefined ? null : String(retry_after), total_ms })
    if (!failure) return seen
    const { error_class, phase: error_phase, detail: error_detail } = failure
    const is_unknown = error_class === 'internal' || error_class === 'shutdown'
    return Object.assign(seen, { outcome: is_unknown ? 'unknown' : 'failed', error_class, error_phase, error_detail })
  }
}

// A function of the module: one closure less per attempt.
const stopForTime = (attempt: Attempt) => attempt.stop('time')
