import { defineTimer, type Firing, setTimer, type Timer } from '#core/jobs/timer.ts'
import type { ReactionContext } from '#core/reaction.ts'
import { addDays, businessDate, startOfDay } from '#core/values.ts'
import { type ContractRow, contract, termsVersionsOf } from '#resources/contracts/index.ts'
import { adjustmentsToPay } from '#resources/invoice-adjustments/index.ts'
import { default_settings, organization } from '#resources/organizations/index.ts'
import {
  cycle_close,
  openNextCycles,
  type PaymentCycleRow,
  paymentCycle,
  paymentCycleClosed,
} from '#resources/payment-cycles/index.ts'
import { timesheetsToPay } from '#resources/timesheets/index.ts'
import { composeInvoice } from './compose.ts'
import { collectCycles, invoiceIssued, issue_events, issueInvoice, issueInvoices, offCycle } from './issue-invoice.ts'

const final_settlement = { kind: 'final_settlement', priority: 5 } as const

/** The last day of a cycle is over: its invoice is issued, if it has a line, and the next cycle begins. */
export const cycleClose = defineTimer({
  ...cycle_close,
  subject: 'payment_cycles',
  get emits() {
    return [paymentCycleClosed, ...issue_events, ...invoiceIssued.emits]
  },

  fire: (timer, context) => closeAll([{ timer, context }]),
  fireAll: closeAll,
})

/**
 * A close ends with the number of an invoice and the head of the ledger: no contract may be locked after those. Each kind of
 * row is read and written by one statement for all.
 */
async function closeAll(firings: readonly Firing[]): Promise<void> {
  const [first] = firings
  if (!first) return
  const { tx } = first.context
  const { organization_id } = first.timer
  const contract_ids = firings.map(({ timer }) => contractOf(timer))
  const cycle_ids = firings.map(({ timer }) => timer.subject_id)
  // Sent in this order: cycles are locked after their contracts, and read after both.
  const [contracts, cycles, versions] = await Promise.all([
    contract.lockAll(tx, organization_id, contract_ids),
    paymentCycle.lockAll(tx, organization_id, cycle_ids),
    termsVersionsOf(tx, organization_id, contract_ids),
  ])
  const closing = firings.flatMap(({ timer, context }) => {
    const [of, cycle] = [contracts.get(contractOf(timer)), cycles.get(timer.subject_id)]
    if (!of || cycle?.contract_id !== of.id) throw new Error(`the cycle ${timer.subject_id} is of another contract`)
    if (cycle.status !== 'active') return []
    return [{ context, of, cycle, versions: versions.get(of.id) ?? [], approved_before: cycle.closes_at }]
  })
  const collected = await collectCycles({ tx }, closing)
  const closed = closing.flatMap((one, at) => {
    const found = collected[at]
    return found ? [{ ...one, collected: found, id: one.context.newId() }] : []
  })
  const isEmpty = ({ collected: { composition } }: (typeof closed)[number]) => composition.lines.length === 0
  const empty = closed.filter(isEmpty)
  const full = closed.filter((one) => !isEmpty(one))
  const skipped = await paymentCycle.saveAll(
    tx,
    empty.map(({ cycle }) => [cycle, { ...cycle, status: 'skipped' }]),
  )
  for (const [at, cycle] of skipped.entries()) {
    const one = empty[at]
    one?.context.emit(paymentCycleClosed, closedEntry(one.of, cycle))
  }
  for (const { context, of, cycle, id: invoice_id } of full) {
    context.emit(paymentCycleClosed, closedEntry(of, { ...cycle, status: 'invoiced', invoice_id }))
  }
  await issueInvoices(full.map(({ cycle, ...one }) => ({ ...one, period: { ...cycle, cycle } })))
  await openNextCycles(closing)
  for (const { context } of closing) context.audit({ changed_fields: ['status'] })
}

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
    const timesheets = (await timesheetsToPay.approved(tx, organization_id, [{ id }])).get(id) ?? []
    const adjustments = (await adjustmentsToPay.approved(tx, organization_id, [{ id }])).get(id) ?? []
    const composition = composeInvoice(of, { fixed: [], timesheets, adjustments })
    if (composition.lines.length > 0) {
      const collected = { composition, timesheets, adjustments }
      const period = offCycle(of, businessDate(now, of.timezone))
      await issueInvoice({ context, of, collected, period, id: context.newId() })
    }
    await timesheetsToPay.leaveOver(context, await timesheetsToPay.open(tx, of))
    await adjustmentsToPay.leaveOver(context, await adjustmentsToPay.open(tx, of))
  },
})
