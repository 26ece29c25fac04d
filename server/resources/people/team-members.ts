import { emitAll } from '#core/effects.ts'
import type { Context } from '#core/operation.ts'
import type { Sql } from '#db/database.ts'
import { refusalOfJoining } from '#resources/members/index.ts'
import { person, personEvents } from './person.ts'
import { addMembers, removeMembers, touchPeople } from './team-members.store.ts'

/**
 * A change of a team's members by sets: these leave, those whom a condition on `person_id` names, or all others than those who
 * come; then those come.
 */
export interface Move {
  readonly leaving?: readonly string[] | Sql | 'others'
  readonly coming?: readonly string[]
}

/**
 * Changes the members of a team without loading them, and tells of each person who really moved; answers how many did. What
 * one move undoes of another has not happened.
 */
export async function moveMembers(
  context: Pick<Context<typeof personEvents.updated>, 'caller' | 'tx' | 'emit'>,
  team: { organization_id: string; id: string },
  moves: readonly Move[],
): Promise<number> {
  const { tx, emit } = context
  const refusal = moves.some(({ coming }) => coming) ? await refusalOfJoining(context, [team.id]) : null
  const moved = new Set<string>()
  for (const { leaving, coming } of moves) {
    const gone = leaving ? await removeMembers(tx, team, leaving, coming) : []
    const come = coming ? await addMembers(tx, team, coming) : []
    if (come.length > 0 && refusal) throw refusal
    for (const id of [...gone, ...come]) moved.has(id) ? moved.delete(id) : moved.add(id)
  }
  if (moved.size === 0) return 0
  const ids = [...moved].sort()
  const people = await person.lockAll(tx, team.organization_id, ids)
  await touchPeople(tx, team.organization_id, ids)
  const rows = ids.flatMap((id) => people.get(id) ?? [])
  emitAll(
    emit,
    personEvents.updated,
    rows.map((row) => ({ ...person.entryOf(row), changed_fields: ['teams'] })),
  )
  return moved.size
}
