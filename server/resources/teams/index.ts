import { hasDependents, nameInUse } from '#core/problems.ts'
import type { RowFrom } from '#core/resource.ts'
import { defineStandardOperations } from '#core/standard-operations.ts'
import type { Transaction } from '#db/database.ts'
import { dropMembers, isNameTaken } from './team.store.ts'
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

/** Refuses the name of another team also in another case, for those to whom the two are one. */
export async function refuseTakenName(tx: Transaction, row: RowFrom<typeof team>): Promise<void> {
  if (await isNameTaken(tx, row)) throw nameInUse(`Another team is called ${row.name}.`)
}
