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

/** What the attempt was doing: asking for addresses, connecting, shaking hands, sending, awaiting the head, reading. */
export type AttemptPhase = 'dns' | 'connect' | 'tls' | 'request' | 'head' | 'body'

/** Why the stored answer body is not all of it: 16 KiB reached, time over (or shutdown), or the other side broke off. */
export type ResponseCut = 'size' | 'time' | 'closed'

/**
 * What one attempt did and saw; every field is an observation, nothing is guessed.
 * Durations are milliseconds with three decimals. `dns_ms`, `connect_ms` and `tls_ms` are null when that phase did not
 * take place or did not end (literal address or kept DNS answer, reused connection, plain http); `connect_ms` and `tls_ms` belong to the
 * address in `resolved_ip`. `first_byte_ms` and `total_ms` count from the start of the attempt, before DNS.
 */
export interface AttemptResult {
  outcome: 'succeeded' | 'failed' | 'unknown'
  error_class: ErrorClass | null
  /** Where a failure happened; for an answer that was a failure itself null, or `body` if it also was cut short. */
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
