import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { HttpsRequiredAnswer } from './https-required.ts'
import { endLingering, type LingerLimits } from './linger.ts'

/**
 * Answers a plain-HTTP connection by its first bytes and hangs up. Nothing it sends is looked at, except that an answer
 * to HEAD has no content (RFC 9110 §9.3.2).
 */
export function refuseConnection(
  socket: Socket,
  first_chunk: Buffer,
  answer: HttpsRequiredAnswer,
  limits: LingerLimits,
): void {
  const content = first_chunk.toString('latin1', 0, 5) === 'HEAD ' ? '' : answer.body
  endLingering(socket, limits, head(answer) + content)
}

/**
 * Refuses one request that a trusted proxy took over plain HTTP, without reading its body. Over HTTP/1.1 the answer is
 * complete when its bytes are out; it is ended, which closes the connection, when the body has run past or time is up.
 */
export function refuseRequest(
  request: IncomingMessage,
  response: ServerResponse,
  answer: HttpsRequiredAnswer,
  limits: LingerLimits,
): void {
  if (request.httpVersionMajor === 2) {
    response.writeHead(answer.status, answer.headers).end(answer.body)
    return
  }
  response.writeHead(answer.status, { ...answer.headers, Connection: 'close' })
  response.write(answer.body)
  const end = () => response.end()
  const timer = setTimeout(end, limits.linger_timeout_ms)
  response.once('close', () => clearTimeout(timer))
  request.once('end', end).resume()
}

function head({ status, headers }: HttpsRequiredAnswer): string {
  const fields = Object.entries({ ...headers, Connection: 'close' }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} Forbidden\r\n${fields.join('')}\r\n`
}
