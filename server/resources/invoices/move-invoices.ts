import { emitAll } from '#core/effects.ts'
import { cancelTimers, defineTimer, type Firing } from '#core/jobs/timer.ts'
import type { ReactionContext } from '#core/reaction.ts'
import type { Transaction } from '#db/database.ts'
import {
  adjustmentStatusUpdated,
  adjustmentsToPay,
  type InvoiceAdjustmentRow,
} from '#resources/invoice-adjustments/index.ts'
import { lockCyclesOf, markCyclesPaid } from '#resources/payment-cycles/index.ts'
import { type TimesheetRow, timesheetStatusUpdated, timesheetsToPay } from '#resources/timesheets/index.ts'
import { invoiceOverdue, invoicePaid, invoiceStatusUpdated } from './events.ts'
import { lockInvoices, writeMove } from './invoice.store.ts'
import { type InvoiceRow, invoice, moved } from './invoice.ts'

type Context = Pick<ReactionContext, 'tx' | 'emit' | 'now'>

export const invoice_overdue = { kind: 'invoice_overdue', priority: 6 } as const

/** Invoices with all that is paid with them. */
export interface Payable {
  invoices: InvoiceRow[]
  timesheets: TimesheetRow[]
  adjustments: InvoiceAdjustmentRow[]
}

/** Events of `moveInvoices`. */
export const move_events = [invoiceStatusUpdated] as const
/** Events of `payInvoices`. */
export const pay_events = [invoicePaid, invoiceStatusUpdated, timesheetStatusUpdated, adjustmentStatusUpdated] as const

/** Locks invoices that are about to be paid, and before them their cycles and sources, each in the order of their ids. */
export async function lockPayable(tx: Transaction, organization_id: string, ids: readonly string[]): Promise<Payable> {
  await lockCyclesOf(tx, organization_id, ids)
  const timesheets = await timesheetsToPay.onInvoices(tx, organization_id, ids)
  const adjustments = await adjustmentsToPay.onInvoices(tx, organization_id, ids)
  return { timesheets, adjustments, invoices: await lockInvoices(tx, organization_id, ids) }
}

/** Locked invoices go into a payment, or come back out of one. Throws `invalid_state` if one is not where it has to be. */
export async function moveInvoices(
  context: Context,
  rows: readonly InvoiceRow[],
  to: { status: 'processing'; payment_id: string } | { status: 'pending' },
): Promise<InvoiceRow[]> {
  const { status, payment_id } = { payment_id: null, ...to }
  const after = rows.map((row) => moved(row, status, { payment_id }))
  const written = await write(context.tx, after)
  tellMoves(context, rows, written)
  return written
}

/** The payment of locked invoices was confirmed: their cycles and sources are paid with them. */
export async function payInvoices(context: Context, { invoices, timesheets, adjustments }: Payable): Promise<void> {
  const paid = invoices.map((row) => moved(row, 'paid', { paid_at: context.now }))
  await settle(context, { invoices, timesheets, adjustments }, paid)
}

/** An invoice of zero needs no payment. */
export async function settleZero(context: Context, payable: Payable): Promise<InvoiceRow[]> {
  const paid = payable.invoices.map((row) => ({ ...row, status: 'paid' as const, paid_at: context.now }))
  return settle(context, payable, paid)
}

async function settle(context: Context, { invoices, timesheets, adjustments }: Payable, paid: readonly InvoiceRow[]) {
  const { tx, emit, now } = context
  const [first] = invoices
  if (!first) return []
  const { organization_id } = first
  const ids = invoices.map(({ id }) => id)
  const [written] = await Promise.all([
    write(tx, paid),
    markCyclesPaid(tx, organization_id, ids),
    cancelTimers(tx, { ...invoice_overdue, organization_id, subject_ids: ids }),
  ])
  const entries = written.map((row) => ({ ...invoice.entryOf(row), paid_at: row.paid_at ?? now }))
  emitAll(emit, invoicePaid, entries)
  tellMoves(context, invoices, written)
  await timesheetsToPay.pay(context, timesheets)
  await adjustmentsToPay.pay(context, adjustments)
  return written
}

async function write(tx: Transaction, rows: readonly InvoiceRow[]): Promise<InvoiceRow[]> {
  const [first] = rows
  if (!first) return []
  const ids = rows.map(({ id }) => id)
  const versions = await writeMove(tx, first.organization_id, ids, first)
  return rows.map((row) => ({ ...row, updated_at: versions.get(row.id) ?? row.updated_at }))
}

export function tellMoves(
  { emit }: Pick<Context, 'emit'>,
  before: readonly InvoiceRow[],
  after: readonly InvoiceRow[],
) {
  const entries = after.map((row, at) => ({
    ...invoice.entryOf(row),
    previous_status: before[at]?.status ?? row.status,
  }))
  emitAll(emit, invoiceStatusUpdated, entries)
}

/** The due date of an invoice that is not settled is over. */
export const invoiceOverdueTimer = defineTimer({
  ...invoice_overdue,
  subject: 'invoices',
  emits: [invoiceOverdue],

  fire: (timer, context) => noteOverdue([{ timer, context }]),
  fireAll: noteOverdue,
})

async function noteOverdue(firings: readonly Firing[]): Promise<void> {
  const [first] = firings
  if (!first) return
  const { tx } = first.context
  const ids = firings.map(({ timer }) => timer.subject_id)
  const rows = await invoice.lockAll(tx, first.timer.organization_id, ids)
  const unpaid = firings.flatMap(({ timer, context }) => {
    const before = rows.get(timer.subject_id)
    return before?.status === 'pending' || before?.status === 'processing' ? [{ context, before }] : []
  })
  const saved = await invoice.saveAll(
    tx,
    unpaid.map(({ before }) => [before, { ...before, is_overdue: true }]),
  )
  for (const [at, { context }] of unpaid.entries()) {
    const row = saved[at]
    if (row) context.emit(invoiceOverdue, invoice.entryOf(row))
    context.audit({ changed_fields: ['is_overdue'] })
  }
}
