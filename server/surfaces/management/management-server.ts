import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { collectDefaultMetrics } from 'prom-client'
import { metrics } from '#core/metrics.ts'

/** One thing that must work before this process gets requests; answers null when it does, else what is wrong. */
export type ReadinessCheck = () => Promise<string | null>

export interface Management {
  port: number
  /** Readiness fails from now on, so that balancers stop sending before the listener closes. */
  startShutdown(): void
  close(): Promise<void>
}

const check_timeout_ms = 2_000

/**
 * Health and metrics on a loopback port in plain HTTP, apart from the API: `/health/started`, `/health/live`,
 * `/health/ready` (503 with the failing checks) and `/metrics`.
 */
export async function startManagement(port: number, checks: Record<string, ReadinessCheck>): Promise<Management> {
  collectDefaultMetrics({ register: metrics })
  let shuttingDown = false
  const readiness = async () => {
    const results = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => [name, await within(check)] as const),
    )
    if (shuttingDown) results.push(['shutdown', 'the process is shutting down'])
    return { ready: results.every(([, fault]) => fault === null), checks: Object.fromEntries(results) }
  }
  const server = createServer(async (request, response) => {
    const send = (status: number, type: string, body: string) =>
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body)
    const json = (status: number, body: object) => send(status, 'application/json', `${JSON.stringify(body)}\n`)
    switch (request.url) {
      case '/health/started':
      case '/health/live':
        return json(200, { status: 'ok' })
      case '/health/ready': {
        const { ready, checks: results } = await readiness()
        return json(ready ? 200 : 503, { status: ready ? 'ok' : 'unavailable', checks: results })
      }
      case '/metrics':
        return send(200, metrics.contentType, await metrics.metrics())
      default:
        return json(404, {
          status: 'not found',
          paths: ['/health/started', '/health/live', '/health/ready', '/metrics'],
        })
    }
  })
  await listen(server, port)
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

async function within(check: ReadinessCheck): Promise<string | null> {
  const late = new Promise<string>((resolve) => {
    setTimeout(() => resolve(`no answer within ${check_timeout_ms} ms`), check_timeout_ms).unref()
  })
  return Promise.race([check(), late]).catch((error: Error) => error.message)
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve())
  })
}
