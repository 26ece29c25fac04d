import type { Caller, Role } from '#core/caller.ts'
import { type Context, defineOperation } from '#core/operation.ts'
import { insufficientScope, invalidState } from '#core/problems.ts'
import { Closed, PageInput, PageOf, Type } from '#core/schema/schema.ts'
import { roleIn } from '#identity/account.store.ts'
import { reauthenticationRequired, refuseOldProof } from '#identity/console-request.ts'
import { endCredential, endingEvents } from '#identity/end-credentials.ts'
import { endInvitation } from '#identity/invitation.store.ts'
import { rightsOf } from '#identity/scopes.ts'
import { endSessionsOfMember } from '#identity/session.store.ts'
import { organization } from '#resources/organizations/index.ts'
import { keepAnOwner } from './keep-an-owner.ts'
import { deleteMembership, isClosedWith, revokeInvitationsOf } from './member.store.ts'
import { gives, isOwner, lastOwner, type MemberRow, mayGive, member, refuseChange } from './member.ts'

export const reading = { scopes: ['organizations:read'], only_users: true } as const
export const writing = { scopes: ['organizations:write'], roles: ['owner', 'admin'], only_users: true } as const

/**
 * Lets one change of members after the other pass, and answers the role that counts for the caller now: of two owners who lower
 * each other at once the second is no owner any more, and the first is the last one.
 */
export async function lockMembers({ caller, tx }: { caller: Caller; tx: Context['tx'] }): Promise<Role> {
  const { organization_id, user_id = '' } = caller
  await organization.lock(tx, { organization_id, id: organization_id })
  const role = await roleIn(tx, organization_id, user_id)
  if (!role) throw insufficientScope('You are no member of this organization any more.')
  return role
}

export const listMembers = defineOperation({
  ...reading,
  id: 'members.list',
  summary: 'List members',
  description:
    'The people with an account here and what they may do, the newest first; open invitations are a list of their own.',
  method: 'GET',
  path: '/members',
  input: Closed({ ...PageInput, ...member.filters }),
  output: PageOf(member.answer),
  handle: (filter, context) => member.page(context, filter),
})

export const getMember = defineOperation({
  ...reading,
  id: 'members.get',
  summary: 'Get a member',
  method: 'GET',
  path: '/members/:member_id',
  input: Closed(member.path),
  output: member.answer,

  async lock({ member_id: id }, { caller: { organization_id }, tx }) {
    await organization.lock(tx, { organization_id, id: organization_id })
    await member.lock(tx, { organization_id, id })
  },
  handle: async ({ member_id: id }, { caller: { organization_id }, tx }) =>
    member.show(await member.get(tx, { organization_id, id })),
})

export const updateMember = defineOperation({
  ...writing,
  id: 'members.update',
  summary: 'Change the role of a member, disable or enable it',
  description:
    'Counts from the next request on. Disabling also ends the sessions, personal tokens and app permissions of the person, for good. Nobody hands out more than the own role has.',
  method: 'PATCH',
  path: '/members/:member_id',
  input: Closed({ ...member.path, ...member.change }),
  output: member.answer,
  problems: [invalidState, lastOwner, reauthenticationRequired],
  emits: endingEvents,

  async handle({ member_id: id, ...change }, context) {
    const { caller, tx, audit, unchanged } = context
    const { organization_id } = caller
    const giver = await lockMembers(context)
    const before = await member.lock(tx, { organization_id, id })
    // A member that is disabled or enabled by hand follows its person no more.
    const after = { ...before, ...member.changed(change), ...(change.status && { closed_by: null }) }
    const changed_fields = member.changes(before, after)
    if (changed_fields.length === 0) {
      unchanged()
      return member.show(before)
    }
    refuseChange(giver, before, after)
    if (gives(before, after)) refuseOldProof(caller, tx.real_now)
    const is_enabled = after.status === 'active' && before.closed_by !== null
    if (is_enabled && before.closed_by && (await isClosedWith(tx, organization_id, before.closed_by))) {
      throw invalidState(
        'The access of the person was taken away, and the member with it. Give the person access again.',
      )
    }
    if (isOwner(before) && !isOwner(after)) await keepAnOwner(tx, organization_id, [id])
    await member.save(tx, before, after)
    await endBeyond(context, before, after)
    audit({ changed_fields })
    // Read anew: what a team gives counts for active members only.
    return member.show(await member.get(tx, { organization_id, id }))
  },
})

export const deleteMember = defineOperation({
  ...writing,
  id: 'members.delete',
  summary: 'Remove a member',
  description:
    'Ends the sessions, personal tokens and app permissions of the person here. What the person did stays, with the name; the account stays for other organizations.',
  method: 'DELETE',
  path: '/members/:member_id',
  input: Closed(member.path),
  output: Type.Null(),
  status: 204,
  problems: [lastOwner],
  emits: endingEvents,

  async handle({ member_id: id }, context) {
    const { caller, tx } = context
    const { organization_id } = caller
    const giver = await lockMembers(context)
    const before = await member.lockToRemove(tx, { organization_id, id })
    refuseChange(giver, before, null)
    if (isOwner(before)) await keepAnOwner(tx, organization_id, [id])
    await endBeyond(context, before, null)
    await deleteMembership(tx, organization_id, id)
    return null
  },
})

export const endMemberSessions = defineOperation({
  ...writing,
  id: 'members.end_sessions',
  summary: 'Sign a member out',
  description:
    'In every browser. The person signs in anew; personal tokens and apps go on, and so does what the account opens in other organizations.',
  method: 'POST',
  path: '/members/:member_id/end-sessions',
  input: Closed(member.path),
  output: Type.Null(),
  status: 204,

  async handle({ member_id: id }, context) {
    const { caller, tx, audit } = context
    const { organization_id } = caller
    const giver = await lockMembers(context)
    refuseChange(giver, await member.lock(tx, { organization_id, id }), null)
    await endSessionsOfMember(tx, id)
    audit({ id })
    return null
  },
})

/** Ends what the rights of a member made, where they do not cover it any more: each request asks the role by itself. */
async function endBeyond(
  { caller, tx, emit }: Context<(typeof endingEvents)[number]>,
  { organization_id, id }: MemberRow,
  after: MemberRow | null,
): Promise<void> {
  const is_over = after === null || after.status === 'disabled'
  // The cast holds because an object has its keys.
  const kept = is_over ? [] : (Object.keys(rightsOf) as Role[]).filter((role) => mayGive(after.role, role))
  for (const subject_id of await revokeInvitationsOf(tx, organization_id, id, kept)) {
    await endInvitation(tx, { organization_id, kind: 'member', subject_id }, 'revoked')
  }
  if (!is_over) return
  const reason = after === null ? 'member_removed' : 'member_disabled'
  await endCredential({ tx, emit }, { user_id: id }, { organization_id, by: caller.actor, reason })
  await endSessionsOfMember(tx, id)
}
