import type { Caller, Role } from '#core/caller.ts'
import { insufficientScope, type Problem } from '#core/problems.ts'
import type { Transaction } from '#db/database.ts'
import { roleIn } from '#identity/account.store.ts'
import { usersBehind } from '#identity/token.store.ts'
import { rolesByTeams } from './member.store.ts'
import { refusalOfGiving } from './member.ts'

/**
 * The refusal of putting people into teams that give a role beyond what the caller may hand out: joining such a team is being given
 * the role. A token hands out no roles, but for provisioning, which may give what each maker of its credential may who is a member
 * still. To be asked before anybody has joined: a maker among them would have the role already.
 */
export async function refusalOfJoining(
  { caller, tx }: { caller: Caller; tx: Transaction },
  team_ids: readonly string[],
): Promise<Problem | null> {
  if (team_ids.length === 0) return null
  const { organization_id, role, actor } = caller
  const roles = await rolesByTeams(tx, organization_id, team_ids)
  if (roles.length === 0) return null
  if (role === undefined && actor.kind !== 'scim') {
    return insufficientScope('The team gives a role: only a member and provisioning put people into it.', {
      members: { required_scopes: [] },
    })
  }
  const givers = role ? [role] : await rolesBehind(tx, caller)
  const refusals = givers.flatMap((giver) => roles.map((given) => refusalOfGiving(giver, given)))
  return refusals.find((refusal) => refusal !== null) ?? null
}

async function rolesBehind(tx: Transaction, caller: Caller): Promise<Role[]> {
  const roles: Role[] = []
  for (const user_id of await usersBehind(tx, caller)) {
    const role = await roleIn(tx, caller.organization_id, user_id)
    if (role) roles.push(role)
  }
  return roles
}
