import { hasDependents } from '#core/problems.ts'
import { defineStandardOperations } from '#core/standard-operations.ts'
import { dropMembers } from './team.store.ts'
import { team, teamEvents, teamRemoving } from './team.ts'

export { team, teamEvents, teamRemoving }

export const teamOperations = defineStandardOperations(team, {
  id: 'teams',
  one: 'a team',
  read: 'organizations:read',
  write: 'organizations:write',
  roles: ['owner', 'admin'],
  events: teamEvents,
  removing: teamRemoving,
  problems: { delete: [hasDependents] },
  description: { delete: 'Its members are members no more. A team that a pending or active contract names stays.' },
  tools: { list: { name: 'list_teams', text: 'List teams.', yields: { team_id: 'id' } } },
  release: (row, { tx }) => dropMembers(tx, row),
})
