import type { IncomingMessage, ServerResponse } from 'node:http'
import { constants, Http2ServerRequest } from 'node:http2'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { headersTooLarge, malformedRequest, type Problem, requestTimeout } from '#core/problems.ts'
import { STATUS_CODES } from '../http1.ts'
import { isArriving } from '../request-head.ts'
import { listener_limits } from './limits.ts'

/** A response as it is written without the framework. */
export interface PlainResponse {
  status: number
  headers: Record<string, string>
  body: string
}

/**
 * For `clientError`: tells an HTTP/1.1 connection once that its bytes are no request, and hangs up. `render` makes the
 * response of a problem, `latest` knows the response that was begun last and that no other may be written into.
 */
export function answerParserErrors(
  render: (problem: Problem, socket: Socket) => PlainResponse,
  latest: (socket: Socket) => ServerResponse | undefined,
) {
  const answered = new WeakSet<Socket>()
  return ({ code }: NodeJS.ErrnoException, socket: Socket): void => {
    // The rest of a broken request that still arrives fails once more.
    if (answered.has(socket)) return
    answered.add(socket)
    const running = latest(socket)
    const isAnswering = running?.headersSent && !running.writableFinished
    if (code === 'ECONNRESET' || !socket.writable || isAnswering) return void socket.destroy()
    hangUp(socket, render(problemOf(code), socket), listener_limits)
  }
}

function problemOf(code: string | undefined): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') return headersTooLarge()
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? requestTimeout() : malformedRequest()
}

type LingerLimits = Pick<typeof listener_limits, 'linger_timeout_ms' | 'linger_bytes_max'>

/** Ends a connection with a last response, of which only the head is sent `without_content`. */
export function hangUp(socket: Socket, response: PlainResponse, limits: LingerLimits, without_content = false): void {
  const { status, headers, body } = response
  const own = { Date: new Date().toUTCString(), 'Content-Length': Buffer.byteLength(body), Connection: 'close' }
  const fields = Object.entries({ ...headers, ...own }).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${fields.join('')}\r\n`
  socket.on('error', () => socket.destroy())
  // A parser of HTTP gets no more of it: what follows must not be served.
  socket.removeAllListeners('data')
  discard(socket, socket, limits)
  cutLater(socket, limits)
  socket.end(without_content ? head : head + body)
}

/** Closing with unread bytes makes the kernel send a reset, which can take the response with it (RFC 9112 §9.6). */
function discard(source: Readable, socket: Socket, { linger_bytes_max }: LingerLimits): void {
  let bytes = 0
  source.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > linger_bytes_max) socket.destroy()
  })
}

function cutLater(socket: Socket, { linger_timeout_ms }: LingerLimits): void {
  const timer = setTimeout(() => socket.destroy(), linger_timeout_ms)
  socket.once('close', () => clearTimeout(timer))
}

/**
 * Closes the connection behind a response that is given before the body has arrived: who was refused must not go on
 * feeding it. Node would read such a body to its end, to keep the connection. Of HTTP/2 only this stream is cut; the
 * session takes no further one (GOAWAY), and ends with those that run.
 */
export async function closeUnlessRead(request: IncomingMessage, response: ServerResponse): Promise<void> {
  // Bytes that came together with the head are read by then.
  await setImmediate()
  if (!isArriving(request)) return
  if (request instanceof Http2ServerRequest) {
    const { stream } = request
    const { session } = stream // gone with the stream
    response.once('finish', () => {
      stream.close(constants.NGHTTP2_NO_ERROR) // RFC 9113 §8.1
      session?.close()
    })
    return
  }
  const { socket } = request
  response.setHeader('Connection', 'close')
  discard(request, socket, listener_limits)
  // Node calls it when the response is out.
  socket.destroySoon = () => {
    cutLater(socket, listener_limits)
    socket.end()
  }
}
