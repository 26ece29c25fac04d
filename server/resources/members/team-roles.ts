import type { Caller, Role } from '#core/caller.ts'
import { insufficientScope } from '#core/problems.ts'
import type { Transaction } from '#db/database.ts'
import { roleIn } from '#identity/account.store.ts'
import { usersBehind } from '#identity/token.store.ts'
import { rolesByTeams } from './member.store.ts'
import { refuseGiving } from './member.ts'

/**
 * Refuses to put people into teams that give a role beyond what the caller may hand out: joining such a team is being given the
 * role. A token hands out no roles, but for provisioning, which may give what each maker of its credential may who is a member still.
 */
export async function refuseJoining(
  { caller, tx }: { caller: Caller; tx: Transaction },
  team_ids: readonly string[],
): Promise<void> {
  if (team_ids.length === 0) return
  const { organization_id, role, actor } = caller
  const roles = await rolesByTeams(tx, organization_id, team_ids)
  if (roles.length === 0) return
  if (role === undefined && actor.kind !== 'scim') {
    throw insufficientScope(
      'The team gives its members a role here: only a member and provisioning put people into it.',
      {
        members: { required_scopes: [] },
      },
    )
  }
  for (const giver of role ? [role] : await rolesBehind(tx, caller)) {
    for (const given of roles) refuseGiving(giver, given)
  }
}

async function rolesBehind(tx: Transaction, caller: Caller): Promise<Role[]> {
  const roles: Role[] = []
  for (const user_id of await usersBehind(tx, caller)) {
    const role = await roleIn(tx, caller.organization_id, user_id)
    if (role) roles.push(role)
  }
  return roles
}
