import { invalidState } from '#core/problems.ts'
import type { InvitationKind } from '#identity/invitation.ts'
import { organization } from '#resources/organizations/index.ts'
import { insertMembership, isClosedAddress, statusByEmail } from './member.store.ts'
import { memberInvitation } from './member-invitation.ts'

/** The invitation to become a member: its link makes a login, or takes the one that the address has. */
export const memberLogin: InvitationKind = {
  kind: 'member',
  on_real_time: true,

  home: () => '/console',

  async offer(tx, { organization_id, subject_id: id }) {
    const { email, role, invited_by } = await memberInvitation.get(tx, { organization_id, id })
    const is_blocked =
      (await statusByEmail(tx, organization_id, email)) === 'disabled' ||
      (await isClosedAddress(tx, organization_id, email))
    return { name: null, user_id: null, is_blocked, shown: { role, inviter: invited_by.name } }
  },

  async lock(tx, { organization_id, subject_id: id }) {
    await organization.lock(tx, { organization_id, id: organization_id })
    await memberInvitation.lock(tx, { organization_id, id })
  },

  async accept({ organization_id, subject_id }, { id: user_id, name }, { tx }) {
    const before = await memberInvitation.get(tx, { organization_id, id: subject_id })
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
