import type { Runtime } from '#core/invoke.ts'
import type { Addresses } from './addresses.ts'
import type { Client, Clients } from './clients/client.ts'
import { invalidClient } from './clients/client-authentication.ts'
import { organizationOf } from './issue-tokens.ts'
import type { OAuthEndpoint } from './oauth-endpoint.ts'
import { type IntrospectedToken, introspected } from './token.store.ts'

/**
 * Token introspection (RFC 7662) for clients with a secret or key. Only access tokens are active here: a resource server
 * that asked about a refresh token must not take it for one. A token of another client is told to the programs of the
 * organization that it opens, and to nobody else: whoever found one learns nothing by asking (§2.2, §4).
 */
export function introspectionEndpoint({
  runtime,
  addresses,
  clients,
}: {
  runtime: Runtime
  addresses: Addresses
  clients: Clients
}): OAuthEndpoint {
  return {
    operation: 'oauth.introspect',
    method: 'POST',
    path: '/oauth/introspect',
    async handle(request) {
      const authenticated = await clients.authenticate(request)
      if (authenticated.method === 'none') {
        clients.noteRefusal(authenticated, request.network)
        throw invalidClient()
      }
      const presented = await organizationOf(runtime, request.parameters.require('token'), ['oauth'])
      const token = presented && (await introspected(runtime.database, presented))
      const { client } = authenticated
      const is_told = token && (token.client_id === client.client_id || presented.organization_id === ownerOf(client))
      return { status: 200, body: is_told ? activeToken(token, addresses) : { active: false } }
    },
  }
}

/** The organization that made the client; one that registered itself is of none. */
function ownerOf({ kind, organization_id }: Client): string | null {
  return kind === 'managed' ? organization_id : null
}

function activeToken(token: IntrospectedToken, { auth_url, base_url, mcp_url }: Addresses) {
  const { scopes, client_id, user_id, person_id, resource, expires_at, created_at } = token
  return {
    active: true,
    scope: scopes.join(' '),
    client_id,
    token_type: 'Bearer',
    sub: person_id ?? user_id ?? client_id,
    aud: resource === 'mcp' ? mcp_url : base_url,
    iss: auth_url,
    exp: seconds(expires_at),
    iat: seconds(created_at),
  }
}

function seconds(at: string): number {
  return Math.floor(Date.parse(at) / 1_000)
}
