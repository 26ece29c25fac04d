import type { FastifyInstance } from 'fastify'
import type { Runtime } from '#core/runtime.ts'
import type { CredentialParts } from './checks/credential.ts'
import { mountPipeline } from './mount-pipeline.ts'
import { toolsOf } from './tool.ts'

export interface McpParts {
  runtime: Runtime
  /** Protected resource metadata (RFC 9728) of the tool server, named in every challenge. */
  resource_metadata: string
  host_names: ReadonlySet<string>
  origins: ReadonlySet<string>
  authenticate: CredentialParts['authenticate']
  limits: CredentialParts['limits']
  /** Version of this release. */
  version: string
}

/** The registry turned outward as tools of the Model Context Protocol, in every revision since 2025-03-26. */
export function mountMcp(app: FastifyInstance, parts: McpParts): void {
  const { runtime, authenticate, limits, version, host_names, origins } = parts
  const challenge = `Bearer resource_metadata="${parts.resource_metadata}"`
  mountPipeline(app, async () => {
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
      credentials: { authenticate, limits, challenge },
    })
  })
}
