import type { RowFrom } from '#core/resource.ts'
import { provisionedTeams } from '#resources/people/index.ts'
import { team } from '#resources/teams/index.ts'
import { isApart } from './attribute.ts'
import type { Target } from './filter.ts'
import type { Rules } from './operations.ts'
import { type Change, columnsOf, elementsOf } from './patch.ts'
import { membersNamed } from './quirks.ts'
import { refuse } from './refusals.ts'
import { membersFound } from './resources.store.ts'
import { group_type } from './schema.ts'

/** A SCIM group is a team, whose members are changed by sets. */
export const groups: Rules<RowFrom<typeof team>> = {
  ...{ ...provisionedTeams, id: 'groups', type: group_type, lock: team.lock, is_quiet: true },
  // Members stay, since they are never loaded; nothing else of a group is Stint's own.
  keeps: () => ({}),

  write(context, before, { current, next, changes }) {
    const moves = changes
      .filter(({ target }) => isApart(target.place))
      .map(memberChange)
      .map(({ where, ...move }) => (where ? { leaving: membersFound(where, before?.id, context) } : move))
    return provisionedTeams.write(context, before, columnsOf(group_type, current, next), moves)
  },
}

/** A change of members by sets of ids, so that the members are never loaded. */
type MemberChange = { coming?: readonly string[]; leaving?: readonly string[] | 'others'; where?: Target }

export function memberChange({ op, target: { place, filter }, value }: Change): MemberChange {
  if (place.whole) throw refuse('mutability', 'The parts of a member do not change.')
  if (filter && op !== 'remove') throw refuse('invalidPath', 'Members between brackets can be removed only.')
  if (filter) return { where: { place, filter } }
  const leaving = op === 'remove' ? membersNamed(value) : undefined
  if (leaving) return { leaving }
  const coming = elementsOf(op === 'remove' ? [] : value).map(({ value: id, type = 'User' }) => {
    if (typeof id !== 'string') throw refuse('invalidValue', 'A member has no value, the id of a user.')
    if (type !== 'User') throw refuse('invalidValue', 'Groups hold users only.')
    return id
  })
  return op === 'add' ? { coming } : { coming, leaving: 'others' }
}
