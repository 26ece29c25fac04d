import { cancelTimer } from '#core/jobs/timer.ts'
import { defineOperation } from '#core/operation.ts'
import { invalidState } from '#core/problems.ts'
import { defineHappening } from '#core/reaction.ts'
import { Closed, Text } from '#core/schema/schema.ts'
import { contract } from '#resources/contracts/index.ts'
import { adjustmentStatusUpdated, adjustmentsToPay } from '#resources/invoice-adjustments/index.ts'
import { paymentCycle } from '#resources/payment-cycles/index.ts'
import { timesheetStatusUpdated, timesheetsToPay } from '#resources/timesheets/index.ts'
import { invoiceCancelled, invoiceStatusUpdated } from './events.ts'
import { dropLines, linesOf } from './invoice.store.ts'
import { InvoiceAnswer, type InvoiceRow, invoice, moved, showInvoice } from './invoice.ts'
import { invoice_overdue, lockPayable, tellMoves } from './move-invoices.ts'

/** An invoice was taken back; the ledger reverses what it booked. */
export const invoiceCancelling = defineHappening<InvoiceRow>('invoice cancelling')

export const cancelInvoice = defineOperation({
  id: 'invoices.cancel',
  summary: 'Take an invoice back',
  description: 'What it collected is approved again, and its cycle can be invoiced anew.',
  method: 'POST',
  path: '/invoices/:invoice_id/cancel',
  scopes: ['accounting:write'],
  roles: ['owner', 'finance'],
  input: Closed({
    ...invoice.path,
    reason: Text(1, 500, { description: 'Why it is taken back.', example: 'The expense belongs to another month.' }),
  }),
  output: InvoiceAnswer,
  problems: [invalidState],
  get emits() {
    const sources = [timesheetStatusUpdated, adjustmentStatusUpdated]
    return [invoiceCancelled, invoiceStatusUpdated, ...sources, ...invoiceCancelling.emits]
  },

  async handle({ invoice_id: id, reason }, { caller, ...context }) {
    const { tx, emit, now } = context
    const { organization_id, actor } = caller
    const { contract_id, payment_cycle_id } = await invoice.get(tx, { organization_id, id })
    await contract.lock(tx, { organization_id, id: contract_id })
    const { invoices, timesheets, adjustments } = await lockPayable(tx, organization_id, [id])
    const [before] = invoices
    if (!before) throw new Error(`the invoice ${id} is gone`)
    const row = await invoice.save(tx, before, moved(before, 'cancelled', { cancelled_at: now, cancel_reason: reason }))
    emit(invoiceCancelled, { ...invoice.entryOf(row), reason })
    tellMoves(context, [before], [row])
    await dropLines(tx, row)
    if (payment_cycle_id !== null) {
      const cycle = await paymentCycle.get(tx, { organization_id, id: payment_cycle_id })
      await paymentCycle.save(tx, cycle, { ...cycle, status: 'skipped', invoice_id: null })
    }
    await timesheetsToPay.free(context, timesheets)
    await adjustmentsToPay.free(context, adjustments)
    await cancelTimer(tx, { ...invoice_overdue, organization_id, subject_id: id })
    await invoiceCancelling.happen(row, { ...context, actor })
    return showInvoice(row, await linesOf(tx, row))
  },
})
