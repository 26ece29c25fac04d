import { invalidState } from '#core/problems.ts'
import type { AcceptContext } from '#identity/invitation.ts'
import { type PersonRow, person, userProvisioned } from './person.ts'

/** Links a person to the login that took up an invitation; never to a second one, and not where access was taken away. */
export async function giveLogin(
  match: { organization_id: string; id: string },
  user_id: string,
  { tx, emit }: AcceptContext,
): Promise<PersonRow> {
  const before = await person.lock(tx, match)
  if (before.access === 'disabled') throw invalidState('Access was taken away from this person.')
  if (before.user_id !== null && before.user_id !== user_id) throw invalidState('This person has another login.')
  const row = await person.save(tx, before, { ...before, user_id, access: 'enabled' })
  if (row.access !== before.access) emit(userProvisioned, person.entryOf(row))
  return row
}
