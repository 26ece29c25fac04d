import { defineTimer, setTimer, type Timer } from '#core/jobs/timer.ts'
import type { ReactionContext } from '#core/reaction.ts'
import { addDays, businessDate, startOfDay } from '#core/values.ts'
import { type ContractRow, contract, termsVersions } from '#resources/contracts/index.ts'
import { adjustmentsToPay } from '#resources/invoice-adjustments/index.ts'
import { default_settings, organization } from '#resources/organizations/index.ts'
import {
  cycle_close,
  openNextCycle,
  type PaymentCycleRow,
  paymentCycle,
  paymentCycleClosed,
} from '#resources/payment-cycles/index.ts'
import { timesheetsToPay } from '#resources/timesheets/index.ts'
import { composeInvoice } from './compose.ts'
import { collectCycle, invoiceIssued, issue_events, issueInvoice, offCycle } from './issue-invoice.ts'

const final_settlement = { kind: 'final_settlement', priority: 5 } as const

/** The last day of a cycle is over: its invoice is issued, if it has a line, and the next cycle begins. */
export const cycleClose = defineTimer({
  ...cycle_close,
  subject: 'payment_cycles',
  get emits() {
    return [paymentCycleClosed, ...issue_events, ...invoiceIssued.emits]
  },

  /** A close ends with the number of an invoice and the head of the ledger: no contract may come after those. */
  async lockAll(tx, timers) {
    const [organization_id, contracts, cycles] = [
      timers[0]?.organization_id ?? '',
      timers.map(contractOf),
      timers.map(({ subject_id }) => subject_id),
    ]
    await contract.lockAll(tx, organization_id, contracts)
    await paymentCycle.lockAll(tx, organization_id, cycles)
  },

  async fire(timer, context) {
    const { tx, emit, newId, audit } = context
    const { organization_id, subject_id: id } = timer
    const contract_id = contractOf(timer)
    // Sent in this order: the cycle is locked after its contract, and read after both.
    const [of, cycle, versions] = await Promise.all([
      contract.lock(tx, { organization_id, id: contract_id }),
      paymentCycle.lock(tx, { organization_id, id, contract_id }),
      termsVersions(tx, organization_id, contract_id),
    ])
    if (cycle.status !== 'active') return
    const collected = await collectCycle(context, of, cycle, versions, cycle.closes_at)
    if (collected.composition.lines.length === 0) {
      emit(paymentCycleClosed, closedEntry(of, await paymentCycle.save(tx, cycle, { ...cycle, status: 'skipped' })))
    } else {
      const invoice_id = newId()
      emit(paymentCycleClosed, closedEntry(of, { ...cycle, status: 'invoiced', invoice_id }))
      await issueInvoice(context, of, collected, { ...cycle, cycle }, invoice_id)
    }
    await openNextCycle(of, versions, context)
    audit({ changed_fields: ['status'] })
  },
})

/** The timers of a contract fire in sequence. */
function contractOf({ sequence_id }: Timer): string {
  if (!sequence_id) throw new Error('a cycle closes in the sequence of its contract')
  return sequence_id
}

function closedEntry({ worker_email }: ContractRow, cycle: PaymentCycleRow) {
  return { ...paymentCycle.entryOf(cycle), worker_email }
}

/** Sets the timer of what is left over once a contract has ended; employees are paid outside. */
export async function planSettlement(of: ContractRow, { tx }: Pick<ReactionContext, 'tx'>): Promise<void> {
  const { organization_id, id, type, last_day, timezone } = of
  if (type === 'employee' || last_day === null) return
  const { settings } = await organization.get(tx, { organization_id, id: organization_id })
  const days = settings?.final_settlement_days ?? default_settings.final_settlement_days
  const due_at = new Date(startOfDay(addDays(last_day, days + 1), timezone)).toISOString()
  await setTimer(tx, { ...final_settlement, organization_id, subject_id: id, sequence_id: id, due_at })
}

/** One last invoice of what is approved, without a limit of dates; what is left over then is not payable. */
export const finalSettlement = defineTimer({
  ...final_settlement,
  subject: 'contracts',
  get emits() {
    return [...issue_events, ...invoiceIssued.emits]
  },

  async fire({ organization_id, subject_id: id }, context) {
    const { tx, now } = context
    const of = await contract.lock(tx, { organization_id, id })
    const timesheets = await timesheetsToPay.approved(tx, of)
    const adjustments = await adjustmentsToPay.approved(tx, of)
    const composition = composeInvoice(of, { fixed: [], timesheets, adjustments })
    if (composition.lines.length > 0) {
      const collected = { composition, timesheets, adjustments }
      await issueInvoice(context, of, collected, offCycle(of, businessDate(now, of.timezone)))
    }
    await timesheetsToPay.leaveOver(context, await timesheetsToPay.open(tx, of))
    await adjustmentsToPay.leaveOver(context, await adjustmentsToPay.open(tx, of))
  },
})
