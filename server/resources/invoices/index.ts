import { refuseWhileNamed } from '#core/dependents.ts'
import { on } from '#core/reaction.ts'
import { sql } from '#db/database.ts'
import { contractEnding } from '#resources/contracts/index.ts'
import { personErasing } from '#resources/people/index.ts'
import { cancelInvoice } from './cancel-invoice.ts'
import { cycleClose, finalSettlement, planSettlement } from './close-cycle.ts'
import { createInvoice } from './create-invoice.ts'
import { exportInvoices } from './export-invoices.ts'
import { invoicePaymentCycle, previewCycleInvoice } from './invoice-cycle.ts'
import { invoiceOverdueTimer } from './move-invoices.ts'
import {
  getInvoice,
  getInvoicePdf,
  listInvoices,
  workerGetInvoice,
  workerGetInvoicePdf,
  workerListInvoices,
} from './read-invoices.ts'

export const invoiceOperations = [
  listInvoices,
  createInvoice,
  exportInvoices,
  getInvoice,
  getInvoicePdf,
  cancelInvoice,
  previewCycleInvoice,
  invoicePaymentCycle,
  workerListInvoices,
  workerGetInvoice,
  workerGetInvoicePdf,
]
export const invoiceTimers = [cycleClose, finalSettlement, invoiceOverdueTimer]

refuseWhileNamed(personErasing, {
  ...{ place: 1, table: 'invoices', standing: sql`status in ('pending', 'processing')`, column: 'worker_id' },
  detail: 'An invoice of this person is not paid yet: pay or cancel it first.',
})

on(contractEnding, { place: 2, emits: [], react: planSettlement })

/** An invoice was taken back; its happening, for the ledger to reverse what it booked. */
export { invoiceCancelling } from './cancel-invoice.ts'
export { lockInvoices, takeNumbers } from './invoice.store.ts'
export { canMove, type InvoiceRow, invoice } from './invoice.ts'
export { type Issued, invoiceIssued } from './issue-invoice.ts'
/** For payments: lock with `lockInvoices` or, before paying, with `lockPayable`; the events of each move stand beside it. */
export { lockPayable, move_events, moveInvoices, pay_events, payInvoices } from './move-invoices.ts'
