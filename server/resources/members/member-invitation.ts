import { emailInUse } from '#core/problems.ts'
import { defineResource, type RowFrom } from '#core/resource.ts'
import { server } from '#core/schema/fields.ts'
import { ActorSchema, Email, Id, Timestamp } from '#core/schema/schema.ts'
import { sql } from '#db/database.ts'
import { RoleName } from './member.ts'

/** An invitation that was neither accepted nor taken back: a member to be, as its link has been handed over. */
export const memberInvitation = defineResource({
  name: 'member_invitation',
  title: 'MemberInvitation',
  table: 'member_invitations',
  only: sql`member_invitations.accepted_at is null and member_invitations.revoked_at is null`,
  fields: {
    id: { type: Id, ...server, example: '019b8d31-5a20-7d42-8e1b-3c9a7f0d5b64' },
    email: { type: Email, required: true, fixed: true, example: 'jonas@harbour.example' },
    role: { type: RoleName, required: true, fixed: true },
    invited_by: { type: ActorSchema, ...server },
    created_at: { type: Timestamp, ...server },
    updated_at: { type: Timestamp, ...server },
    sent_at: { type: Timestamp, ...server },
    expires_at: { type: Timestamp, ...server },
  },
  internal: {
    accepted_at: { type: Timestamp, nullable: true },
    revoked_at: { type: Timestamp, nullable: true },
  },
  unique: {
    email: { problem: emailInUse, detail: 'Another invitation has this e-mail address; it can be sent again.' },
  },
})

export type MemberInvitationRow = RowFrom<typeof memberInvitation>
