import { once } from 'node:events'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { receiverAuthority, receiverCertificate } from '#test/receiver-certificates.ts'
import { monotonicNow_ms } from './monotonic.ts'
import type { Arrivals, ReceiverQuestion, ReceiverReady } from './receiver.ts'

// Answers every request with 200 and remembers when it came; one listener per receiver that is asked for. One more
// answers late, if that is asked for, and remembers nothing.

let arrived_at_ms: [event_id: string, at_ms: number][] = []
const certificate = await receiverCertificate('valid', ['localhost'])
const ports = await Promise.all(Array.from({ length: Number(process.argv[2]) }, () => listen(answerNow)))
const slow_ms = process.argv[3]
const slow_port = slow_ms === undefined ? null : await listen((_, response) => answerAfter(response, Number(slow_ms)))
const ready: ReceiverReady = { ports, slow_port, ca: (await receiverAuthority()).pem }
process.send?.(ready)
process.on('message', (question: ReceiverQuestion) => {
  const arrivals: Arrivals = { count: arrived_at_ms.length, ...(question === 'take' && { arrived_at_ms }) }
  if (question === 'take') arrived_at_ms = []
  process.send?.(arrivals)
})
process.on('disconnect', () => process.exit())

async function listen(answer: RequestListener): Promise<number> {
  const server = createServer({ ...certificate, keepAliveTimeout: 60_000 }, (request, response) => {
    request.resume()
    answer(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A server that listens on a port has an address of that kind.
  return (server.address() as AddressInfo).port
}

function answerNow(request: IncomingMessage, response: ServerResponse): void {
  arrived_at_ms.push([String(request.headers['webhook-id']), monotonicNow_ms()])
  request.on('end', () => response.end('ok'))
}

function answerAfter(response: ServerResponse, ms: number): void {
  setTimeout(() => response.end('ok'), ms)
}
