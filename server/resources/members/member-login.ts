import { invalidState } from '#core/problems.ts'
import type { Transaction } from '#db/database.ts'
import { roleIn } from '#identity/account.store.ts'
import type { InvitationKind } from '#identity/invitation.ts'
import { organization } from '#resources/organizations/index.ts'
import { insertMembership, isClosedAddress, statusByEmail } from './member.store.ts'
import { mayGive } from './member.ts'
import { type MemberInvitationRow, memberInvitation } from './member-invitation.ts'

/** The invitation to become a member: its link makes a login, or takes the one that the address has. */
export const memberLogin: InvitationKind = {
  kind: 'member',
  on_real_time: true,

  home: () => '/console',

  async offer(tx, { organization_id, subject_id: id }) {
    const invitation = await memberInvitation.get(tx, { organization_id, id })
    const { email, role, invited_by } = invitation
    const is_disabled = (await statusByEmail(tx, organization_id, email)) === 'disabled'
    const is_closed = is_disabled || (await isClosedAddress(tx, organization_id, email))
    const is_blocked = is_closed || !(await isStillGiven(tx, invitation))
    return { name: null, user_id: null, is_blocked, shown: { role, inviter: invited_by.name } }
  },

  async lock(tx, { organization_id, subject_id: id }) {
    await organization.lock(tx, { organization_id, id: organization_id })
    await memberInvitation.lock(tx, { organization_id, id })
  },

  async accept({ organization_id, subject_id }, { id: user_id, name }, { tx }) {
    const before = await memberInvitation.get(tx, { organization_id, id: subject_id })
    if (!(await isStillGiven(tx, before))) {
      throw invalidState('Whoever invited you may not give this role any more. Ask for another invitation.')
    }
    if (await isClosedAddress(tx, organization_id, before.email)) throw invalidState('Your access was taken away.')
    await memberInvitation.save(tx, before, { ...before, accepted_at: tx.now })
    const is_new = await insertMembership(tx, { organization_id, user_id, role: before.role })
    if (!is_new) throw invalidState('You are a member of this organization already.')
    return {
      actor: { kind: 'user', id: user_id, name },
      subject: { kind: 'members', id: user_id },
      changed_fields: ['role'],
    }
  },
}

/** False once the role of who invited does not cover it any more: a role by a team comes and goes with the team. */
async function isStillGiven(tx: Transaction, { organization_id, role, invited_by }: MemberInvitationRow) {
  const giver = invited_by.id && (await roleIn(tx, organization_id, invited_by.id))
  return giver ? mayGive(giver, role) : false
}
