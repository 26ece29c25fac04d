import {
  type CallToolResult,
  PerRequestHTTPServerTransport,
  ProtocolError,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { Runtime } from '#core/invoke.ts'
import { callTool } from './call-tool.ts'
import { supported_versions, type ToolRequest } from './checks.ts'
import { defect, Refusal, rpc_codes } from './refusal.ts'

export interface ToolServerParts {
  runtime: Runtime
  /** Version of this release. */
  version: string
  /** Begins every challenge. */
  challenge: string
}

/** A response over HTTP: the JSON text, or the events where the server streams. */
export interface Served {
  status: number
  type: string | null
  body: string | ReadableStream | null
}

const list_ttl_ms = 300_000

const instructions = `Stint holds the contracts of an organization with its workers, and what follows from them. Amounts are \
decimal texts in the currency beside them, dates are YYYY-MM-DD, ids are UUIDs that lists yield. A field that an answer \
does not show is empty, unless \`withheld\` names it: then it has a value that this connection may not see, or none.`

const capabilities = { tools: {} }

/**
 * Serves one checked message with the official SDK: one low-level server, the same for both eras. Lists and results are
 * JSON before the SDK sees them, and it is given an empty list in their place: it would check and print a list of 90 kB,
 * or a result of 40, which took longer than the query behind it.
 */
export async function serveTools(call: ToolRequest, parts: ToolServerParts): Promise<Served> {
  let written: { placeholder: string; members: string } | null = null
  let refusal: Refusal | null = null
  const server = emptyServer(call, parts.version)
  server.setRequestHandler('tools/list', ({ params }) => {
    if (params?.cursor !== undefined) throw invalid('The list has one page and no cursor.')
    const listed = [...call.tools.values()].map((tool) => tool.listed)
    written = { placeholder: '"tools":[]', members: `"tools":[${listed.join(',')}]` }
    return { tools: [] }
  })
  server.setRequestHandler('tools/call', async (): Promise<CallToolResult> => {
    const result = await callTool(call, parts)
    if (result === null) throw invalid('There is no tool of this name; tools/list names them.')
    // The SDK would show the message of whatever is thrown to the client.
    if (result instanceof Refusal) refusal = result
    else written = { placeholder: '"content":[]', members: result }
    return { content: [] }
  })
  const served = await serve(call, server)
  if (refusal) throw refusal
  return typeof served.body === 'string' ? { ...served, body: completed(served.body, call, written) } : served
}

function emptyServer({ is_private }: ToolRequest, version: string): Server {
  const server = new Server(
    { name: 'stint', title: 'Stint', version },
    {
      capabilities,
      instructions,
      supportedProtocolVersions: supported_versions,
      cacheHints: {
        'tools/list': { ttlMs: list_ttl_ms, cacheScope: is_private ? 'private' : 'public' },
        'server/discover': { ttlMs: list_ttl_ms, cacheScope: 'public' },
      },
      jsonSchemaValidator: no_validator,
    },
  )
  // The SDK would name the revisions of its newer era only, though the others are served without a handshake too.
  server.setRequestHandler('server/discover', () => ({
    supportedVersions: supported_versions,
    capabilities,
    instructions,
  }))
  return server
}

/** The SDK would make one for each server; it is for what servers ask of clients, and this one asks nothing. */
const no_validator = {
  getValidator(): never {
    throw new Error('the tool server asks nothing of its clients')
  },
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(rpc_codes.invalid_params, message)
}

/** In a text of the caller's, such as the id, a quotation mark stands behind a backslash: what is looked for is not in it. */
function completed(text: string, { http }: ToolRequest, written: { placeholder: string; members: string } | null) {
  if (!sdk_fault.test(text)) return written ? text.replace(written.placeholder, () => written.members) : text
  if (written) throw defect(new Error(`the SDK refused our result: ${text}`), http.id)
  // No handler was reached: params of another form than the method has, or nested too deep to look at.
  throw new Refusal(200, 'Invalid params: they do not fit this method.', { code: rpc_codes.invalid_params })
}

/** The SDK's internal error, or "no JSON" although it was given a message that was read, in the words of what was thrown. */
const sdk_fault = /"error":\{"code":-32(?:603|700),/

/** Hands a message to a server of its own. `is_streamed`: as events, where the server has something to tell on the way. */
export async function serve(call: ToolRequest, server: Server, is_streamed = false): Promise<Served> {
  const response = await (call.classification ? serveModern(call, server) : serveOlder(call, server, is_streamed))
  const { status, headers, body } = response
  const type = headers.get('content-type')
  if (body === null || type?.startsWith('text/event-stream')) return { status, type, body }
  return { status, type: 'application/json; charset=utf-8', body: await response.text() }
}

async function serveModern({ message, classification }: ToolRequest, server: Server): Promise<Response> {
  const transport = new PerRequestHTTPServerTransport({ classification: classification ?? { era: 'modern' } })
  await server.connect(transport)
  const response = await transport.handleMessage(message)
  // A request closes it with its response; what a notification began ends with it.
  if (!('id' in message)) queueMicrotask(() => void server.close())
  return response
}

/** The address has no meaning: the transport looks at method and headers only. */
const anywhere = 'https://localhost/mcp'

/** Revisions before 2026-07-28, without sessions. A client that accepts only one of the media types is served too. */
async function serveOlder({ http, message }: ToolRequest, server: Server, is_streamed: boolean): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: !is_streamed })
  await server.connect(transport)
  const version = http.headers['mcp-protocol-version']
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
