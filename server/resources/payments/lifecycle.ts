import type { Actor } from '#core/caller.ts'
import { defineProblem, invalidState, userRequired } from '#core/problems.ts'
import type { PaymentRow, PaymentStatus } from './payment.ts'

export const approverIsMaker = defineProblem({
  code: 'approver_is_maker',
  status: 403,
  title: 'A payment is approved by somebody else than its maker',
  advice:
    'Have another user approve it; who made the token that made the payment counts as its maker, and who invited the approver in the last seven days.',
})

/** The status that each step begins from (domain rules 3.6). */
const begins: Record<string, PaymentStatus> = {
  approved: 'pending_approval',
  cancelled: 'pending_approval',
  settled: 'processing',
  failed: 'processing',
}

function require(row: PaymentRow, step: keyof typeof begins): void {
  const status = begins[step]
  if (row.status !== status) throw invalidState(`The payment is ${row.status}; only one in ${status} can be ${step}.`)
}

/** A payment goes to its provider. */
export const initiated = (row: PaymentRow, at: string): PaymentRow => ({
  ...row,
  status: 'processing',
  initiated_at: at,
})

/** The second person releases it: a user, none of those behind its maker, and nobody whom one of those has just invited. */
export function approved(
  row: PaymentRow,
  by: { actor: Actor; user_id?: string | undefined; inviters: readonly string[] },
  at: string,
): PaymentRow {
  require(row, 'approved')
  if (by.user_id === undefined) throw userRequired()
  if ([by.user_id, ...by.inviters].some((id) => row.maker_user_ids.includes(id))) throw approverIsMaker()
  return initiated({ ...row, approved_by: by.actor, approved_at: at }, at)
}

export function cancelled(row: PaymentRow, cancel_reason: string | null, at: string): PaymentRow {
  require(row, 'cancelled')
  return { ...row, status: 'cancelled', cancelled_at: at, cancel_reason }
}

export interface Settlement {
  fee: string
  value_date: string
  /** Undefined keeps that of the payment. */
  reference?: string | null | undefined
}

export function settled(
  row: PaymentRow,
  { reference = row.reference, ...settlement }: Settlement,
  at: string,
): PaymentRow {
  require(row, 'settled')
  return { ...row, ...settlement, reference, status: 'completed', completed_at: at, ask_at: null }
}

export function failed(row: PaymentRow, failure_reason: string, at: string): PaymentRow {
  require(row, 'failed')
  return { ...row, status: 'failed', failed_at: at, failure_reason, ask_at: null }
}
