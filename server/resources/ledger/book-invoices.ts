import type { ReactionContext } from '#core/reaction.ts'
import { businessDate, storedMoney, sumOf } from '#core/values.ts'
import { contract } from '#resources/contracts/index.ts'
import type { InvoiceRow, Issued } from '#resources/invoices/index.ts'
import { type Booking, bookAll, reverse } from './book.ts'
import { entriesOfInvoice } from './postings.ts'

const sourceOf = ({ organization_id, id }: InvoiceRow) =>
  ({ organization_id, source: { kind: 'invoice', id }, kind: 'invoice_issued' }) as const

/** Issued invoices are owed to their workers. */
export function bookIssued(issued: readonly Issued[]): Promise<void> {
  return bookAll(issued.map((each) => ({ context: each.context, booking: bookingOf(each) })))
}

function bookingOf({ invoice, lines }: Issued): Booking {
  const { currency, contract_id, number, issue_date } = invoice
  const money = (text: string) => storedMoney(text, currency)
  const expenses = lines.filter(({ type }) => type === 'expense').map(({ amount }) => money(amount))
  const amounts = { subtotal: money(invoice.subtotal), vat_total: money(invoice.vat_total) }
  const entries = entriesOfInvoice({ contract_id, ...amounts, expenses: sumOf(currency, expenses) })
  const description = `Invoice ${number}`
  return { ...sourceOf(invoice), effective_date: issue_date, description, entries }
}

/** A cancelled invoice is owed no more, from the business date of its contract on. */
export async function reverseCancelled(row: InvoiceRow, context: ReactionContext): Promise<void> {
  const { organization_id, contract_id: id, number } = row
  const { timezone } = await contract.get(context.tx, { organization_id, id })
  const effective_date = businessDate(context.now, timezone)
  await reverse(context, { ...sourceOf(row), effective_date, description: `Invoice ${number} cancelled` })
}
