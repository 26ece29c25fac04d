import { system_actor } from '#core/caller.ts'
import type { Transaction } from '#db/database.ts'
import { isSandboxToken } from '#identity/token-format.ts'
import { isCovered } from '../authorize/checks.ts'
import { endGrant } from '../grants/end-grant.ts'
import { noteIssue } from '../grants/grant.store.ts'
import { type HeldGrant, isLive } from '../grants/held-grant.ts'
import type { OAuthRequest } from '../oauth-endpoint.ts'
import { OAuthError } from '../oauth-error.ts'
import { resourceIn } from '../resource-parameter.ts'
import { scopesIn } from '../scope-text.ts'
import { notTheGrants } from './exchange-code.ts'
import type { Exchange, ExchangeParts } from './grant-exchange.ts'
import { invalidGrant } from './invalid-grant.ts'
import { issueAccessToken, issueRefreshToken } from './issue-tokens.ts'
import { lockRefreshToken, markRefreshTokenUsed } from './refresh-token.store.ts'
import { organizationOf } from './secret-organization.ts'

/**
 * Processes that share one stored token refresh at the same moment: a token that was used this recently is refused and
 * nothing more. Later its presentation means that two hold it, and one of them stole it (RFC 9700 §4.14).
 */
const race_window_ms = 10_000

/** A refresh token against its successor and an access token (RFC 6749 §6), in one transaction. */
export const exchangeRefreshToken: Exchange = async (parts, request, { client, method }) => {
  const { runtime, addresses, clients } = parts
  const { parameters } = request
  const token = parameters.require('refresh_token')
  const resource = resourceIn(parameters, addresses)
  const presented = await organizationOf(runtime, token, ['refresh'])
  if (!presented) throw invalidGrant('refresh_token')
  const { organization_id, digests } = presented
  const answer = await runtime.database.transaction({ role: 'app', organization_id }, async (tx) => {
    const row = await lockRefreshToken(tx, organization_id, digests)
    if (!row || row.client_id !== client.client_id) return null
    if (row.used_at !== null) return noteReuse(parts, tx, request, { ...row, used_at: row.used_at })
    if (row.token_expires_at <= tx.now || !isLive(row, tx.now)) return null
    clients.countGrant(row.grant_id)
    if (row.with_assertion && method !== 'private_key_jwt') {
      throw new OAuthError('invalid_client', 'client: must prove itself as it did when it fetched the first tokens')
    }
    if (resource !== undefined && resource !== row.resource) throw notTheGrants()
    const scopes = narrowed(parameters.get('scope'), row)
    const is_sandbox = isSandboxToken(token)
    const [access, refresh] = await Promise.all([
      issueAccessToken(runtime, tx, { grant: row, scopes, is_sandbox }),
      succeed(parts, tx, row, is_sandbox),
      noteIssue(tx, { ...row, with_assertion: method === 'private_key_jwt' }),
    ])
    return { ...access, refresh_token: refresh }
  })
  if (!answer) throw invalidGrant('refresh_token')
  return answer
}

async function succeed(
  { runtime }: ExchangeParts,
  tx: Transaction,
  row: HeldGrant & { digest: Buffer },
  is_sandbox: boolean,
): Promise<string> {
  const { token, at_rest } = await issueRefreshToken(runtime, tx, { grant: row, is_sandbox })
  await markRefreshTokenUsed(tx, { ...row, successor: at_rest.digest })
  return token
}

/** Both times are the database's; where its clock was set back the difference is negative, and no family is ended. */
async function noteReuse(
  { runtime }: ExchangeParts,
  tx: Transaction,
  { request_id, address }: OAuthRequest,
  { organization_id, grant_id, used_at }: HeldGrant & { used_at: string },
): Promise<null> {
  if (Date.parse(tx.now) - Date.parse(used_at) <= race_window_ms) return null
  const by = system_actor
  await endGrant(runtime, tx, { organization_id, grant_id, by, reason: 'refresh_reuse', request_id, address })
  return null
}

/** Fewer scopes for this one access token; the grant keeps all of its own. */
function narrowed(text: string | undefined, { scopes }: HeldGrant): string[] {
  const wished = scopesIn(text ?? '')
  if (!wished?.every((scope) => isCovered(scope, scopes))) {
    throw new OAuthError('invalid_scope', 'scope: is beyond what was granted')
  }
  return wished.length > 0 ? wished : scopes
}
