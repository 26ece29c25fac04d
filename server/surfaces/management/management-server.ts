import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { collectDefaultMetrics } from 'prom-client'
import { metrics } from '#core/metrics.ts'
import { createServer } from '../http1.ts'

/** Something to be put right soon, which keeps no request away. */
export interface ReadinessWarning {
  warning: string
}

/** One thing that must work before this process gets requests; answers null when it does, else what is wrong. */
export type ReadinessCheck = () => Promise<Found>
type Found = string | ReadinessWarning | null

export interface Management {
  port: number
  /** Readiness fails from now on, so that balancers stop sending before the listener closes. */
  startShutdown(): void
  close(): Promise<void>
}

const check_timeout_ms = 2_000
const paths = ['/health/started', '/health/live', '/health/ready', '/metrics']

/**
 * Health and metrics on a loopback port in plain HTTP, apart from the API: `/health/started`, `/health/live`,
 * `/health/ready` (503 with the failing checks; warnings beside them) and `/metrics`.
 */
export async function startManagement(port: number, checks: Record<string, ReadinessCheck>): Promise<Management> {
  collectDefaultMetrics({ register: metrics })
  let shuttingDown = false
  const readiness = async (): Promise<Readiness> => {
    const looks = Object.entries(checks).map(async ([name, check]) => ({ name, found: await within(check) }))
    const results = await Promise.all(looks)
    if (shuttingDown) results.push({ name: 'shutdown', found: 'the process is shutting down' })
    const isFault = (found: Found) => typeof found === 'string'
    return {
      ready: !results.some(({ found }) => isFault(found)),
      checks: Object.fromEntries(results.map(({ name, found }) => [name, isFault(found) ? found : null])),
      warnings: Object.fromEntries(
        results.flatMap(({ name, found }) => (isWarning(found) ? [[name, found.warning]] : [])),
      ),
    }
  }
  const server = createServer(async (request, response) => {
    const [path = ''] = (request.url ?? '').split('?')
    const { status, type, body } = await answerTo(path, readiness).catch(faultOf)
    response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening') // or its error
  return {
    port: (server.address() as AddressInfo).port,
    startShutdown: () => {
      shuttingDown = true
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

interface Readiness {
  ready: boolean
  checks: Record<string, Found>
  warnings: Record<string, string>
}

const isWarning = (found: Found) => typeof found === 'object' && found !== null

async function answerTo(path: string, readiness: () => Promise<Readiness>) {
  switch (path) {
    case '/health/started':
    case '/health/live':
      return json(200, { status: 'ok' })
    case '/health/ready': {
      const { ready, ...rest } = await readiness()
      return json(ready ? 200 : 503, { status: ready ? 'ok' : 'unavailable', ...rest })
    }
    case '/metrics':
      return { status: 200, type: metrics.contentType, body: await metrics.metrics() }
    default:
      return json(404, { status: 'not found', paths })
  }
}

const json = (status: number, body: object) => ({
  status,
  type: 'application/json',
  body: `${JSON.stringify(body)}\n`,
})

/** A gauge that cannot be read must not end the process; the port is the operator's own, so the reason is told. */
const faultOf = (error: unknown) =>
  json(500, { status: 'failed', reason: error instanceof Error ? error.message : String(error) })

async function within(check: ReadinessCheck): Promise<Found> {
  const late = new Promise<string>((resolve) => {
    setTimeout(() => resolve(`no answer within ${check_timeout_ms} ms`), check_timeout_ms).unref()
  })
  return Promise.race([check(), late]).catch((error: Error) => error.message)
}
