import { createHash } from 'node:crypto'
import { system_actor } from '#core/caller.ts'
import { equalBytes } from '#core/secrets/secrets.ts'
import { isSandboxToken } from '#identity/token-format.ts'
import type { Client } from '../clients/client.ts'
import { endGrant } from '../grants/end-grant.ts'
import { noteIssue } from '../grants/grant.store.ts'
import { type HeldGrant, isLive } from '../grants/held-grant.ts'
import { OAuthError } from '../oauth-error.ts'
import type { Parameters } from '../parameters.ts'
import { resourceIn } from '../resource-parameter.ts'
import { lockCode, markCodeUsed } from './code.store.ts'
import type { Exchange } from './grant-exchange.ts'
import { invalidGrant } from './invalid-grant.ts'
import { issueAccessToken, issueRefreshToken } from './issue-tokens.ts'
import { organizationOf } from './secret-organization.ts'

/** RFC 7636 §4.1 */
const verifier_form = /^[A-Za-z0-9._~-]{43,128}$/

/**
 * A code against tokens (RFC 6749 §4.1.3), in one transaction. A failed attempt does not use the code up. A second one
 * that passes all the checks ends the grant (§4.1.2); one that does not is only refused, so that who merely saw the code
 * cannot cut the connection.
 */
export const exchangeCode: Exchange = async ({ runtime, addresses }, request, { client, method }) => {
  const { parameters, request_id, address } = request
  const code = parameters.require('code')
  const verifier = verifierIn(parameters)
  const resource = resourceIn(parameters, addresses)
  const presented = await organizationOf(runtime, code, ['code'])
  if (!presented) throw invalidGrant('code')
  const { organization_id, digests } = presented
  const answer = await runtime.database.transaction({ role: 'app', organization_id }, async (tx) => {
    const row = await lockCode(tx, organization_id, digests)
    if (!row || !isFor(row, client, parameters, verifier)) return null
    if (row.used_at !== null) {
      const { grant_id } = row
      const by = system_actor
      await endGrant(runtime, tx, { organization_id, grant_id, by, reason: 'code_replay', request_id, address })
      return null
    }
    if (row.code_expires_at <= tx.now || !isLive(row, tx.now)) return null
    if (resource !== undefined && resource !== row.resource) throw notTheGrants()
    const is_sandbox = isSandboxToken(code)
    const [access, refresh] = await Promise.all([
      issueAccessToken(runtime, tx, { grant: row, scopes: row.scopes, is_sandbox }),
      issueRefreshToken(runtime, tx, { grant: row, is_sandbox }),
      markCodeUsed(tx, organization_id, row.digest),
      noteIssue(tx, { ...row, with_assertion: method === 'private_key_jwt' }),
    ])
    return { ...access, refresh_token: refresh.token }
  })
  if (!answer) throw invalidGrant('code')
  return answer
}

function verifierIn(parameters: Parameters): string {
  const verifier = parameters.require('code_verifier')
  if (!verifier_form.test(verifier)) {
    throw new OAuthError('invalid_request', 'code_verifier: must be 43 to 128 unreserved characters')
  }
  return verifier
}

/** Whether the code was issued to this client, at this address, for who knows the verifier (RFC 7636 §4.6). */
function isFor(
  row: HeldGrant & { redirect_uri: string; code_challenge: string },
  { client_id }: Client,
  parameters: Parameters,
  verifier: string,
): boolean {
  const redirect_uri = parameters.get('redirect_uri')
  const challenge = createHash('sha256').update(verifier).digest()
  return (
    row.client_id === client_id &&
    (redirect_uri === undefined || redirect_uri === row.redirect_uri) &&
    equalBytes(challenge, Buffer.from(row.code_challenge, 'base64url'))
  )
}

export function notTheGrants(): OAuthError {
  return new OAuthError('invalid_target', 'resource: is not the one that was granted')
}
