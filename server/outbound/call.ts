import { pipeline, Readable, type Transform } from 'node:stream'
import zlib from 'node:zlib'
import type { Dispatcher } from 'undici'
import { type Attempt, type AttemptResult, callFailure, Failure, type ResponseCut } from './attempt.ts'
import { type Connection, type ConnectionHandler, HEAD_BYTES_MAX } from './connection.ts'

/** Sends one request over a connection and reads the answer; the evidence goes to the attempt. Never rejects. */
export async function call(attempt: Attempt, connection: Connection, request: Dispatcher.DispatchOptions) {
  const { seen } = attempt
  const answer = new Answer(attempt, connection)
  connection.send(request, answer)
  const failure = await answer.ended
  const { body, decoders } = answer
  if (body) seen.response_body = decoders.length === 0 ? body.bytes() : await decode(body, decoders, seen)
  return failure ?? failureOfStatus(seen)
}

/** The handler that undici tells of one request; it ends once, and leaves the connection usable or destroyed. */
class Answer implements ConnectionHandler {
  readonly #attempt: Attempt
  readonly #connection: Connection
  readonly #end = Promise.withResolvers<Failure | null>()
  #bytes = 0
  #is_over = false
  /** The body as it came; null until there is a head. */
  body: Kept | null = null
  decoders: Decoders = []

  constructor(attempt: Attempt, connection: Connection) {
    this.#attempt = attempt
    this.#connection = connection
    attempt.on_stop = () => this.#break('time', () => attempt.stopFailure(this.#phase))
  }

  get ended(): Promise<Failure | null> {
    return this.#end.promise
  }

  bytesArrived(bytes: number, informational: number) {
    this.#attempt.seen.first_byte_ms ??= this.#attempt.age_ms
    // undici bounds names and values; this also bounds what it does not count: status line, 1xx heads, line ends.
    if (!this.body && Math.max(this.#bytes, informational) > HEAD_BYTES_MAX)
      this.#break(null, () => new Failure('head_too_large', 'head', `the head exceeds ${HEAD_BYTES_MAX} bytes`))
    this.#bytes += bytes
    if (this.body && this.#bytes > RAW_BYTES_MAX) this.#break('size')
  }

  onRequestStart() {}

  onResponseStart(_: unknown, response_status: number, response_headers: Record<string, string | string[]>) {
    if (this.#is_over || response_status < 200) return
    Object.assign(this.#attempt.seen, { response_status, response_headers })
    this.decoders = decodersFor(response_headers['content-encoding'])
    this.body = new Kept(this.decoders.length === 0 ? BODY_BYTES_MAX : CODED_BYTES_MAX)
  }

  onResponseData(_: unknown, chunk: Buffer) {
    if (!this.#is_over && this.body?.add(chunk) === false) this.#break('size')
  }

  onResponseEnd() {
    this.#over(null)
  }

  onResponseError(_: unknown, error: NodeJS.ErrnoException) {
    this.#break('closed', () => callFailure(error, this.#phase, this.#bytes > 0))
  }

  get #phase(): 'request' | 'head' {
    return this.#bytes === 0 && this.#connection.sending ? 'request' : 'head'
  }

  /** The head decides the outcome: after it only the rest of the body is given up, before it the attempt has failed. */
  #break(cut: ResponseCut | null, failure?: () => Failure) {
    if (this.#is_over) return
    if (this.body) this.#attempt.seen.response_cut = cut
    this.#over(this.body || !failure ? null : failure())
    this.#connection.destroy()
  }

  #over(failure: Failure | null) {
    this.#is_over = true
    this.#connection.handler = null
    this.#attempt.on_stop = null
    this.#end.resolve(failure)
  }
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])

function failureOfStatus({ response_status: status, response_cut: cut }: AttemptResult): Failure | null {
  if (status === null || (status >= 200 && status <= 299)) return null
  const phase = cut === 'time' || cut === 'closed' ? 'body' : null
  if (REDIRECTS.has(status))
    return new Failure('redirect', phase, `the receiver answered ${status}, and redirects are not followed`)
  const hundreds = Math.trunc(status / 100)
  const error_class = hundreds === 4 ? 'http_4xx' : hundreds === 5 ? 'http_5xx' : 'http_other'
  return new Failure(error_class, phase, `the receiver answered ${status}`)
}

/** U11: what is kept of an answer body, after removal of content codings. */
export const BODY_BYTES_MAX = 16_384
/** U11: bytes read of one answer, most of which may be framing: sizes of chunks and their extensions. */
export const RAW_BYTES_MAX = 1_048_576
/** Bytes read of a body with content codings: 16 KiB that do not shrink at all take little more than 16 KiB in any of them. */
const CODED_BYTES_MAX = 20_480
const CODINGS_MAX = 3
// 8 MiB, the window RFC 9659 allows for zstd on the web; the format itself would let a receiver ask us for gigabytes.
const ZSTD_WINDOW_LOG_MAX = 23

type Decoders = readonly (() => Transform)[]
const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', zlib.createGunzip],
  ['x-gzip', zlib.createGunzip],
  ['deflate', zlib.createInflate],
  ['br', zlib.createBrotliDecompress],
  ['zstd', () => zlib.createZstdDecompress({ params: { [zlib.constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG_MAX } })],
])

/** Decoders in the order in which they are to be used; none where one coding is unknown or they are too many. */
function decodersFor(content_encoding: string | string[] | undefined): Decoders {
  if (content_encoding === undefined) return []
  const named = String(content_encoding).toLowerCase().split(',')
  const codings = named.map((coding) => coding.trim()).filter((coding) => coding !== '' && coding !== 'identity')
  const decoders = codings.flatMap((coding) => DECODERS.get(coding) ?? []).reverse()
  return codings.length <= CODINGS_MAX && decoders.length === codings.length ? decoders : []
}

/**
 * The first 16 KiB of a body without its codings. One that is not what its header says is kept as received; of one that
 * was cut, what can be decoded.
 */
async function decode(received: Kept, decoders: Decoders, seen: AttemptResult): Promise<Buffer> {
  let kept = new Kept(BODY_BYTES_MAX)
  const steps = decoders.map((make) => make())
  // Its callback is empty, since whatever fails reaches the reader of the last step.
  pipeline([Readable.from([received.bytes()]), ...steps], () => {})
  try {
    for await (const chunk of steps.at(-1) ?? []) if (!kept.add(chunk)) break
  } catch (error) {
    // The cast holds because streams fail with errors; this one says that the body ends too early.
    const ends_early = (error as NodeJS.ErrnoException).code === 'Z_BUF_ERROR'
    if (seen.response_cut === null || !ends_early) {
      kept = new Kept(BODY_BYTES_MAX)
      kept.add(received.bytes())
    }
  }
  if (kept.is_cut) seen.response_cut = 'size'
  return kept.bytes()
}

/** Chunks up to a limit, copied, since a chunk is a view of a read buffer of up to 64 KiB. */
class Kept {
  readonly #bytes_max: number
  readonly #chunks: Buffer[] = []
  size = 0
  /** More came than there was room for. */
  is_cut = false

  constructor(bytes_max: number) {
    this.#bytes_max = bytes_max
  }

  /** Answers whether all of the chunk had room. */
  add(chunk: Buffer): boolean {
    const taken = chunk.subarray(0, this.#bytes_max - this.size)
    if (taken.length > 0) this.#chunks.push(Buffer.from(taken))
    this.size += taken.length
    this.is_cut ||= taken.length < chunk.length
    return !this.is_cut
  }

  bytes(): Buffer {
    const [first] = this.#chunks
    return this.#chunks.length === 1 && first ? first : Buffer.concat(this.#chunks)
  }
}
