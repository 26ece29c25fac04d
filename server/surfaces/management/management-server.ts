import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { collectDefaultMetrics } from 'prom-client'
import { metrics } from '#core/metrics.ts'
import { createServer } from '../http1.ts'

/** Something to be put right soon, which keeps no request away. */
export interface ReadinessWarning {
  warning: string
}

/** One thing that must work before this process gets requests; answers null when it does, else what is wrong. */
export type ReadinessCheck = () => Promise<string | ReadinessWarning | null>

export interface Management {
  port: number
  /** Readiness fails from now on, so that balancers stop sending before the listener closes. */
  startShutdown(): void
  close(): Promise<void>
}

const check_timeout_ms = 2_000

/**
 * Health and metrics on a loopback port in plain HTTP, apart from the API: `/health/started`, `/health/live`,
 * `/health/ready` (503 with the failing checks; warnings beside them) and `/metrics`.
 */
export async function startManagement(port: number, checks: Record<string, ReadinessCheck>): Promise<Management> {
  collectDefaultMetrics({ register: metrics })
  let shuttingDown = false
  const readiness = async () => {
    const results = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => [name, await within(check)] as const),
    )
    const faults = results.map(([name, result]) => [name, typeof result === 'string' ? result : null] as const)
    if (shuttingDown) faults.push(['shutdown', 'the process is shutting down'])
    const warnings = results.flatMap(([name, result]) =>
      result !== null && typeof result === 'object' ? [[name, result.warning]] : [],
    )
    return {
      ready: faults.every(([, fault]) => fault === null),
      checks: Object.fromEntries(faults),
      warnings: Object.fromEntries(warnings),
    }
  }
  const server = createServer(async (request, response) => {
    const [path = ''] = (request.url ?? '').split('?')
    const { status, type, body } = await answerTo(path, readiness).catch(faultOf)
    response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body)
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

interface ManagementAnswer {
  status: number
  type: string
  body: string
}

interface Readiness {
  ready: boolean
  checks: Record<string, string | null>
  warnings: Record<string, string>
}

async function answerTo(path: string, readiness: () => Promise<Readiness>): Promise<ManagementAnswer> {
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
      return json(404, {
        status: 'not found',
        paths: ['/health/started', '/health/live', '/health/ready', '/metrics'],
      })
  }
}

const json = (status: number, body: object): ManagementAnswer => ({
  status,
  type: 'application/json',
  body: `${JSON.stringify(body)}\n`,
})

/** A gauge that cannot be read must not end the process; the port is the operator's own, so the reason is told. */
const faultOf = (error: unknown): ManagementAnswer =>
  json(500, { status: 'failed', reason: error instanceof Error ? error.message : String(error) })

async function within(check: ReadinessCheck): ReturnType<ReadinessCheck> {
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
