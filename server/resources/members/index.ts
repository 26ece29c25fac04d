import { deleteMember, endMemberSessions, getMember, listMembers, updateMember } from './change-member.ts'
import { inviteMember, listMemberInvitations, resendMemberInvitation, revokeMemberInvitation } from './invite-member.ts'
import { resetMemberSecondFactor } from './reset-second-factor.ts'

export { lockMembers } from './change-member.ts'
export { refuseClosing } from './keep-an-owner.ts'
export { lateInviters } from './member.store.ts'
export { lastOwner, refuseGiving, teamRoles } from './member.ts'
export { memberLogin } from './member-login.ts'
export { refusalOfJoining } from './team-roles.ts'

export const memberOperations = [
  listMembers,
  getMember,
  updateMember,
  deleteMember,
  endMemberSessions,
  resetMemberSecondFactor,
  listMemberInvitations,
  inviteMember,
  resendMemberInvitation,
  revokeMemberInvitation,
]
