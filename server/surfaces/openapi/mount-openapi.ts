import type { FastifyInstance } from 'fastify'
import type { Registry } from '#core/registry.ts'
import { sha256 } from '#core/values/canonical.ts'
import { type DocumentAddresses, openApiDocument } from './openapi-document.ts'

/** Serves `GET /openapi.json` to everyone; made at the first request and kept, since a registry never changes. */
export function mountOpenApi(app: FastifyInstance, registry: Registry, addresses: DocumentAddresses): void {
  let made: { text: string; etag: string } | undefined
  const make = () => {
    const text = JSON.stringify(openApiDocument(registry, addresses))
    return { text, etag: `"${sha256(text).toString('base64url').slice(0, 22)}"` }
  }
  app.get('/openapi.json', (request, reply) => {
    made ??= make()
    reply.headers({ ETag: made.etag, 'Cache-Control': 'no-cache', 'Access-Control-Allow-Origin': '*' })
    const known = request.headers['if-none-match']?.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
    if (known?.some((tag) => tag === made?.etag || tag === '*')) return reply.code(304).send()
    return reply.type('application/json; charset=utf-8').send(made.text)
  })
}
