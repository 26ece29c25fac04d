import type { IncomingMessage, ServerResponse } from 'node:http'
import { constants, Http2ServerRequest } from 'node:http2'
import { setImmediate } from 'node:timers/promises'
import { listener_limits } from './limits.ts'

/**
 * Closes the connection behind an answer that is given before the body has arrived: who was refused must not go on
 * feeding it. Node would read such a body to its end, to keep the connection. Of HTTP/2 only this stream is cut; the
 * session takes no further one (GOAWAY), and ends with those that run.
 */
export async function closeUnlessRead(request: IncomingMessage, response: ServerResponse): Promise<void> {
  // Bytes that came together with the head are read by then.
  if (isArriving(request)) await setImmediate()
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
  response.setHeader('Connection', 'close')
  cutLater(request)
}

/** Discards what still comes for a while, so that a reset does not take the answer with it (RFC 9112 §9.6). */
function cutLater(request: IncomingMessage): void {
  const { socket } = request
  const { linger_bytes_max, linger_timeout_ms } = listener_limits
  const cut = () => socket.destroy()
  let bytes = 0
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > linger_bytes_max) cut()
  })
  // Node calls it when the answer is out.
  socket.destroySoon = () => {
    const timer = setTimeout(cut, linger_timeout_ms)
    socket.once('close', () => clearTimeout(timer))
    socket.end()
  }
}

function isArriving(request: IncomingMessage): boolean {
  if (request instanceof Http2ServerRequest) {
    return request.stream.state.state === constants.NGHTTP2_STREAM_STATE_OPEN
  }
  const { headers, complete } = request
  // Requests of tests that call in process arrive as a whole, and do not say so.
  return (
    complete === false && (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0)
  )
}
