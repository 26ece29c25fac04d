import type { AttemptPhase, ErrorClass } from './attempt-result.ts'

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
export function exchangeFailure(error: NodeJS.ErrnoException, phase: AttemptPhase, answered: boolean): Failure {
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
