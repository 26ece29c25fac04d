import type { IncomingMessage, ServerResponse } from 'node:http'
import { constants, Http2ServerRequest } from 'node:http2'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'

import { expectationFailed, headersTooLarge, malformedRequest, type Problem, requestTimeout } from '#core/problems.ts'
import { STATUS_CODES } from '../http1.ts'
import { listener_limits } from './limits.ts'

/** The bytes that a field takes beside its name and value (RFC 7541 §4.1). */
const field_overhead_bytes = 32

/**
 * The fault of the head of a request that the parsers let pass, or null. One bound for both protocols: HTTP/2 has none
 * of its own before the client has confirmed our settings, and what it refuses itself it only resets.
 */
export function faultOfHead({
  rawHeaders = [],
  headers,
  httpVersion,
  httpVersionMajor,
}: IncomingMessage): Problem | null {
  if (rawHeaders.length / 2 > listener_limits.header_fields_max) return headersTooLarge()
  const overhead = httpVersionMajor === 2 ? field_overhead_bytes / 2 : 0
  const bytes = rawHeaders.reduce((sum, text) => sum + text.length + overhead, 0)
  if (bytes > listener_limits.header_bytes_max) return headersTooLarge()
  const hosts = rawHeaders.filter((_, at) => at % 2 === 1 && host_fields.has(rawHeaders[at - 1]?.toLowerCase() ?? ''))
  // RFC 9112 §3.2; RFC 9113 §8.3.1 allows HTTP/2 both fields when they say the same.
  if (httpVersionMajor === 2 ? new Set(hosts).size > 1 : hosts.length > 1) {
    return malformedRequest('The request names its host more than once.')
  }
  if (httpVersion === '1.1' && hosts.length === 0) return malformedRequest('The request names no host.')
  if (!hosts.every((host) => host_form.test(host))) {
    return malformedRequest('The host of the request is none: send its name, and its port where there is one.')
  }
  const { expect } = headers
  return expect === undefined || expect.toLowerCase() === '100-continue' ? null : expectationFailed()
}

const host_fields = new Set(['host', ':authority'])

/** RFC 9110 §7.2: a name or an address with an optional port; for `https` it is not empty (§4.2.2). */
const host_form = /^(?:\[[\da-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})+)(?::\d*)?$/i

/** A response as it is written without the framework. */
export interface PlainResponse {
  status: number
  headers: Record<string, string>
  body: string
}

/** Tells an HTTP/1.1 connection that its bytes are no request. `render` makes the response of a problem. */
export function createParserErrors(render: (problem: Problem, socket: Socket) => PlainResponse) {
  const answered = new WeakSet<Socket>()
  const latest = new WeakMap<Socket, ServerResponse>()
  return {
    /** Takes note of a response, which no other may be written into. */
    begin: (socket: Socket, response: ServerResponse) => void latest.set(socket, response),
    /** For `clientError`: answers once and hangs up. */
    answer({ code }: NodeJS.ErrnoException, socket: Socket): void {
      // The rest of a broken request that still arrives fails once more.
      if (answered.has(socket)) return
      answered.add(socket)
      const running = latest.get(socket)
      const isAnswering = running?.headersSent && !running.writableFinished
      if (code === 'ECONNRESET' || !socket.writable || isAnswering) return void socket.destroy()
      hangUp(socket, render(problemOf(code), socket), listener_limits)
    },
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
  const { socket } = request
  response.setHeader('Connection', 'close')
  discard(request, socket, listener_limits)
  // Node calls it when the response is out.
  socket.destroySoon = () => {
    cutLater(socket, listener_limits)
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
