import type { Context } from '#core/operation.ts'
import { hasDependents, nameInUse } from '#core/problems.ts'
import type { RowFrom } from '#core/resource.ts'
import { moveMembers, personEvents, usersAmong } from '#resources/people/index.ts'
import { refuseTakenName, team, teamEvents, teamOperations } from '#resources/teams/index.ts'
import { isApart } from './attribute.ts'
import { requireWhole } from './body.ts'
import { leavingOf, type MemberChange } from './groups.store.ts'
import type { Rules } from './operations.ts'
import { applyChanges, type Change, columnsOf } from './patch.ts'
import { membersNamed } from './quirks.ts'
import { refuse } from './refusals.ts'
import type { Resource } from './resource.ts'
import { group_type } from './schema.ts'

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
    await refuseTakenName(tx, row)
    await team.insert(tx, row)
    audit({ changed_fields: Object.keys(next) })
    emit(teamEvents.created, team.entryOf(row))
    await changeMembers(context, row, changes)
    return row.id
  },

  async change(context, before, { current, next, changes }) {
    const { tx, emit, audit, unchanged } = context
    const after = written(before, current, next)
    const columns = team.changes(before, after)
    if (columns.includes('name')) await refuseTakenName(tx, after)
    const moved = await changeMembers(context, before, changes)
    if (columns.length === 0 && moved === 0) return unchanged()
    const row = await team.save(tx, before, after)
    audit({ changed_fields: [...columns, ...(moved > 0 ? ['members'] : [])] })
    const changed_fields = columns.filter((column) => column !== 'scim_external_id')
    if (changed_fields.length > 0) emit(teamEvents.updated, { ...team.entryOf(row), changed_fields })
  },

  async remove(context, before) {
    await moveMembers(context, before, [{ leaving: leavingOf(before, { coming: [], leaving: 'others' }, context) }])
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

export function memberChange({ op, target: { place, filter }, value }: Change): MemberChange {
  if (place.whole) throw refuse('mutability', 'The parts of a member do not change.')
  if (filter && op !== 'remove') throw refuse('invalidPath', 'Members between brackets can be removed only.')
  const leaving = op === 'remove' ? (filter ?? membersNamed(value)) : undefined
  if (leaving) return { leaving }
  // The cast holds because the value of a list is one of objects.
  const coming = ((op === 'remove' ? [] : (value ?? [])) as Resource[]).map(({ value: id, type = 'User' }) => {
    if (typeof id !== 'string') throw refuse('invalidValue', 'A member has no value, the id of a user.')
    if (type !== 'User') throw refuse('invalidValue', 'Groups hold users only.')
    return id
  })
  return op === 'add' ? { coming } : { coming, leaving: 'others' }
}

/** Changes the members by sets; answers how many really moved. Whoever comes is a user. */
async function changeMembers(context: Context, group: TeamRow, all: readonly Change[]): Promise<number> {
  const changes = all.filter(({ target }) => isApart(target.place)).map(memberChange)
  const coming = changes.flatMap((change) => change.coming ?? [])
  const known = await usersAmong(context.tx, group.organization_id, coming)
  const stranger = coming.find((id) => !known.has(id))
  if (stranger !== undefined) throw refuse('invalidValue', `members: there is no user ${stranger}.`)
  const moves = changes.map((change) => ({
    ...(change.leaving && { leaving: leavingOf(group, change, context) }),
    ...(change.coming && { coming: change.coming }),
  }))
  return moveMembers(context, group, moves)
}
