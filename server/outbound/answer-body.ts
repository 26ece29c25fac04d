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

/** Keeps the first 16 KiB of an answer. `write` answers false when the sender should wait for `bodyDrained`. */
export interface AnswerBody {
  write(chunk: Buffer): boolean
  end(): void
  /** Stops all work; what was kept stays readable. */
  stop(): void
  bytes(): Buffer
}

/** The keeper for a body with this Content-Encoding; codings that are unknown or too many are kept as received. */
export function answerBody(content_encoding: string | string[] | undefined, listener: BodyListener): AnswerBody {
  if (content_encoding === undefined) return new PlainBody(listener)
  const codings = String(content_encoding)
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity')
  if (codings.length === 0 || codings.length > CODINGS_MAX) return new PlainBody(listener)
  const decoders = codings.reverse().map(decoderFor)
  return decoders.every((decoder) => decoder !== null) ? new DecodedBody(decoders, listener) : new PlainBody(listener)
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

class PlainBody implements AnswerBody {
  readonly #kept = new Kept()
  readonly #listener: BodyListener

  constructor(listener: BodyListener) {
    this.#listener = listener
  }

  write(chunk: Buffer): boolean {
    if (!this.#kept.add(chunk)) this.#listener.bodyFull()
    return true
  }

  end() {
    this.#listener.bodyEnded()
  }

  stop() {}

  bytes(): Buffer {
    return this.#kept.bytes()
  }
}

/**
 * Decodes as a stream, so that a small body that unpacks to gigabytes costs 16 KiB. A body that is not what its header
 * says is kept as received instead.
 */
class DecodedBody implements AnswerBody {
  readonly #received = new Kept()
  readonly #decoded = new Kept()
  readonly #decoders: readonly Transform[]
  readonly #first: Transform
  readonly #listener: BodyListener
  #broken = false
  #ended = false
  #done = false

  constructor(decoders: readonly Transform[], listener: BodyListener) {
    const [first, ...others] = decoders
    if (!first) throw new Error('a decoded body needs a decoder')
    this.#decoders = decoders
    this.#first = first
    this.#listener = listener
    for (const decoder of decoders) decoder.on('error', () => this.#break())
    const last = others.reduce((from, to) => from.pipe(to), first)
    last.on('data', (chunk: Buffer) => this.#decoded.add(chunk) || this.#finish('full'))
    last.on('end', () => this.#finish('ended'))
    first.on('drain', () => this.#done || this.#listener.bodyDrained())
  }

  write(chunk: Buffer): boolean {
    const had_room = this.#received.add(chunk)
    if (!this.#broken) return this.#first.write(chunk)
    if (!had_room) this.#finish('full')
    return true
  }

  end() {
    this.#ended = true
    if (this.#broken) this.#finish('ended')
    else this.#first.end()
  }

  stop() {
    this.#done = true
    for (const decoder of this.#decoders) decoder.destroy()
  }

  bytes(): Buffer {
    return this.#broken ? this.#received.bytes() : this.#decoded.bytes()
  }

  #break() {
    if (this.#done || this.#broken) return
    this.#broken = true
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
