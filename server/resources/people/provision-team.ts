import type { Context } from '#core/operation.ts'
import { hasDependents, nameInUse, referenceNotFound } from '#core/problems.ts'
import type { RowFrom } from '#core/resource.ts'
import { refuseTakenName, team, teamEvents, teamOperations } from '#resources/teams/index.ts'
import { personEvents } from './person.ts'
import { usersAmong } from './provision-person.store.ts'
import { type Move, moveMembers } from './team-members.ts'

type TeamRow = RowFrom<typeof team>

/** Writes a team, new where none is known, and moves its members. Nothing at all where nothing changes. */
async function write(
  context: Context,
  known: TeamRow | null,
  changed: object,
  moves: readonly Move[],
): Promise<TeamRow> {
  const { tx, caller, newId, emit, audit, unchanged } = context
  const before = known ?? team.newRow(tx, { organization_id: caller.organization_id, id: newId(), name: '' })
  const after = { ...before, ...changed }
  const columns = team.changes(before, after)
  if (columns.includes('name')) await refuseTakenName(tx, after)
  if (!known) {
    await team.insert(tx, after)
    emit(teamEvents.created, team.entryOf(after))
  }
  const moved = await moveUsers(context, before, moves)
  if (known && columns.length === 0 && moved === 0) {
    unchanged()
    return known
  }
  audit({ changed_fields: [...columns, ...(moved > 0 ? ['members'] : [])] })
  if (!known) return after
  const row = await team.save(tx, known, after)
  const changed_fields = columns.filter((column) => column !== 'scim_external_id')
  if (changed_fields.length > 0) emit(teamEvents.updated, { ...team.entryOf(row), changed_fields })
  return row
}

/** Moves members of whom those who come are users; answers how many really moved. */
async function moveUsers(context: Context, group: TeamRow, moves: readonly Move[]): Promise<number> {
  const coming = moves.flatMap((move) => move.coming ?? [])
  const known = await usersAmong(context.tx, group.organization_id, coming)
  const stranger = coming.find((id) => !known.has(id))
  if (stranger === undefined) return moveMembers(context, group, moves)
  throw referenceNotFound(undefined, { errors: [{ pointer: '/members', message: `name nobody by ${stranger}` }] })
}

const removal = teamOperations.find(({ id }) => id === 'teams.delete')

async function remove(context: Context, before: TeamRow): Promise<void> {
  await moveMembers(context, before, [{ leaving: 'others', coming: [] }])
  // The cast holds because this is the whole input of that operation.
  await removal?.handle({ team_id: before.id } as never, context)
}

const emits = [...Object.values(teamEvents), personEvents.updated]
const problems = [nameInUse, hasDependents, referenceNotFound]

/** Teams as an identity provider writes them: their columns, and their members by sets. */
export const provisionedTeams = { emits, problems, write, remove }
