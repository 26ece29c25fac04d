import type { Transform } from 'node:stream'
import zlib from 'node:zlib'
import type { Dispatcher } from 'undici'
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

/** U11: what is kept of an answer body, after removal of content codings. */
export const BODY_BYTES_MAX = 16_384
const CODINGS_MAX = 3
// 8 MiB, the window RFC 9659 allows for zstd on the web; the format itself would let a receiver ask us for gigabytes.
const ZSTD_WINDOW_LOG_MAX = 23

/** Told what becomes of a body; `bodyFull` and `bodyEnded` come once, and only one of them. */
interface BodyListener {
  bodyFull(): void
  bodyEnded(): void
  bodyDrained(): void
}

/**
 * Keeps the first 16 KiB of an answer. Decodes as a stream, so that a small body that unpacks to gigabytes costs 16 KiB.
 * A body whose codings are unknown or too many, or that is not what its header says, is kept as received instead.
 */
class AnswerBody {
  readonly #received = new Kept()
  readonly #decoded = new Kept()
  readonly #decoders: readonly Transform[]
  readonly #listener: BodyListener
  #is_decoded: boolean
  #ended = false
  #done = false

  constructor(content_encoding: string | string[] | undefined, listener: BodyListener) {
    this.#listener = listener
    this.#decoders = decodersFor(content_encoding)
    const [first, ...others] = this.#decoders
    this.#is_decoded = first !== undefined
    if (!first) return
    for (const decoder of this.#decoders) decoder.on('error', () => this.#keepAsReceived())
    const last = others.reduce((from, to) => from.pipe(to), first)
    last.on('data', (chunk: Buffer) => this.#decoded.add(chunk) || this.#finish('full'))
    last.on('end', () => this.#finish('ended'))
    first.on('drain', () => this.#done || listener.bodyDrained())
  }

  /** False when the sender should wait for `bodyDrained`. */
  write(chunk: Buffer): boolean {
    const had_room = this.#received.add(chunk)
    if (this.#is_decoded) return this.#decoders[0]?.write(chunk) ?? true
    if (!had_room) this.#finish('full')
    return true
  }

  end() {
    this.#ended = true
    if (this.#is_decoded) this.#decoders[0]?.end()
    else this.#finish('ended')
  }

  /** Stops all work; what was kept stays readable. */
  stop() {
    this.#done = true
    for (const decoder of this.#decoders) decoder.destroy()
  }

  bytes(): Buffer {
    return this.#is_decoded ? this.#decoded.bytes() : this.#received.bytes()
  }

  #keepAsReceived() {
    if (this.#done || !this.#is_decoded) return
    this.#is_decoded = false
    if (this.#ended) this.#finish('ended')
    else this.#listener.bodyDrained()
  }

  #finish(how: 'full' | 'ended') {
    if (this.#done) return
    this.stop()
    if (how === 'full') this.#listener.bodyFull()
    else this.#listener.bodyEnded()
  }
}

/** Decoders in the order in which they are to be used; none where one coding is unknown or they are too many. */
function decodersFor(content_encoding: string | string[] | undefined): Transform[] {
  if (content_encoding === undefined) return []
  const codings = String(content_encoding)
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity')
  if (codings.length > CODINGS_MAX) return []
  const decoders = codings.reverse().map(decoderFor)
  return decoders.includes(null) ? [] : decoders.filter((decoder) => decoder !== null)
}

function decoderFor(coding: string): Transform | null {
  if (coding === 'gzip' || coding === 'x-gzip') return zlib.createGunzip()
  if (coding === 'deflate') return zlib.createInflate()
  if (coding === 'br') return zlib.createBrotliDecompress()
  if (coding === 'zstd')
    return zlib.createZstdDecompress({ params: { [zlib.constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG_MAX } })
  return null
}

/** Chunks up to the limit, copied, since a chunk is a view of a read buffer of up to 64 KiB. */
class Kept {
  readonly #chunks: Buffer[] = []
  #size = 0

  /** Answers whether all of the chunk had room. */
  add(chunk: Buffer): boolean {
    const room = BODY_BYTES_MAX - this.#size
    if (room > 0 && chunk.length > 0) this.#chunks.push(Buffer.from(chunk.subarray(0, room)))
    this.#size += Math.min(room, chunk.length)
    return chunk.length <= room
  }

  bytes(): Buffer {
    const [first] = this.#chunks
    return this.#chunks.length === 1 && first ? first : Buffer.concat(this.#chunks)
  }
}
