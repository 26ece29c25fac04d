import { recordAudit } from '#core/audit.ts'
import type { Actor } from '#core/caller.ts'
import type { Runtime } from '#core/invoke.ts'
import type { Transaction } from '#db/database.ts'
import type { Clients } from './clients/client.ts'
import { endGrant } from './end-grant.ts'
import { organizationOf } from './issue-tokens.ts'
import type { OAuthEndpoint, OAuthRequest } from './oauth-endpoint.ts'
import { endAccessToken, grantOfRefreshToken } from './token.store.ts'

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
      const authenticated = await clients.authenticate(request)
      const ended = await revoke(runtime, request, authenticated.client)
      if (!ended) clients.noteRefusal(authenticated, request.network)
      return { status: 200 }
    },
  }
}

/** Returns true when it ended something. */
async function revoke(
  runtime: Runtime,
  { parameters, request_id, address }: OAuthRequest,
  { client_id, name }: { client_id: string; name: string },
): Promise<boolean> {
  const presented = await organizationOf(runtime, parameters.require('token'), ['refresh', 'oauth'])
  if (!presented) return false
  const { organization_id, digests, kind } = presented
  return runtime.database.transaction({ role: 'app', organization_id }, async (tx) => {
    if (kind === 'oauth') {
      const ended = await endAccessToken(tx, { organization_id, digests, client_id, name })
      if (ended) await auditEnd(tx, { organization_id, name, request_id, address, ...ended })
      return ended !== undefined
    }
    const grant_id = await grantOfRefreshToken(tx, { organization_id, digests, client_id })
    if (grant_id === undefined) return false
    const by: Actor = { kind: 'token', id: grant_id, name }
    await endGrant(runtime, tx, { organization_id, grant_id, by, reason: 'revoked_by_client', request_id, address })
    return true
  })
}

function auditEnd(
  tx: Transaction,
  end: { organization_id: string; id: string; grant_id: string; name: string; request_id: string; address: string },
): Promise<void> {
  const { organization_id, id, grant_id, name, request_id, address } = end
  return recordAudit(tx, {
    organization_id,
    actor: { kind: 'token', id: grant_id, name },
    credential_id: null,
    action: 'oauth_tokens.revoked_by_client',
    subject: { kind: 'oauth_tokens', id },
    changed_fields: ['revoked_at'],
    request_id,
    address,
  })
}
