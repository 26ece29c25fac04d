import type { FastifyInstance } from 'fastify'
import type { Registry } from '#core/registry.ts'
import type { Runtime } from '#core/runtime.ts'
import { type Html, html, sendPage } from '../reference/html-page.ts'
import type { CredentialParts } from './checks/credential.ts'
import { mountPipeline } from './mount-pipeline.ts'
import { toolsOf } from './tool.ts'

export interface McpParts {
  runtime: Runtime
  /** Protected resource metadata (RFC 9728) of the tool server, named in every challenge. */
  resource_metadata: string
  /** Public address of the tool server. */
  mcp_url: string
  host_names: ReadonlySet<string>
  origins: ReadonlySet<string>
  authenticate: CredentialParts['authenticate']
  canOpen: CredentialParts['canOpen']
  limits: CredentialParts['limits']
  /** Version of this release. */
  version: string
}

/** The registry turned outward as tools of the Model Context Protocol, in every revision since 2025-03-26. */
export function mountMcp(app: FastifyInstance, parts: McpParts): void {
  const { runtime, authenticate, canOpen, limits, version, host_names, origins } = parts
  const challenge = `Bearer resource_metadata="${parts.resource_metadata}"`
  const open = async () => {
    const [{ createPipeline }, { createToolServer }] = await Promise.all([
      import('./pipeline.ts'),
      import('./tool-server.ts'),
    ])
    const tools = toolsOf(runtime.registry)
    const serverOf = createToolServer({ runtime, tools, version, challenge })
    return createPipeline({
      host_names,
      origins,
      tools,
      serverOf,
      credentials: { authenticate, canOpen, limits, challenge },
    })
  }
  const page = addressPage(parts.mcp_url, runtime.registry)
  mountPipeline(app, open, (reply) => sendPage(reply, 'The tool server of Stint', page))
}

/** For whoever opens the address in a browser, mostly to see whether it is the right one. */
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
