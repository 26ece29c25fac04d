import { unauthenticated } from '#core/problems.ts'
import type { Secrets } from '#core/secrets.ts'
import type { Transaction } from '#db/database.ts'
import { insertToken, lockParent, type NewToken, type TokenRow } from './token.store.ts'
import { atRest } from './token-digest.ts'
import { newToken } from './token-format.ts'

/**
 * Makes a credential and writes its digest; the value exists only in what this answers. A parent that was revoked since
 * the call began answers 401: what a token made ends with it, also what it is just making.
 */
export async function issueToken(
  tx: Transaction,
  secrets: Secrets,
  token: NewToken & { is_sandbox: boolean },
): Promise<{ row: TokenRow; token: string }> {
  const { parent_token_id = null, kind, is_sandbox, organization_id } = token
  const parent = parent_token_id && (await lockParent(tx, organization_id, parent_token_id))
  if (parent === undefined) throw unauthenticated()
  const value = newToken(kind, is_sandbox)
  const row = await insertToken(tx, { ...token, parent_token_id: parent }, atRest(secrets, value))
  return { row, token: value }
}
