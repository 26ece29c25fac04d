import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { prefersPage } from '../request-head.ts'

export interface EntranceParts {
  /** Public origin of API and tool server. */
  origin: string
  /** Address of the console; null where its pages were not built. */
  console_url: string | null
  /** Version of this release. */
  version: string
}

/** The entrance for people and programs that know no more than the host, or the base address of the API. */
export function mountEntrance(app: FastifyInstance, { origin, console_url, version }: EntranceParts): void {
  const about = {
    name: 'Stint',
    version,
    rest_api: `${origin}/rest/v2`,
    tool_server: `${origin}/mcp`,
    openapi: `${origin}/openapi.json`,
    documentation: `${origin}/docs`,
    ...(console_url && { console: console_url }),
  }
  const base = {
    name: 'Stint REST API',
    version: 'v2',
    openapi: about.openapi,
    documentation: about.documentation,
    authorization: 'Authorization: Bearer <token>',
    protected_resource_metadata: `${origin}/.well-known/oauth-protected-resource/rest/v2`,
    first_call: `${origin}/rest/v2/organizations`,
  }
  app.get('/', (request, reply) => {
    reply.header('Vary', 'Accept')
    return prefersPage(request) ? reply.redirect(console_url ?? about.documentation, 303) : sendJson(reply, about)
  })
  for (const path of ['/rest/v2', '/rest/v2/']) app.get(path, (_, reply) => sendJson(reply, base))

  let icon: Buffer | undefined
  app.get('/favicon.ico', (_, reply) => {
    icon ??= readFileSync(new URL('./favicon.ico', import.meta.url))
    return reply.header('Cache-Control', 'public, max-age=86400').type('image/x-icon').send(icon)
  })
}

function sendJson(reply: FastifyReply, body: object): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(`${JSON.stringify(body, null, 2)}\n`)
}
