import type { Caller } from '#core/caller.ts'
import { unauthenticated } from '#core/problems.ts'
import type { Transaction } from '#db/database.ts'
import { insertToken, lockParent, lockParentGrant, type NewToken, type TokenRow } from './token.store.ts'
import { atRest, newToken } from './token-format.ts'

export interface Parents {
  parent_token_id: string | null
  parent_grant_id: string | null
}

/** Names the token or grant that a new credential ends with: its maker's. A credential made in the console stays. */
export function parentsOf(caller: Caller): Parents {
  return {
    parent_token_id: caller.kind === 'console' || caller.grant_id ? null : caller.credential_id,
    parent_grant_id: caller.grant_id ?? null,
  }
}

/**
 * Makes a credential and writes its digest; the value exists only in what this answers. A parent that was revoked since
 * the call began answers 401: what a token made ends with it, also what it is just making.
 */
export async function issueToken(
  tx: Transaction,
  token: NewToken & { is_sandbox: boolean },
): Promise<{ row: TokenRow; token: string }> {
  const { parent_token_id = null, parent_grant_id = null, kind, is_sandbox, organization_id } = token
  const parents = await lockParents(tx, organization_id, { parent_token_id, parent_grant_id })
  const value = newToken(kind, is_sandbox)
  const row = await insertToken(tx, { ...token, ...parents }, atRest(value))
  return { row, token: value }
}

/** Keeps both from being ended until this transaction is over; throws `unauthenticated` where one has ended. */
export async function lockParents(tx: Transaction, organization_id: string, parents: Parents): Promise<Parents> {
  const { parent_token_id, parent_grant_id } = parents
  const token = parent_token_id && (await lockParent(tx, organization_id, parent_token_id))
  const isLive = parent_grant_id === null || (await lockParentGrant(tx, organization_id, parent_grant_id))
  if (token === undefined || !isLive) throw unauthenticated()
  return { parent_token_id: token, parent_grant_id }
}
