import { sql, type Transaction } from '#db/database.ts'
import { ownersOf } from './member.store.ts'
import { lastOwner } from './member.ts'

/**
 * Asked before an owner is lowered or removed, and before the access of a person is closed, who may be one: somebody has to be left
 * who can administer. The
 * organization is locked first, so that of two requests at once only one can pass.
 */
export async function keepAnOwner(
  tx: Transaction,
  { organization_id, user_id }: { organization_id: string; user_id: string | null },
): Promise<void> {
  if (user_id === null) return
  tx.send(sql`select id from organizations where id = ${organization_id} for no key update`)
  const owners = await ownersOf(tx, organization_id)
  if (owners.length === 1 && owners[0] === user_id) throw lastOwner()
}
