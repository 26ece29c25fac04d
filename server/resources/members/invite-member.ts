import { defineOperation, type RevealedSecret, type Rooms } from '#core/operation.ts'
import { emailInUse } from '#core/problems.ts'
import { Closed, PageInput, PageOf, ShownOnce, Type } from '#core/schema/schema.ts'
import { reauthenticationRequired, refuseOldProof } from '#identity/console-request.ts'
import { digestOf, newSecret } from '#identity/token-format.ts'
import { lockMembers, reading, writing } from './change-member.ts'
import { isMember } from './member.store.ts'
import { refuseGiving } from './member.ts'
import { type MemberInvitationRow, memberInvitation } from './member-invitation.ts'

const life_ms = 7 * 86_400_000

const path = '/members/invitations'
const onePath = `${path}/:member_invitation_id` as const
const problems = [reauthenticationRequired]

const RevealedInvitation = Type.Object({
  ...memberInvitation.answer.properties,
  url: ShownOnce('The link to hand over: whoever has it becomes the member.'),
})

type Revealed = { id: string; url: string }

const revealed: RevealedSecret = {
  field: 'url',
  async stands(answer, { tx, caller: { organization_id } }) {
    // The cast holds because every answer that makes a link has both.
    const { id, url } = answer as Revealed
    const row = await memberInvitation.find(tx, { organization_id, id })
    return row?.digest.equals(digestOf(url.slice(url.indexOf('#') + 1))) ?? false
  },
}

/** A new link and when it ends; the one before is over. */
function newLink({ now }: { now: string }, { contracts }: Rooms) {
  const secret = newSecret()
  return {
    of_row: {
      digest: digestOf(secret),
      sent_at: now,
      expires_at: new Date(Date.parse(now) + life_ms).toISOString(),
    },
    // The secret stands behind `#`, so that it reaches no server log on its way to the page.
    url: `${contracts.origin}/console/invite#${secret}`,
  }
}

const show = (row: MemberInvitationRow, url: string) => ({ ...memberInvitation.show(row), url })

export const inviteMember = defineOperation({
  ...writing,
  id: 'member_invitations.create',
  summary: 'Invite somebody to become a member',
  description:
    'The service sends no mail: hand over the link, which is in this answer and in no other. It lives seven days and serves once, for a new account or for one that the person has already.',
  method: 'POST',
  path,
  input: Closed(memberInvitation.create),
  output: RevealedInvitation,
  status: 201,
  problems: [...problems, ...memberInvitation.duplicates.create],
  reveals_secret: revealed,

  async handle({ email, role }, context) {
    const { caller, tx, newId, rooms } = context
    const { organization_id, actor } = caller
    refuseGiving(await lockMembers(context), role)
    refuseOldProof(caller, tx.real_now)
    if (await isMember(tx, organization_id, email)) {
      const message = 'A member has this e-mail address.'
      throw emailInUse(message, { errors: [{ pointer: '/email', message }] })
    }
    const { of_row, url } = newLink(context, rooms)
    const given = { id: newId(), organization_id, email, role, invited_by: actor, ...of_row }
    const row = memberInvitation.newRow(tx, given)
    await memberInvitation.insert(tx, row)
    return show(row, url)
  },
})

export const listMemberInvitations = defineOperation({
  ...reading,
  id: 'member_invitations.list',
  summary: 'List open invitations of members',
  description:
    'Those that were neither accepted nor taken back, the newest first; one behind its end can be sent again.',
  method: 'GET',
  path,
  input: Closed(PageInput),
  output: PageOf(memberInvitation.answer),
  handle: (filter, context) => memberInvitation.page(context, filter),
})

export const resendMemberInvitation = defineOperation({
  ...writing,
  id: 'member_invitations.resend',
  summary: 'Make a new link for an invitation',
  description: 'The link before ends, and the seven days begin anew.',
  method: 'POST',
  path: `${onePath}/resend`,
  input: Closed(memberInvitation.path),
  output: RevealedInvitation,
  status: 201,
  location: () => path,
  problems,
  reveals_secret: revealed,

  async handle({ member_invitation_id: id }, context) {
    const { caller, tx, rooms, audit } = context
    const giver = await lockMembers(context)
    const before = await memberInvitation.lock(tx, { organization_id: caller.organization_id, id })
    refuseGiving(giver, before.role)
    refuseOldProof(caller, tx.real_now)
    const { of_row, url } = newLink(context, rooms)
    audit({ changed_fields: ['sent_at', 'expires_at'] })
    return show(await memberInvitation.save(tx, before, { ...before, ...of_row }), url)
  },
})

export const revokeMemberInvitation = defineOperation({
  ...writing,
  id: 'member_invitations.revoke',
  summary: 'Take an invitation back',
  description: 'Its link opens nothing any more.',
  method: 'POST',
  path: `${onePath}/revoke`,
  input: Closed(memberInvitation.path),
  output: Type.Null(),
  status: 204,

  async handle({ member_invitation_id: id }, context) {
    const { caller, tx, audit } = context
    await lockMembers(context)
    const before = await memberInvitation.lock(tx, { organization_id: caller.organization_id, id })
    audit({ id })
    await memberInvitation.save(tx, before, { ...before, revoked_at: tx.now })
    return null
  },
})
