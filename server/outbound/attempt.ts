import { type AttemptPhase, type AttemptResult, inMicroseconds, type ResponseCut } from './attempt-result.ts'
import type { Connection } from './connection.ts'
import { Failure } from './failure.ts'

/** One attempt while it runs: its deadline, and the evidence gathered so far. */
export class Attempt {
  readonly #started_at_ms = performance.now()
  readonly #timer: NodeJS.Timeout
  readonly #deadline_ms: number
  #stopped: 'time' | 'shutdown' | null = null
  /** Called once when the time is over or the service shuts down; set by the stage that is running. */
  on_stop: (() => void) | null = null

  dns_ms: number | null = null
  /** The address contacted last, also if no connection came about. */
  contacted: string | null = null
  connection: Connection | null = null
  connection_reused = false
  connect_ms: number | null = null
  tls_ms: number | null = null
  first_byte_at_ms: number | null = null
  status: number | null = null
  headers: Record<string, string | string[]> | null = null
  body: Buffer | null = null
  cut: ResponseCut | null = null

  /** The deadline runs from here: before DNS, to the end of the answer's body. */
  constructor(deadline_ms: number) {
    this.#deadline_ms = deadline_ms
    this.#timer = setTimeout(stopForTime, deadline_ms, this)
  }

  get stopped(): boolean {
    return this.#stopped !== null
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

  /** A connection to this address begins; what an earlier address of this attempt took is no longer told. */
  contact(address: string) {
    this.contacted = address
    this.connect_ms = null
    this.tls_ms = null
  }

  useConnection(connection: Connection, reused: boolean) {
    this.connection = connection
    this.contacted = connection.address
    this.connection_reused = reused
  }

  dropConnection() {
    this.connection = null
    this.connection_reused = false
  }

  end(failure: Failure | null): AttemptResult {
    clearTimeout(this.#timer)
    this.on_stop = null
    const retry_after = this.headers?.['retry-after']
    return {
      outcome: outcomeOf(failure),
      error_class: failure?.error_class ?? null,
      error_phase: failure?.phase ?? null,
      error_detail: failure?.detail ?? null,
      response_status: this.status,
      response_headers: this.headers,
      response_body: this.body,
      response_cut: this.cut,
      retry_after: retry_after === undefined ? null : String(retry_after),
      resolved_ip: this.contacted,
      tls_version: this.connection?.tls_version ?? null,
      connection_reused: this.connection_reused,
      dns_ms: this.dns_ms,
      connect_ms: this.connect_ms,
      tls_ms: this.tls_ms,
      first_byte_ms:
        this.first_byte_at_ms === null ? null : inMicroseconds(this.first_byte_at_ms - this.#started_at_ms),
      total_ms: inMicroseconds(performance.now() - this.#started_at_ms),
    }
  }
}

// A function of the module: one closure less per attempt.
const stopForTime = (attempt: Attempt) => attempt.stop('time')

function outcomeOf(failure: Failure | null): AttemptResult['outcome'] {
  if (!failure) return 'succeeded'
  return failure.error_class === 'internal' || failure.error_class === 'shutdown' ? 'unknown' : 'failed'
}
