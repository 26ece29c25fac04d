import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import {
  type CallToolResult,
  createMcpHandler,
  isLegacyRequest,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { type BareStatements, runnerOf } from './bare-statements.ts'

// The yardstick of a tool call: the same SDK, put together as its documentation says, with a handler that
// runs given statements, if any, and has the answer.

export interface BareToolServerOrder extends BareStatements {
  cert: string
  key: string
  result: CallToolResult
}

const [{ cert, key, result, ...order }] = (await once(process, 'message')) as [BareToolServerOrder]
const run = order.statements.length > 0 ? runnerOf(order) : undefined
process.on('disconnect', () => process.exit())

function serverOf(): Server {
  const server = new Server({ name: 'bare', version: '1' }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/call', async () => {
    await run?.()
    return result
  })
  return server
}

const modern = createMcpHandler(serverOf, { legacy: 'reject', responseMode: 'json' })

async function answer(request: Request, parsedBody: unknown): Promise<Response> {
  if (!(await isLegacyRequest(request, parsedBody))) return modern.fetch(request, { parsedBody })
  const server = serverOf()
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  const response = await transport.handleRequest(request, { parsedBody })
  await server.close()
  return response
}

async function read(incoming: IncomingMessage): Promise<{ request: Request; body: unknown }> {
  const text = Buffer.concat(await incoming.toArray()).toString()
  const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)])
  return { request: new Request('https://localhost/mcp', { method: 'POST', headers }), body: JSON.parse(text) }
}

const https = createServer({ cert, key, keepAliveTimeout: 60_000 }, async (incoming, outgoing) => {
  const { request, body } = await read(incoming)
  const response = await answer(request, body)
  const text = await response.text()
  outgoing.writeHead(response.status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  })
  outgoing.end(text)
})
https.listen(0, '127.0.0.1')
await once(https, 'listening')
// A server that listens on a port has an address of that kind.
process.send?.((https.address() as AddressInfo).port)
