import type { FastifyInstance } from 'fastify'
import { scopes } from '#identity/scopes.ts'

/** Protected resource metadata of the REST API (RFC 9728 §3), which every challenge names; open to every origin. */
export function mountResourceMetadata(app: FastifyInstance, origin: string): void {
  const metadata = {
    resource: `${origin}/rest/v2`,
    scopes_supported: scopes,
    bearer_methods_supported: ['header'],
    resource_name: 'Stint',
    resource_documentation: `${origin}/docs`,
  }
  app.get('/.well-known/oauth-protected-resource/rest/v2', (_, reply) =>
    reply.header('Access-Control-Allow-Origin', '*').send(metadata),
  )
}
