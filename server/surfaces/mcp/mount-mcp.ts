import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Runtime } from '#core/invoke.ts'
import type { Registry } from '#core/registry.ts'
import { compressAnswers } from '../http-server.ts'
import { type Html, html, sendPage } from '../reference/html-page.ts'
import { prefersPage } from '../request-head.ts'
import type { CheckParts, ToolRequest } from './checks.ts'
import { sendRefusal } from './refusal.ts'
import { toolsOf } from './tool.ts'
import type { Served } from './tool-server.ts'

export interface McpParts extends Omit<CheckParts, 'tools'> {
  runtime: Runtime
  /** Public address of the tool server. */
  mcp_url: string
  /** Version of this release. */
  version: string
}

/** The registry turned outward as tools of the Model Context Protocol, in every revision since 2025-03-26. */
export function mountMcp(app: FastifyInstance, parts: McpParts): void {
  const { runtime, version, mcp_url } = parts
  const page = addressPage(mcp_url, runtime.registry)
  mountToolServer(
    app,
    { ...parts, tools: toolsOf(runtime.registry) },
    {
      serve: async (call) => (await import('./tool-server.ts')).serveTools(call, runtime, version),
      sendPage: (reply) => sendPage(reply, 'The tool server of Stint', page),
    },
  )
}

/** Clients keep the address as somebody typed it, so both work. */
const mcp_paths = ['/mcp', '/mcp/']

const cross_origin_headers = {
  'Access-Control-Expose-Headers': 'www-authenticate, retry-after, request-id, mcp-protocol-version',
  Vary: 'Origin',
}
const preflight_headers = {
  'Access-Control-Allow-Methods': 'POST, OPTIONS',
  'Access-Control-Allow-Headers': [
    ...['authorization', 'content-type', 'accept', 'mcp-protocol-version', 'mcp-method', 'mcp-name'],
    ...['mcp-session-id', 'last-event-id', 'x-mcp-toolsets', 'x-mcp-readonly'],
  ].join(', '),
}

/**
 * Puts a tool server at its paths, and for a browser that comes there a page that says what the address is for. The
 * checks are loaded by the first request: with them comes the SDK, which takes as long as the rest of the start.
 */
export function mountToolServer(
  app: FastifyInstance,
  parts: CheckParts,
  { serve, sendPage }: { serve(call: ToolRequest): Promise<Served>; sendPage(reply: FastifyReply): FastifyReply },
): void {
  // The bytes as they came: their own check says what is wrong with them, whatever media type they are said to have.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => done(null, body))
  compressAnswers(app)
  app.setErrorHandler((error, _, reply) => sendRefusal(reply, error, parts.resource_metadata))
  app.addHook('onRequest', async (request, reply) => {
    request.surface = 'mcp'
    request.operation = 'mcp'
    const { address_checks, head_checks, pass } = await import('./checks.ts')
    await pass(address_checks, request, parts)
    const { origin } = request.headers
    // It passed the check; only a page needs to be told so.
    if (origin !== undefined) reply.headers({ ...cross_origin_headers, 'Access-Control-Allow-Origin': origin })
    if (request.method === 'OPTIONS') return reply.code(204).headers(preflight_headers).send()
    if (prefersPage(request)) return sendPage(reply)
    await pass(head_checks, request, parts)
  })
  for (const path of mcp_paths) {
    app.all(path, async (request, reply) => {
      const { checkMessage } = await import('./checks.ts')
      const { status, type, body } = await serve(await checkMessage(request, parts))
      reply.code(status)
      return type === null ? reply.send() : reply.type(type).send(body)
    })
  }
}

/** Tells somebody who opens the address in a browser, mostly to see whether it is the right one, what it is for. */
function addressPage(mcp_url: string, { operations }: Registry): Html {
  const entry = JSON.stringify({ mcpServers: { stint: { type: 'http', url: mcp_url } } }, null, 2)
  const tools = operations.flatMap(({ definition: { tool, summary } }) => (tool ? [{ ...tool, summary }] : []))
  const rows = tools.map(({ name, summary }) => html`<li><code>${name}</code>: ${summary}</li>`)
  return html`<p>This address is for agents: programs that speak the Model Context Protocol. It works; a browser has nothing to
do here. Give the address to your agent, and it will bring you back here to sign in and to say what it may do:</p>
<p><code>${mcp_url}</code></p>
<p>Many agents take it in a file of this form:</p>
<pre><code>${entry}</code></pre>
<h2>Its tools</h2>
<ul>${rows}</ul>`
}
