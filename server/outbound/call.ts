import type { Dispatcher } from 'undici'
import { AnswerBody, type BodyListener } from './answer-body.ts'
import { type Attempt, callFailure, type ErrorClass, Failure, type ResponseCut } from './attempt.ts'
import { type Connection, type ConnectionHandler, type ConnectionRequest, HEAD_BYTES_MAX } from './connection.ts'

/** Sends one request over a connection and reads the answer; the evidence goes to the attempt. Never rejects. */
export function call(attempt: Attempt, connection: Connection, request: ConnectionRequest): Promise<Failure | null> {
  return new Promise((resolve) => {
    const running = new Call(attempt, connection, resolve)
    connection.send(request, running)
  })
}

/** The handler that undici tells of one request; it ends once, and leaves the connection usable or destroyed. */
class Call implements ConnectionHandler, BodyListener {
  readonly #attempt: Attempt
  readonly #connection: Connection
  readonly #resolve: (failure: Failure | null) => void
  #controller: Dispatcher.DispatchController | null = null
  #body: AnswerBody | null = null
  #head_bytes = 0
  #ended = false

  constructor(attempt: Attempt, connection: Connection, resolve: (failure: Failure | null) => void) {
    this.#attempt = attempt
    this.#connection = connection
    this.#resolve = resolve
    attempt.on_stop = () => this.#stopped()
  }

  bytesArrived(bytes: number) {
    if (this.#body || bytes === 0) return
    this.#attempt.seen.first_byte_ms ??= this.#attempt.age_ms
    // undici bounds names and values; this also bounds what it does not count: status line, 1xx heads, line ends.
    if (this.#head_bytes > HEAD_BYTES_MAX)
      this.#break(new Failure('head_too_large', 'head', `the head exceeds ${HEAD_BYTES_MAX} bytes`))
    this.#head_bytes += bytes
  }

  onRequestStart(controller: Dispatcher.DispatchController) {
    this.#controller = controller
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Record<string, string | string[]>) {
    if (this.#ended || status < 200) return
    this.#attempt.seen.response_status = status
    this.#attempt.seen.response_headers = headers
    this.#body = new AnswerBody(headers['content-encoding'], this)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer) {
    if (this.#ended) return
    if (this.#body?.write(chunk) === false) controller.pause()
  }

  onResponseEnd() {
    this.#body?.end()
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: NodeJS.ErrnoException) {
    if (this.#ended) return
    if (this.#body) this.#cut(error.code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE' ? 'size' : 'closed')
    else this.#break(callFailure(error, this.#phase, this.#head_bytes > 0))
  }

  bodyDrained() {
    if (!this.#ended) this.#controller?.resume()
  }

  bodyFull() {
    this.#cut('size')
  }

  bodyEnded() {
    this.#end(this.#outcome())
  }

  #stopped() {
    if (this.#body) this.#cut('time')
    else this.#break(this.#attempt.stopFailure(this.#phase))
  }

  get #phase(): 'request' | 'head' {
    return this.#head_bytes === 0 && this.#connection.sending ? 'request' : 'head'
  }

  /** The head has decided the outcome; only the rest of the body is given up. */
  #cut(cut: ResponseCut) {
    if (this.#ended) return
    this.#attempt.seen.response_cut = cut
    this.#break(this.#outcome())
  }

  #break(failure: Failure | null) {
    this.#end(failure)
    this.#connection.destroy()
  }

  #end(failure: Failure | null) {
    if (this.#ended) return
    this.#ended = true
    this.#connection.handler = null
    this.#attempt.on_stop = null
    this.#attempt.seen.response_body = this.#body?.bytes() ?? null
    this.#body?.stop()
    this.#resolve(failure)
  }

  #outcome(): Failure | null {
    const { response_status: status, response_cut: cut } = this.#attempt.seen
    if (status === null || (status >= 200 && status <= 299)) return null
    const phase = cut === 'time' || cut === 'closed' ? 'body' : null
    const error_class = statusClass(status)
    const detail = error_class === 'redirect' ? `${status}, and redirects are not followed` : status
    return new Failure(error_class, phase, `the receiver answered ${detail}`)
  }
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])

function statusClass(status: number): ErrorClass {
  if (REDIRECTS.has(status)) return 'redirect'
  if (status >= 400 && status <= 499) return 'http_4xx'
  return status >= 500 && status <= 599 ? 'http_5xx' : 'http_other'
}
