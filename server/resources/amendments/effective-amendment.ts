import { defineTimer } from '#core/jobs/timer.ts'
import { lockContract } from '#resources/contracts/index.ts'
import { findAmendment } from './amendment.store.ts'
import { amendmentStatusUpdated, contractAmended } from './events.ts'
import { amendment_effective, announceEffect, dated, takeEffect } from './take-effect.ts'

/** The day of an approved amendment has come (domain rules 3.2). */
export const amendmentEffective = defineTimer({
  ...amendment_effective,
  subject: 'amendments',
  emits: [amendmentStatusUpdated, contractAmended],

  async fire({ organization_id, sequence_id: contract_id, subject_id }, { tx, now, emit, audit }) {
    if (!contract_id) throw new Error('the timer names no contract')
    const contract = await lockContract(tx, organization_id, contract_id)
    const approved = await findAmendment(tx, organization_id, contract_id, subject_id)
    if (contract.status !== 'active' || approved?.status !== 'approved') return
    const effect = await takeEffect(contract, dated(approved), { tx, now })
    announceEffect(effect, approved, emit)
    audit({ changed_fields: ['status', 'activated_at', 'changes'] })
  },
})
