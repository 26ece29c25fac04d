import { defineTimer } from '#core/jobs/timer.ts'
import { writeContract } from './change-contract.ts'
import { lockContract } from './contract.store.ts'
import { invitation_expiry } from './contract-timers.ts'
import { contractInvitationExpired, invitationEntry } from './events.ts'

export const invitationExpiry = defineTimer({
  ...invitation_expiry,
  subject: 'contracts',
  emits: [contractInvitationExpired],

  async fire({ organization_id, subject_id }, { tx, emit }) {
    const before = await lockContract(tx, organization_id, subject_id)
    if (!before.invitation) return
    const { row } = await writeContract(tx, before, { ...before, invitation: null })
    emit(contractInvitationExpired, invitationEntry(row, before.invitation))
  },
})
