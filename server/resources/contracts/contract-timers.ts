import { cancelTimer, setTimer } from '#core/jobs/timer.ts'
import { addDays, startOfDay } from '#core/values/time.ts'
import type { Transaction } from '#db/database.ts'
import type { ContractRow, Invitation } from './contract.ts'

/** Kind and place among timers of the same moment (domain rules 3.9). */
export const contract_end = { kind: 'contract_end', priority: 2 } as const
export const invitation_expiry = { kind: 'invitation_expiry', priority: 7 } as const

/** Sets, moves or cancels the timer that ends an active contract at the start of the day after its last one. */
export function scheduleEnd(tx: Transaction, row: ContractRow): Promise<void> {
  const { organization_id, id, status, last_day, timezone } = row
  if (status !== 'active' || last_day === null) {
    return cancelTimer(tx, { organization_id, kind: contract_end.kind, subject_id: id })
  }
  const due_at = new Date(startOfDay(addDays(last_day, 1), timezone)).toISOString()
  return setTimer(tx, { ...contract_end, organization_id, subject_id: id, sequence_id: id, due_at })
}

export function scheduleExpiry(tx: Transaction, row: ContractRow, { expires_at }: Invitation): Promise<void> {
  const { organization_id, id } = row
  return setTimer(tx, {
    ...invitation_expiry,
    organization_id,
    subject_id: id,
    sequence_id: id,
    due_at: expires_at,
  })
}

export function cancelExpiry(tx: Transaction, { organization_id, id }: ContractRow): Promise<void> {
  return cancelTimer(tx, { organization_id, kind: invitation_expiry.kind, subject_id: id })
}
