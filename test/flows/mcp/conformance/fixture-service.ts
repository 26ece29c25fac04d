import { ownHostNames } from '#core/own-hosts.ts'
import { createHttpServer } from '#surfaces/http-server.ts'
import { mountPipeline } from '#surfaces/mcp/mount-pipeline.ts'
import { createPipeline } from '#surfaces/mcp/pipeline.ts'
import { createFixtureServer } from './fixture-server.ts'

/**
 * The pipeline of the tool server with features of the conformance suite in place of our tools, answers streamed, and
 * without the steps of the credential. HTTPS is the listener's step, and left out too.
 */
export async function startFixture(port: number): Promise<{ url: string; close(): Promise<void> }> {
  const addresses = { base_url: '', problem_base: '', resource_metadata: '' }
  const app = createHttpServer({ addresses, hsts_max_age_s: 0, now: Date.now })
  const open = async () =>
    createPipeline({
      host_names: ownHostNames([], '127.0.0.1'),
      origins: new Set(),
      tools: new Map(),
      credentials: null,
      serverOf: createFixtureServer,
      is_streamed: true,
    })
  app.register(async (own) => mountPipeline(own, open))
  await app.listen({ host: '127.0.0.1', port })
  return { url: `http://localhost:${port}/mcp`, close: () => app.close() }
}
