import { recordAudit } from '#core/effects.ts'
import type { Client } from './clients/client.ts'
import type { FlowParts } from './clients/clients.ts'
import { endAccessToken, lockSecret, presentedAs } from './grant.store.ts'
import { endGrant } from './grants.ts'
import type { OAuthEndpoint, OAuthRequest } from './oauth-endpoint.ts'

/**
 * Token revocation (RFC 7009): client (§2.1), then token. A refresh token ends its grant with all tokens, an access token
 * ends alone. Once the client is authenticated the answer is always the same (§2.2): whether a token existed is nobody's
 * business.
 */
export function revocationEndpoint(parts: FlowParts): OAuthEndpoint {
  const { clients } = parts
  return {
    operation: 'oauth.revoke',
    method: 'POST',
    path: '/oauth/revoke',
    cors: true,
    async handle(request) {
      const authenticated = await clients.authenticate(request)
      const ended = await revoke(parts, request, authenticated.client)
      if (!ended) clients.noteRefusal(authenticated, request.network)
      return { status: 200 }
    },
  }
}

/** Returns true when it ended something. */
async function revoke({ runtime }: FlowParts, request: OAuthRequest, client: Client): Promise<boolean> {
  const token = request.parameters.require('token')
  const presented = presentedAs(token, ['refresh', 'oauth'])
  if (!presented) return false
  const { kind } = presented
  const byGrant = (id: string) => ({ kind: 'token', id, name: client.name }) as const
  return runtime.database.transaction({ role: 'app' }, async (tx) => {
    if (kind === 'refresh') {
      // Used or not: whoever holds one may end the connection.
      const held = await lockSecret(tx, { ...presented, kind })
      if (held?.client_id !== client.client_id) return false
      const ending = { by: byGrant(held.id), reason: 'revoked_by_client', request }
      await endGrant(runtime, tx, { organization_id: held.organization_id, grant_id: held.id }, ending)
      return true
    }
    const ended = await endAccessToken(tx, presented, client)
    if (!ended) return false
    recordAudit(tx, {
      organization_id: ended.organization_id,
      actor: byGrant(ended.grant_id),
      action: 'oauth_tokens.revoked_by_client',
      subject: { kind: 'oauth_tokens', id: ended.id },
      changed_fields: ['revoked_at'],
      request_id: request.request_id,
      address: request.address,
    })
    return true
  })
}
