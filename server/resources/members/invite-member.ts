import { type Context, defineOperation, type RevealedSecret } from '#core/operation.ts'
import { emailInUse, invalidState } from '#core/problems.ts'
import { Closed, PageInput, PageOf, ShownOnce, Type } from '#core/schema/schema.ts'
import { reauthenticationRequired, refuseOldProof } from '#identity/console-request.ts'
import { endInvitation, insertInvitation, invitationStands } from '#identity/invitation.store.ts'
import { digestOf, newSecret } from '#identity/token-format.ts'
import { lockMembers, reading, writing } from './change-member.ts'
import { isClosedAddress, statusByEmail } from './member.store.ts'
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

const revealed: RevealedSecret = {
  field: 'url',
  // The cast holds because every answer that makes a link has it.
  stands: (answer, { tx, caller: { organization_id } }) =>
    invitationStands(tx, organization_id, (answer as { url: string }).url.replace(/^.*#/, '')),
}

/** The life of a link that is made now. */
const lifeFrom = (now: string) => ({
  sent_at: now,
  expires_at: new Date(Date.parse(now) + life_ms).toISOString(),
})

/** Makes the link of an invitation; the secret is in the answer only, behind `#`, so that it reaches no server log. */
async function withLink(row: MemberInvitationRow, { tx, rooms }: Pick<Context, 'tx' | 'rooms'>) {
  const { organization_id, id: subject_id, email, expires_at } = row
  const secret = newSecret()
  const link = { digest: digestOf(secret), email, expires_at }
  await insertInvitation(tx, { organization_id, kind: 'member', subject_id }, link)
  return { ...memberInvitation.show(row), url: `${rooms.contracts.console_url}/invite#${secret}` }
}

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
  problems: [...problems, invalidState, ...memberInvitation.duplicates.create],
  reveals_secret: revealed,

  async handle({ email, role }, context) {
    const { caller, tx, newId, now } = context
    const { organization_id, actor } = caller
    refuseGiving(await lockMembers(context), role)
    refuseOldProof(caller, tx.real_now)
    if (await statusByEmail(tx, organization_id, email)) {
      const message = 'A member has this e-mail address.'
      throw emailInUse(message, { errors: [{ pointer: '/email', message }] })
    }
    if (await isClosedAddress(tx, organization_id, email)) {
      throw invalidState(
        'The access of the person with this address was taken away. Give the person access again first.',
      )
    }
    const given = { id: newId(), organization_id, email, role, invited_by: actor, ...lifeFrom(now) }
    const row = memberInvitation.newRow(tx, given)
    await memberInvitation.insert(tx, row)
    return withLink(row, context)
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
    const { caller, tx, now, audit } = context
    const { organization_id } = caller
    const giver = await lockMembers(context)
    const before = await memberInvitation.lock(tx, { organization_id, id })
    refuseGiving(giver, before.role)
    refuseOldProof(caller, tx.real_now)
    audit({ changed_fields: ['sent_at', 'expires_at'] })
    const row = await memberInvitation.save(tx, before, { ...before, ...lifeFrom(now) })
    await endInvitation(tx, { organization_id, kind: 'member', subject_id: id }, 'replaced')
    return withLink(row, context)
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
    const { organization_id } = caller
    await lockMembers(context)
    const before = await memberInvitation.lock(tx, { organization_id, id })
    audit({ id })
    await memberInvitation.save(tx, before, { ...before, revoked_at: tx.now })
    await endInvitation(tx, { organization_id, kind: 'member', subject_id: id }, 'revoked')
    return null
  },
})
