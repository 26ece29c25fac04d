import { amountPrecision } from '#core/problems.ts'
import { collecting, defineWorkItemOperations, eraseItems } from '#resources/work-items/index.ts'
import { type Adjusted, accepted, currencyMismatch, judged } from './adjust.ts'
import {
  AdjustmentType,
  adjustment_types,
  adjustmentEvents,
  type InvoiceAdjustmentRow,
  invoiceAdjustment,
} from './invoice-adjustment.ts'

const { is_recurring: _, recurring_until: __, ...create } = invoiceAdjustment.create
const { is_recurring: ___, recurring_until: ____, ...change } = invoiceAdjustment.change
const type = AdjustmentType(adjustment_types.filter((each) => each !== 'deduction'))

export const invoiceAdjustmentOperations = defineWorkItemOperations<InvoiceAdjustmentRow, Adjusted>({
  noun: invoiceAdjustment,
  name: 'invoice_adjustment',
  names: 'invoice_adjustments',
  one: 'an adjustment',
  many: 'adjustments',
  scope: 'invoice-adjustments',
  events: adjustmentEvents,
  // A worker takes nothing off its own invoice, and asks for every amount anew.
  of_worker: { create: { ...create, type }, change },
  problems: [amountPrecision, currencyMismatch],
  open_when_approved: ['is_recurring', 'recurring_until'],
  accept: accepted,
  derive: judged,
  tools: {
    list: {
      name: 'list_invoice_adjustments',
      text: 'List bonuses, expenses, deductions and other adjustments.',
      yields: { invoice_adjustment_id: 'id' },
    },
    create: {
      name: 'create_invoice_adjustment',
      text: 'Add a bonus, expense, deduction or similar to a contract’s next invoice.',
      example: {
        contract_id: '019bb16e-fe80-7b02-b1c4-90aa3e5d7f62',
        type: 'expense',
        amount: '89.90',
        description: 'Train to Hamburg',
      },
    },
    get: { name: 'get_invoice_adjustment', text: 'Get one adjustment.' },
    review: { name: 'review_invoice_adjustment', text: 'Approve or decline a pending adjustment.' },
  },
})

eraseItems(invoiceAdjustment, { refusal: 3, erasure: 8 })

/** For invoicing: `approved`, `open`, `byIds`, `onInvoices`, `invoice`, `pay`, `free`, `leaveOver` (see `collecting`). */
export const adjustmentsToPay = collecting(invoiceAdjustment, 'date', adjustmentEvents)
export { adjustment_types, type InvoiceAdjustmentRow, invoiceAdjustment } from './invoice-adjustment.ts'
export { recur } from './recur.ts'
/** Operations and timers that mark rows, or call `recur`, name these among their events. */
export const { status_updated: adjustmentStatusUpdated, created: adjustmentCreated } = adjustmentEvents
