import type { ReactionContext } from '#core/reaction.ts'
import { storedMoney } from '#core/values.ts'
import { lockInvoices, lockPayable, moveInvoices, payInvoices } from '#resources/invoices/index.ts'
import { book, entriesOfCompleted, entriesOfInitiated, reverse } from '#resources/ledger/index.ts'
import { entryOf, paymentCancelled, paymentCompleted, paymentFailed, paymentInitiated } from './events.ts'
import { cancelled, failed, type Settlement, settled } from './lifecycle.ts'
import { invoiceIdsOf, releaseInvoices } from './payment.store.ts'
import { type PaymentRow, payment } from './payment.ts'

type Payment = { organization_id: string; id: string }
/** `today` is the business date of the organization. */
type Moving = Omit<ReactionContext, 'actor'> & { today: string }

const bookingOf = ({ organization_id, id, number }: PaymentRow, effective_date: string, words: string) =>
  ({
    organization_id,
    source: { kind: 'payment', id },
    effective_date,
    description: `Payment ${number} ${words}`,
  }) as const

/** Tells that a payment is on its way to its provider, and books it. */
export async function tellInitiated(context: Moving, row: PaymentRow): Promise<void> {
  const { currency, invoices, initiated_at } = row
  const owed = invoices.map(({ contract_id, total }) => ({ contract_id, total: storedMoney(total ?? '', currency) }))
  const entries = entriesOfInitiated(owed, storedMoney(row.total, currency))
  context.emit(paymentInitiated, { ...entryOf(row), initiated_at: initiated_at ?? context.now })
  await book(context, { ...bookingOf(row, context.today, 'initiated'), kind: 'payment_initiated', entries })
}

/** The money has arrived: the invoices are paid, and all that they collected with them. */
export async function complete(
  context: Moving,
  of: Payment,
  settlementOf: (before: PaymentRow) => Settlement,
): Promise<PaymentRow> {
  const { tx, emit, now } = context
  const payable = await lockPayable(tx, of.organization_id, await invoiceIdsOf(tx, of))
  const before = await payment.lock(tx, of)
  const settlement = settlementOf(before)
  const row = await payment.save(tx, before, settled(before, settlement, now))
  const entries = entriesOfCompleted(storedMoney(row.total, row.currency), storedMoney(row.fee, row.currency))
  emit(paymentCompleted, { ...entryOf(row), completed_at: row.completed_at ?? now })
  await book(context, { ...bookingOf(row, settlement.value_date, 'settled'), kind: 'payment_completed', entries })
  await payInvoices(context, payable)
  return row
}

/** The money does not arrive: what was booked is reversed, and the invoices can be paid anew. */
export function fail(context: Moving, of: Payment, reason: string, check = (_: PaymentRow) => {}): Promise<PaymentRow> {
  const { tx, emit, now } = context
  return release(context, of, async (before) => {
    check(before)
    const row = await payment.save(tx, before, failed(before, reason, now))
    emit(paymentFailed, { ...entryOf(row), failed_at: row.failed_at ?? now, failure_reason: reason })
    await reverse(context, { ...bookingOf(row, context.today, 'failed'), kind: 'payment_initiated' })
    return row
  })
}

/** A payment that nobody has approved is withdrawn. */
export function cancel(context: Moving, of: Payment, reason: string | null): Promise<PaymentRow> {
  const { tx, emit, now } = context
  return release(context, of, async (before) => {
    const row = await payment.save(tx, before, cancelled(before, reason, now))
    emit(paymentCancelled, { ...entryOf(row), cancelled_at: row.cancelled_at ?? now, reason })
    return row
  })
}

async function release(context: Moving, of: Payment, end: (before: PaymentRow) => Promise<PaymentRow>) {
  const { tx } = context
  const invoices = await lockInvoices(tx, of.organization_id, await invoiceIdsOf(tx, of))
  const row = await end(await payment.lock(tx, of))
  await releaseInvoices(tx, of)
  await moveInvoices(context, invoices, { status: 'pending' })
  return row
}
