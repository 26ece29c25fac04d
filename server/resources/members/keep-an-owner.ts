import { sql, type Transaction } from '#db/database.ts'
import { ownersOf } from './member.store.ts'
import { refuseLast } from './member.ts'

/**
 * Asked before the access of a person is closed, who may be a member: somebody has to be left who can administer. The
 * organization is locked first, so that of two requests at once only one can pass.
 */
export async function keepAnOwner(
  tx: Transaction,
  { organization_id, user_id }: { organization_id: string; user_id: string | null },
): Promise<void> {
  if (user_id === null) return
  tx.send(sql`select id from organizations where id = ${organization_id} for no key update`)
  refuseLast(await ownersOf(tx, organization_id), user_id)
}
