import { invalidClient } from './clients/client.ts'
import type { FlowParts } from './clients/clients.ts'
import { introspected, presentedAs } from './grant.store.ts'
import type { OAuthEndpoint } from './oauth-endpoint.ts'

/**
 * Token introspection (RFC 7662) for clients with a secret or key: client (§2.1), token, then who may be told of it. Only
 * access tokens are active here: a resource server that asked about a refresh token must not take it for one. A token of
 * another client is told to the programs of the organization that it opens, and to nobody else: whoever found one learns
 * nothing by asking (§2.2, §4).
 */
export function introspectionEndpoint({ runtime, addresses, clients }: FlowParts): OAuthEndpoint {
  return {
    operation: 'oauth.introspect',
    method: 'POST',
    path: '/oauth/introspect',
    async handle(request) {
      const authenticated = await clients.authenticate(request)
      const { client, method } = authenticated
      if (method === 'none') {
        clients.noteRefusal(authenticated, request.network)
        throw invalidClient()
      }
      const presented = presentedAs(request.parameters.require('token'), ['oauth'])
      const token = presented && (await introspected(runtime.database, presented))
      const isOfItsOrganization = client.kind === 'managed' && token?.organization_id === client.organization_id
      if (!token || (token.client_id !== client.client_id && !isOfItsOrganization)) {
        return { status: 200, body: { active: false } }
      }
      const { scopes, client_id, user_id, person_id, resource, expires_at, created_at } = token
      const body = {
        active: true,
        scope: scopes.join(' '),
        client_id,
        token_type: 'Bearer',
        sub: person_id ?? user_id ?? client_id,
        aud: resource === 'mcp' ? addresses.mcp_url : addresses.base_url,
        iss: addresses.auth_url,
        exp: Math.floor(Date.parse(expires_at) / 1_000),
        iat: Math.floor(Date.parse(created_at) / 1_000),
      }
      return { status: 200, body }
    },
  }
}
