import type { FastifyInstance } from 'fastify'
import type { Scope } from '#core/caller.ts'
import { notFound } from '#core/problems.ts'
import type { RegisteredOperation, Registry } from '#core/registry.ts'
import { default_scopes, scopes } from '#identity/scopes.ts'
import type { Addresses, Resource } from './addresses.ts'
import { assertionAlgorithms, authMethods, grantTypes } from './clients/client.ts'
import type { FlowParts } from './clients/clients.ts'
import { answerPreflight, corsHeaders } from './oauth-endpoint.ts'

const methods = 'GET, HEAD'

/** Everything below `/.well-known/`: the documents of discovery, readable by scripts of every origin. */
export function mountMetadata(app: FastifyInstance, { addresses, runtime: { registry }, clients }: FlowParts): void {
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
    '/.well-known/oauth-authorization-server': () => (clients.offersDocuments() ? offering : withdrawn),
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

/** Protected resource metadata (RFC 9728 §2): where tokens for this resource come from. */
function resourceMetadata(
  { api_host, auth_url, base_url, mcp_url }: Addresses,
  { operations }: Registry,
  resource: Resource,
) {
  const tools = operations.filter(({ definition }) => definition.tool)
  return {
    resource: resource === 'mcp' ? mcp_url : base_url,
    authorization_servers: [auth_url],
    scopes_supported: resource === 'mcp' ? scopesOf(tools, default_scopes) : scopesOf(operations),
    bearer_methods_supported: ['header'],
    resource_name: 'Stint',
    resource_documentation: `${api_host}/docs`,
  }
}

/** Authorization server metadata (RFC 8414 §2). There is no OpenID provider here, and so no configuration of one. */
function serverMetadata(
  { api_host, auth_url, base_url, mcp_url }: Addresses,
  { operations }: Registry,
  offers_documents: boolean,
) {
  return {
    issuer: auth_url,
    authorization_endpoint: `${auth_url}/oauth/authorize`,
    token_endpoint: `${auth_url}/oauth/token`,
    registration_endpoint: `${auth_url}/oauth/register`,
    revocation_endpoint: `${auth_url}/oauth/revoke`,
    introspection_endpoint: `${auth_url}/oauth/introspect`,
    // Many clients ask their user for every scope that they read here.
    scopes_supported: scopesOf(operations, default_scopes),
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: grantTypes,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    token_endpoint_auth_methods_supported: authMethods,
    token_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
    revocation_endpoint_auth_methods_supported: authMethods,
    revocation_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
    // A public client proves nothing, and is told nothing.
    introspection_endpoint_auth_methods_supported: authMethods.filter((method) => method !== 'none'),
    introspection_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
    client_id_metadata_document_supported: offers_documents,
    protected_resources: [mcp_url, base_url],
    service_documentation: `${api_host}/docs`,
  }
}

/** Scopes that operations take or that are named beside them, in the order of the documentation. */
function scopesOf(operations: readonly RegisteredOperation[], named: readonly Scope[] = []): Scope[] {
  const used = new Set([...named, ...operations.flatMap(({ definition }) => definition.scopes)])
  return scopes.filter((scope) => used.has(scope))
}
