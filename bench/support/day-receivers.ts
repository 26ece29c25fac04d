import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { receiverAuthority, receiverCertificate } from '#test/receiver-certificates.ts'
import type { Behaviour } from './day.ts'
import { monotonicNow_ms } from './monotonic.ts'

// A process of its own: receivers on many ports, each request answered as the first part of its path says.

export interface DayReceiversReady {
  ports: number[]
  ca: string
}

/** Everything since the last take. */
export interface DayArrivals {
  /** Requests at healthy receivers: the event, the rank of the organization and `process.hrtime` in milliseconds. */
  healthy: [event_id: string, rank: number, at_ms: number][]
  requests: number
}

/** Like one a few hundred kilometres away. */
const answer_after_ms = 20
const slow_after_ms = 300

const answers: Record<Behaviour, (request: IncomingMessage, response: ServerResponse) => unknown> = {
  healthy: (_, response) => answerAfter(response, answer_after_ms, 200),
  slow: (_, response) => answerAfter(response, slow_after_ms, 200),
  hanging: () => undefined,
  failing: (_, response) => answerAfter(response, answer_after_ms, 500),
  resetting: (request) => request.socket.destroy(),
  flaky: (_, response) => answerAfter(response, answer_after_ms, Math.random() < 0.5 ? 200 : 503),
}

let arrivals: DayArrivals = { healthy: [], requests: 0 }
const certificate = await receiverCertificate('valid', ['localhost'])
const ports = await Promise.all(Array.from({ length: Number(process.argv[2]) }, listen))
const ready: DayReceiversReady = { ports, ca: (await receiverAuthority()).pem }
process.send?.(ready)
process.on('message', () => {
  process.send?.(arrivals)
  arrivals = { healthy: [], requests: 0 }
})
process.on('disconnect', () => process.exit())

async function listen(): Promise<number> {
  const server = createServer({ ...certificate, keepAliveTimeout: 60_000 }, (request, response) => {
    const [, behaviour = '', rank] = request.url?.split('/') ?? []
    arrivals.requests += 1
    if (behaviour === 'healthy')
      arrivals.healthy.push([String(request.headers['webhook-id']), Number(rank), monotonicNow_ms()])
    request.resume()
    // The cast holds because the benchmark wrote the address; another one fails the request.
    answers[behaviour as Behaviour](request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

async function answerAfter(response: ServerResponse, after_ms: number, status: number): Promise<void> {
  await pause(after_ms)
  response.writeHead(status).end('ok')
}
