import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'

/** What is measured of a request once its answer is out; no organization in it, because labels must stay few. */
export type RequestObserver = (request: { operation: string; status: number; duration_s: number }) => void

/** One canonical line per request, named by the operation, with ids and never with values, headers or query. */
export function logRequests(app: FastifyInstance, log: Logger, observe: RequestObserver): void {
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
    observe({ operation, status, duration_s: reply.elapsedTime / 1_000 })
    done()
  })
}
