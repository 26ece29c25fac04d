import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { headersTooLarge, malformedRequest, type Problem, requestTimeout } from '#core/problems.ts'
import { listener_limits } from './limits.ts'
import { endLingering } from './linger.ts'

/** Tells an HTTP/1.1 connection that its bytes are no request. */
export interface ParserErrors {
  /** For `clientError`: answers once and hangs up. */
  answer(error: NodeJS.ErrnoException, socket: Socket): void
  /** Takes note of an answer, which no other may be written into. */
  begin(socket: Socket, response: ServerResponse): void
}

/** `render` makes the answer of a problem: its headers, among them a Request-Id, and its body. */
export function createParserErrors(
  render: (problem: Problem, socket: Socket) => { headers: Record<string, string>; body: string },
): ParserErrors {
  const answered = new WeakSet<Socket>()
  const latest = new WeakMap<Socket, ServerResponse>()
  return {
    begin: (socket, response) => void latest.set(socket, response),
    answer(error, socket) {
      // The rest of a broken request that still arrives fails once more.
      if (answered.has(socket)) return
      answered.add(socket)
      const running = latest.get(socket)
      const isAnswering = running?.headersSent && !running.writableFinished
      if (error.code === 'ECONNRESET' || !socket.writable || isAnswering) return void socket.destroy()
      const problem = problemOf(error.code)
      const { status } = problem.definition
      const { headers, body } = render(problem, socket)
      const length = String(Buffer.byteLength(body))
      const all = { ...headers, Date: new Date().toUTCString(), 'Content-Length': length, Connection: 'close' }
      const fields = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
      const head = `HTTP/1.1 ${status} ${reasons[status] ?? ''}\r\n${fields.join('')}\r\n`
      endLingering(socket, listener_limits, head + body)
    },
  }
}

const reasons: Record<number, string> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
}

function problemOf(code: string | undefined): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') return headersTooLarge()
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? requestTimeout() : malformedRequest()
}
