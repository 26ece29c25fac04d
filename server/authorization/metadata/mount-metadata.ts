import type { FastifyInstance } from 'fastify'
import { notFound } from '#core/problems/problems.ts'
import type { Registry } from '#core/registry.ts'
import type { Addresses } from '../addresses.ts'
import { answerPreflight, corsHeaders } from '../oauth-endpoint.ts'
import { resourceMetadata } from './resource-metadata.ts'
import { serverMetadata } from './server-metadata.ts'

const methods = 'GET, HEAD'

interface MetadataParts {
  addresses: Addresses
  registry: Registry
  /** Returns true when a client may be described by a document, at this moment. */
  offersDocuments(): boolean
}

/** Everything below `/.well-known/`: the documents of discovery, readable by scripts of every origin. */
export function mountMetadata(app: FastifyInstance, { addresses, registry, offersDocuments }: MetadataParts): void {
  const mcp = JSON.stringify(resourceMetadata(addresses, registry, 'mcp'))
  const rest = JSON.stringify(resourceMetadata(addresses, registry, 'rest'))
  const [offering, withdrawn] = [true, false].map((offers) =>
    JSON.stringify(serverMetadata(addresses, registry, offers)),
  )
  const documents = {
    '/.well-known/oauth-protected-resource/mcp': () => mcp,
    // Made from an address that somebody typed with a slash at its end.
    '/.well-known/oauth-protected-resource/mcp/': () => mcp,
    // Some clients know the root only; the tool server is what they look for.
    '/.well-known/oauth-protected-resource': () => mcp,
    '/.well-known/oauth-protected-resource/rest/v2': () => rest,
    '/.well-known/oauth-authorization-server': () => (offersDocuments() ? offering : withdrawn),
  }
  app.register(async (own) => {
    own.addHook('onRequest', async (_, reply) => void reply.headers(corsHeaders))
    for (const [path, text] of Object.entries(documents)) {
      own.get(path, (request, reply) => {
        request.operation = 'oauth.metadata'
        return reply.header('Cache-Control', 'public, max-age=300').type('application/json').send(text())
      })
      answerPreflight(own, path, methods)
    }
    // Clients try several addresses; from a page, one without these headers would look like a network that is down.
    own.get('/.well-known/*', async () => {
      throw notFound('There is nothing at this path.')
    })
    answerPreflight(own, '/.well-known/*', methods)
  })
}
