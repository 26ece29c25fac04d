import type { Caller } from '#core/caller.ts'
import type { Transaction } from '#db/database.ts'
import { earlierEnd, refuseExcess } from '#identity/api-tokens/rights.ts'
import { lockParents, type Parents, parentsOf } from '#identity/issue-token.ts'

export interface Power extends Parents {
  scopes: string[] | null
  sensitive_data: string[]
  expires_at: string | null
}

/**
 * Rights only shrink (design A6): who makes a client, learns a secret of it or turns it to another place or key holds what
 * it holds, so it must hold that already. Answers what the client ends with from now on.
 */
export async function boundTo(
  tx: Transaction,
  caller: Caller,
  client: Power & { client_id: string },
): Promise<Parents & { expires_at: string | null }> {
  const { scopes, sensitive_data, parent_token_id, parent_grant_id, expires_at } = client
  refuseExcess(caller, { kind: 'client', scopes: scopes ?? [], sensitive_data })
  const own = parentsOf(caller)
  const stays = isItself(caller, client) || (own.parent_token_id === null && own.parent_grant_id === null)
  if (stays) return { parent_token_id, parent_grant_id, expires_at }
  const parents = await lockParents(tx, caller.organization_id, own)
  return { ...parents, expires_at: earlierEnd(expires_at, caller.expires_at) }
}

/** A client that acts for its organization; with a user's permission it acts as that user, and is bound like everybody. */
function isItself({ client_id, user_id, person_id }: Caller, client: { client_id: string }): boolean {
  return client_id === client.client_id && !user_id && !person_id
}
