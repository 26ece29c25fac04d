import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import Fastify from 'fastify'
import { AggregatorRegistry, collectDefaultMetrics, Registry } from 'prom-client'
import { gauge, type Instruments, metrics } from '#core/metrics.ts'
import about from '../../../package.json' with { type: 'json' }

/**
 * One thing that must work before this process gets requests; answers null when it does, else what is wrong. A warning is
 * to be put right soon, and keeps no request away.
 */
export type ReadinessCheck = () => Promise<string | { warning: string } | null>

gauge('build_info', 'Always 1: the release that runs, and the Node it runs on.', ['version', 'node']).set(
  { version: about.version, node: process.versions.node },
  1,
)

const check_timeout_ms = 2_000
/** A check that has not answered for so long is asked once more: its connection may be one that nobody answers on. */
const check_again_ms = 10_000

/**
 * Health and metrics on a port of their own in plain HTTP, apart from the API: `/health/started`, `/health/live`,
 * `/health/ready` (503 with the failing checks; warnings beside them) and `/metrics`, in which the instruments of other
 * threads are added to those of this one.
 */
export async function startManagement(
  port: number,
  checks: Record<string, ReadinessCheck>,
  others: () => Promise<Instruments> = async () => [],
  host = '127.0.0.1',
) {
  const of_process = new Registry()
  // A look every 10 ms, as usual, takes 7 ms of a processor each second.
  collectDefaultMetrics({ register: of_process, eventLoopMonitoringPrecision: 100 })
  const looks = Object.entries(checks).map(([name, check]) => ({ name, look: joined(check) }))
  let shuttingDown = false
  const paths: string[] = []
  const app = Fastify({ forceCloseConnections: true, exposeHeadRoutes: false })
  app.setReplySerializer((body) => `${JSON.stringify(body)}\n`)
  app.addHook('onRoute', ({ url }) => void paths.push(url))
  app.addHook('onRequest', async (_, reply) => void reply.header('cache-control', 'no-store'))
  app.get('/health/started', async () => ({ status: 'ok' }))
  app.get('/health/live', async () => ({ status: 'ok' }))
  app.get('/health/ready', async (_, reply) => {
    const results = await Promise.all(looks.map(async ({ name, look }) => ({ name, found: await within(look) })))
    if (shuttingDown) results.push({ name: 'shutdown', found: 'the process is shutting down' })
    const faults = results.map(({ name, found }) => [name, typeof found === 'string' ? found : null])
    const warnings = results.flatMap(({ name, found }) =>
      typeof found === 'object' && found ? [[name, found.warning]] : [],
    )
    const isReady = faults.every(([, fault]) => fault === null)
    return reply.code(isReady ? 200 : 503).send({
      status: isReady ? 'ok' : 'unavailable',
      checks: Object.fromEntries(faults),
      warnings: Object.fromEntries(warnings),
    })
  })
  app.get('/metrics', async (_, reply) => {
    const threads = AggregatorRegistry.aggregate([await metrics.getMetricsAsJSON(), await others()])
    const texts = [await of_process.metrics(), await threads.metrics()]
    return reply.type(metrics.contentType).send(texts.join('\n'))
  })
  app.setNotFoundHandler((_, reply) => reply.code(404).send({ status: 'not found', paths }))
  // A gauge that cannot be read must not end the process; the port is the operator's own, so the reason is told.
  app.setErrorHandler<Error>(({ message }, _, reply) => reply.code(500).send({ status: 'failed', reason: message }))
  await app.listen({ port, host })
  return {
    port: (app.server.address() as AddressInfo).port,
    /** Readiness fails from now on, so that balancers stop sending before the listener closes. */
    startShutdown: () => {
      shuttingDown = true
    },
    close: () => app.close(),
  }
}

async function within(check: ReadinessCheck): ReturnType<ReadinessCheck> {
  const late = sleep(check_timeout_ms, `no answer within ${check_timeout_ms} ms`, { ref: false })
  return Promise.race([check(), late]).catch((error: Error) => error.message)
}

/** While a check runs, whoever asks gets its answer: a database that stands still would keep a connection for each. */
function joined(check: ReadinessCheck): ReadinessCheck {
  let running: { answer: ReturnType<ReadinessCheck>; began_at_ms: number } | undefined
  return () => {
    if (!running || performance.now() - running.began_at_ms > check_again_ms) {
      const look = { answer: check(), began_at_ms: performance.now() }
      running = look
      const end = () => {
        if (running === look) running = undefined
      }
      look.answer.then(end, end)
    }
    return running.answer
  }
}
