import type { Caller } from '#core/caller.ts'
import { createRateLimit } from '#core/rate-limit.ts'
import { ownHostNames } from '#core/request-target.ts'
import { createHttpServer } from '#surfaces/http-server.ts'
import { mountToolServer } from '#surfaces/mcp/mount-mcp.ts'
import { serve } from '#surfaces/mcp/tool-server.ts'
import { createFixtureServer } from './fixture-server.ts'

/** The suite brings no credential, so each of its requests is given one here. */
const authorization = 'Bearer fixture'
const caller: Caller = {
  kind: 'personal',
  organization_id: '',
  is_sandbox: true,
  credential_id: 'fixture',
  actor: { kind: 'token', id: null, name: 'fixture' },
  scopes: new Set(),
  sensitive_data: new Set(),
  expires_at: null,
}

/**
 * The checks of the tool server before features of the conformance suite in place of our tools, with answers streamed.
 * HTTPS is the listener's step, and left out.
 */
export async function startFixture(port: number): Promise<{ url: string; close(): Promise<void> }> {
  const addresses = { base_url: '', problem_base: '', resource_metadata: '' }
  const app = createHttpServer({ addresses, hsts_max_age_s: 0, now: Date.now })
  const unlimited = createRateLimit('open', { requests_max: 1_000_000, window_s: 1, now: Date.now })
  app.addHook('onRequest', async ({ headers }) => {
    headers.authorization = authorization
  })
  const parts = {
    host_names: ownHostNames([], '127.0.0.1'),
    origins: new Set<string>(),
    tools: new Map(),
    resource_metadata: '',
    authenticate: async () => caller,
    canOpen: () => true,
    limits: { open: unlimited, requests: unlimited, failures: unlimited },
  }
  app.register(async (own) =>
    mountToolServer(own, parts, {
      serve: (call) => serve(call, createFixtureServer(call), true),
      sendPage: (reply) => reply.code(406).send(),
    }),
  )
  await app.listen({ host: '127.0.0.1', port })
  return { url: `http://localhost:${port}/mcp`, close: () => app.close() }
}
