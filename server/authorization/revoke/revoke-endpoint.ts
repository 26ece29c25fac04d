import type { Actor } from '#core/caller.ts'
import type { Runtime } from '#core/runtime.ts'
import type { Clients } from '../clients/client.ts'
import { endGrant } from '../grants/end-grant.ts'
import type { OAuthEndpoint, OAuthRequest } from '../oauth-endpoint.ts'
import { organizationOf } from '../token/secret-organization.ts'
import { endAccessToken, grantOfRefreshToken } from './revocation.store.ts'

/**
 * Token revocation (RFC 7009). A refresh token ends its grant with all tokens, an access token ends alone. Once the client
 * is authenticated the answer is always the same: whether a token existed is nobody's business.
 */
export function revocationEndpoint({ runtime, clients }: { runtime: Runtime; clients: Clients }): OAuthEndpoint {
  return {
    operation: 'oauth.revoke',
    method: 'POST',
    path: '/oauth/revoke',
    cors: true,
    async handle(request) {
      const { client } = await clients.authenticate(request)
      await revoke(runtime, request, client)
      return { status: 200 }
    },
  }
}

async function revoke(
  runtime: Runtime,
  { parameters, request_id, address }: OAuthRequest,
  { client_id, name }: { client_id: string; name: string },
): Promise<void> {
  const presented = await organizationOf(runtime, parameters.require('token'), ['refresh', 'oauth'])
  if (!presented) return
  const { organization_id, digests, kind } = presented
  await runtime.database.transaction({ role: 'app', organization_id }, async (tx) => {
    if (kind === 'oauth') return endAccessToken(tx, { organization_id, digests, client_id, name })
    const grant_id = await grantOfRefreshToken(tx, { organization_id, digests, client_id })
    if (grant_id === undefined) return
    const by: Actor = { kind: 'token', id: grant_id, name }
    await endGrant(runtime, tx, { organization_id, grant_id, by, reason: 'revoked_by_client', request_id, address })
  })
}
