import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import type { BareServerOrder } from './bare-server.ts'
import { runnerOf } from './bare-statements.ts'

// The yardstick of the list: what anybody would write by hand, with the driver and the row types of the service.

type Answer = () => Promise<string>

const [order] = (await once(process, 'message')) as [BareServerOrder]
const serve = { 'node:https': serveBare, fastify: serveFastify }[order.framework]
process.send?.(await serve(order, answerOf(order)))
process.on('disconnect', () => process.exit())

function answerOf(order: BareServerOrder): Answer {
  const run = runnerOf(order)
  return async () => {
    const rows = await run()
    return JSON.stringify({ data: rows, total_count: rows[0]?.total_count })
  }
}

async function serveBare({ cert, key }: BareServerOrder, answer: Answer): Promise<number> {
  const server = createServer({ cert, key, keepAliveTimeout: 60_000 }, async (_, response) => {
    const body = await answer()
    response.setHeader('content-type', 'application/json; charset=utf-8')
    response.setHeader('content-length', Buffer.byteLength(body))
    response.end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A server that listens on a port has an address of that kind.
  return (server.address() as AddressInfo).port
}

async function serveFastify({ cert, key }: BareServerOrder, answer: Answer): Promise<number> {
  const app = Fastify({ https: { cert, key } })
  app.get('/*', async (_, reply) => reply.type('application/json; charset=utf-8').send(await answer()))
  await app.listen({ host: '127.0.0.1', port: 0 })
  return (app.server.address() as AddressInfo).port
}
