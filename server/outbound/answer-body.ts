import type { Transform } from 'node:stream'
import zlib from 'node:zlib'

/** U11: what is kept of an answer body, after removal of content codings. */
export const BODY_BYTES_MAX = 16_384
const CODINGS_MAX = 3
// 8 MiB, the window RFC 9659 allows for zstd on the web; the format itself would let a receiver ask us for gigabytes.
const ZSTD_WINDOW_LOG_MAX = 23

/** Told what becomes of a body; `bodyFull` and `bodyEnded` come once, and only one of them. */
export interface BodyListener {
  bodyFull(): void
  bodyEnded(): void
  bodyDrained(): void
}

/**
 * Keeps the first 16 KiB of an answer. Decodes as a stream, so that a small body that unpacks to gigabytes costs 16 KiB.
 * A body whose codings are unknown or too many, or that is not what its header says, is kept as received instead.
 */
export class AnswerBody {
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
