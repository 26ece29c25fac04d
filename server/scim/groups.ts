import type { Context } from '#core/operation.ts'
import { hasDependents, nameInUse } from '#core/problems.ts'
import type { RowFrom } from '#core/resource.ts'
import { moveMembers, personEvents } from '#resources/people/index.ts'
import { team, teamEvents, teamOperations } from '#resources/teams/index.ts'
import { requireWhole } from './body.ts'
import { isNameTaken, leavingOf, usersNamed } from './groups.store.ts'
import type { Rules } from './operations.ts'
import { applyChanges, type MemberChange, memberChanges } from './patch.ts'
import { refuse } from './refusals.ts'
import type { Resource } from './resource.ts'
import { group_type } from './schema.ts'
import { columnsOf } from './write.ts'

type TeamRow = RowFrom<typeof team>

/** A SCIM group is a team: its writes are those of teams, and its members are changed by sets. */
export const groups: Rules<TeamRow> = {
  id: 'groups',
  type: group_type,
  emits: () => [...Object.values(teamEvents), personEvents.updated, ...(teamDelete().emits ?? [])],
  problems: [nameInUse, hasDependents],
  lock: team.lock,
  // Members stay, since they are never loaded; nothing else of a group is Stint's own.
  keeps: () => ({}),
  is_quiet: true,

  async create(context, changes) {
    const { tx, caller, newId, emit, audit } = context
    const next = applyChanges({}, changes)
    requireWhole(group_type, next)
    const { organization_id } = caller
    const row = written(team.newRow(tx, { organization_id, id: newId(), name: '' }), {}, next)
    await refuseTaken(context, row)
    audit({ changed_fields: Object.keys(next) })
    await team.insert(tx, row)
    audit({ changed_fields: Object.keys(next) })
    emit(teamEvents.created, team.entryOf(row))
    await changeMembers(context, row, memberChanges(changes))
    return row.id
  },

  async change(context, before, { current, next, changes }) {
    const { tx, emit, audit, unchanged } = context
    const after = written(before, current, next)
    const columns = team.changes(before, after)
    if (columns.includes('name')) await refuseTaken(context, after)
    const moved = await changeMembers(context, before, memberChanges(changes))
    if (columns.length === 0 && moved === 0) return unchanged()
    const row = await team.save(tx, before, after)
    audit({ changed_fields: [...columns, ...(moved > 0 ? ['members'] : [])] })
    const changed_fields = columns.filter((column) => column !== 'scim_external_id')
    if (changed_fields.length > 0) emit(teamEvents.updated, { ...team.entryOf(row), changed_fields })
  },

  async remove(context, before) {
    await changeMembers(context, before, [{ kind: 'set', ids: [] }])
    // The cast holds because this is the whole input of that operation.
    return teamDelete().handle({ team_id: before.id } as never, context)
  },
}

function teamDelete() {
  const found = teamOperations.find(({ id }) => id === 'teams.delete')
  if (!found) throw new Error('teams cannot be deleted')
  return found
}

const written = (row: TeamRow, current: Resource, next: Resource): TeamRow => ({
  ...row,
  ...columnsOf(group_type, current, next),
})

async function refuseTaken({ tx }: Context, row: TeamRow): Promise<void> {
  if (await isNameTaken(tx, row, row.name)) {
    throw refuse('uniqueness', `A group with the displayName ${row.name} exists.`)
  }
}

/** Changes the members by sets; answers how many really moved. Whoever comes is a user. */
async function changeMembers(context: Context, group: TeamRow, changes: readonly MemberChange[]): Promise<number> {
  const moves = changes.map((change) => ({
    ...(change.kind !== 'add' && { leaving: leavingOf(group, change, context) }),
    ...((change.kind === 'add' || change.kind === 'set') && { coming: change.ids }),
  }))
  const coming = moves.flatMap((move) => move.coming ?? [])
  const known = await usersNamed(context.tx, group.organization_id, coming)
  const stranger = coming.find((id) => !known.has(id))
  if (stranger !== undefined) throw refuse('invalidValue', `members: there is no user ${stranger}.`)
  return moveMembers(context, group, moves)
}
