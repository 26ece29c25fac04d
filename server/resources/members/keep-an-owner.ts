import type { Tenant } from '#core/caller.ts'
import type { Transaction } from '#db/database.ts'
import { sql } from '#db/database.ts'
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

/** Asked before the access of a person is closed, with whom every member goes who has its login or its address. */
export async function refuseClosing({ tx }: { tx: Transaction }, person: Known & Tenant): Promise<void> {
  const { organization_id } = person
  lockOrganization(tx, organization_id)
  const members = await membersKnownAs(tx, person)
  const owners = members.filter(({ role }) => role === 'owner').map(({ user_id }) => user_id)
  if (owners.length > 0) await keepAnOwner(tx, organization_id, owners)
}
