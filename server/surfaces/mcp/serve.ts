import {
  PerRequestHTTPServerTransport,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { Exchange } from './exchange.ts'

export interface Serving {
  /** Makes the server of one exchange. */
  serverOf(exchange: Exchange): Server
  /** Answers as event streams; the tool server itself never does. */
  is_streamed?: boolean
}

/** Hands a checked message to a server of its own and answers what the SDK makes of it. */
export async function serve(exchange: Exchange, { serverOf, is_streamed = false }: Serving): Promise<Response> {
  const server = serverOf(exchange)
  return exchange.era === 'older'
    ? serveOlder(exchange, server, is_streamed)
    : serveModern(exchange, server, exchange.era.classification, is_streamed)
}

type Classification = ConstructorParameters<typeof PerRequestHTTPServerTransport>[0]['classification']

async function serveModern(
  { message }: Exchange,
  server: Server,
  classification: Classification,
  is_streamed: boolean,
): Promise<Response> {
  const responseMode = is_streamed ? 'auto' : 'json'
  const transport = new PerRequestHTTPServerTransport({ classification, responseMode })
  await server.connect(transport)
  const response = await transport.handleMessage(message)
  // A request closes it with its answer; what a notification began ends with it.
  if (!('id' in message)) queueMicrotask(() => void server.close())
  return response
}

/** The address has no meaning: the transport looks at method and headers only. */
const anywhere = 'https://localhost/mcp'

/** Revisions before 2026-07-28, without sessions. A client that accepts only one of the media types is served too. */
async function serveOlder({ request, message }: Exchange, server: Server, is_streamed: boolean): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: !is_streamed })
  await server.connect(transport)
  const version = request.headers['mcp-protocol-version']
  const headers = {
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    ...(version !== undefined && { 'mcp-protocol-version': String(version) }),
  }
  const post = new Request(anywhere, { method: 'POST', headers })
  const response = await transport.handleRequest(post, { parsedBody: message })
  if (!is_streamed) await server.close()
  return response
}
