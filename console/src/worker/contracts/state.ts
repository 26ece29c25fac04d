import type { Contract } from '#sdk/index.ts'
import { dayOf } from '../../lib/format.ts'

/** True while the worker can still say yes or no. */
export const isToSign = ({ status, signatures }: Contract) =>
  status === 'pending' && signatures.worker_signed_at === null

/** The state of a contract, in a sentence to the worker. */
export function stateWords({ status, signatures, status_reason, last_day }: Contract, employer: string): string {
  if (status === 'pending') {
    if (signatures.worker_signed_at !== null) return `You have signed. ${employer} has still to sign.`
    return signatures.client_signed_at === null
      ? 'Waits for your signature, and for that of the company.'
      : `${employer} has signed. Waits for your signature.`
  }
  if (status === 'active') return last_day === null ? 'Both have signed.' : `Runs until ${dayOf(last_day)}.`
  if (status === 'rejected') return status_reason ? `You rejected it: ${status_reason}` : 'You rejected it.'
  if (status === 'cancelled') return `${employer} withdrew it before it began.`
  return last_day === null ? 'It has ended.' : `It ended on ${dayOf(last_day)}.`
}
