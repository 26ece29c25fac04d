import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { Counter, Histogram } from 'prom-client'
import { metrics } from '#core/metrics.ts'

const durations = new Histogram({
  name: 'http_server_request_duration_seconds',
  help: 'Time from the request head to the end of the answer.',
  labelNames: ['operation', 'status'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30],
  registers: [metrics],
})
const rateLimited = new Counter({
  name: 'rate_limited_total',
  help: 'Requests refused by a rate limit.',
  registers: [metrics],
})

/** One canonical line per request, named by the operation, with ids and never with values, headers or query. */
export function logRequests(app: FastifyInstance, log: Logger): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { caller, problem, operation = 'none' } = request
    const status = reply.statusCode
    const line = {
      request_id: request.id,
      surface: request.surface,
      operation,
      method: request.method,
      status,
      duration_ms: Math.round(reply.elapsedTime * 10) / 10,
      organization_id: caller?.organization_id,
      credential_id: caller?.credential_id,
      address: request.client_address,
      problem: problem?.definition.code,
    }
    // The tool server answers a mistake of ours by 200 and a JSON-RPC error.
    const isOurFault = Math.max(status, problem?.definition.status ?? 0) >= 500 && !problem?.details.is_elsewhere
    if (isOurFault) log.error({ ...line, err: problem?.cause }, 'request')
    else log.info(line, 'request')
    // No organization among the labels, because they must stay few.
    durations.observe({ operation, status }, reply.elapsedTime / 1_000)
    if (status === 429) rateLimited.inc()
    done()
  })
}
