import type { Transaction } from '#db/database.ts'
import {
  credentialsOfUser,
  type EndedGrant,
  type Ending,
  endClients,
  endGrants,
  endTokens,
  findFamily,
  type Member,
} from './credential-family.store.ts'
import type { TokenRow } from './token.store.ts'

const passes_max = 100

export interface Ended {
  tokens: TokenRow[]
  grants: EndedGrant[]
}

/**
 * Ends a token, a grant or a client's grants with everything that was created with them, for good; answers what ended.
 * A child that was being made meanwhile is committed while the first pass waits for its parent's row, and only the next
 * pass sees it. Access tokens of a grant need no mark of their own: each request looks at the grant as well.
 */
export async function endCredential(
  tx: Transaction,
  start: { token_id: string } | { grant_id: string } | { client_id: string },
  ending: Ending,
): Promise<Ended> {
  const member: Member = { token_id: null, grant_id: null, client_id: null, ...start }
  const ended: Ended = { tokens: [], grants: [] }
  for (let passes = 0; passes < passes_max; passes += 1) {
    const { tokens, grants, clients } = await endOnce(tx, member, ending)
    ended.tokens.push(...tokens)
    ended.grants.push(...grants)
    if (tokens.length + grants.length + clients === 0) break
  }
  return ended
}

/** Ends what a user holds in one organization: personal tokens and grants, with what was created with them. */
export async function endCredentialsOfUser(tx: Transaction, user_id: string, ending: Ending): Promise<Ended> {
  const ended: Ended = { tokens: [], grants: [] }
  for (const { token_id, grant_id } of await credentialsOfUser(tx, ending.organization_id, user_id)) {
    const start = token_id ? { token_id } : { grant_id: grant_id ?? '' }
    const { tokens, grants } = await endCredential(tx, start, ending)
    ended.tokens.push(...tokens)
    ended.grants.push(...grants)
  }
  return ended
}

async function endOnce(tx: Transaction, start: Member, ending: Ending) {
  const family = await findFamily(tx, ending.organization_id, start)
  const [tokens, grants, clients] = await Promise.all([
    endTokens(tx, idsOf(family, 'token_id'), ending),
    endGrants(tx, idsOf(family, 'grant_id'), ending),
    endClients(tx, idsOf(family, 'client_id'), ending),
  ])
  return { tokens, grants, clients }
}

/** In one order, so that two endings that meet do not wait for each other. */
function idsOf(family: readonly Member[], kind: keyof Member): string[] {
  return family.flatMap((member) => member[kind] ?? []).sort()
}
