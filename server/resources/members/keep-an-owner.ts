import type { Caller, Tenant } from '#core/caller.ts'
import { insufficientScope } from '#core/problems.ts'
import { sql, type Transaction } from '#db/database.ts'
import { roleIn } from '#identity/account.store.ts'
import { usersBehind } from '#identity/token.store.ts'
import { type Known, membersKnownAs, ownersOf } from './member.store.ts'
import { lastOwner } from './member.ts'

/** Asked before owners are lowered or removed: somebody has to be left who can administer. */
export async function keepAnOwner(tx: Transaction, organization_id: string, leaving: readonly string[]): Promise<void> {
  lockOrganization(tx, organization_id)
  const owners = await ownersOf(tx, organization_id)
  if (owners.length > 0 && owners.every((id) => leaving.includes(id))) throw lastOwner()
}

/** The organization is locked first, so that of two requests at once only one can pass. */
function lockOrganization(tx: Transaction, organization_id: string): void {
  tx.send(sql`select id from organizations where id = ${organization_id} for no key update`)
}

/**
 * Asked before the access of a person is closed, with whom every member goes who has its login or its address. Of an owner
 * another owner does it, or a token or client that an owner made or the operator: else an admin would shut out who made it admin.
 */
export async function refuseClosing(
  { tx, caller }: { tx: Transaction; caller: Caller },
  person: Known & Tenant,
): Promise<void> {
  const { organization_id } = person
  lockOrganization(tx, organization_id)
  const members = await membersKnownAs(tx, person)
  const owners = members.filter(({ role }) => role === 'owner').map(({ user_id }) => user_id)
  if (owners.length === 0) return
  await keepAnOwner(tx, organization_id, owners)
  const makers = await usersBehind(tx, caller)
  for (const id of makers) if ((await roleIn(tx, organization_id, id)) === 'owner') return
  if (makers.length === 0) return
  throw insufficientScope('Only an owner closes the access of an owner.', { members: { required_scopes: [] } })
}
