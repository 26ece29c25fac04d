import { type Currency, formatMoney, type Money, sumOf } from '#core/values.ts'
import { type AccountCode, accounts } from './accounts.ts'

/** An amount on an account: a debit is positive, a credit negative. */
export interface Entry {
  code: AccountCode
  /** Each contract has an account worker_payable of its own; other accounts have no contract. */
  contract_id?: string
  amount: Money
}

/** The amounts of an invoice as it was issued. */
export interface InvoiceAmounts {
  contract_id: string
  subtotal: Money
  vat_total: Money
  /** Sum of its lines of the type expense. */
  expenses: Money
}

const minus = ({ minor, currency }: Money): Money => ({ minor: -minor, currency })

/** An invoice was issued: the cost, what was advanced, and the tax, owed to the worker (domain rules 6.6). */
export function entriesOfInvoice({ contract_id, subtotal, vat_total, expenses }: InvoiceAmounts): Entry[] {
  const { currency } = subtotal
  return [
    { code: 'service_cost', amount: sumOf(currency, [subtotal, minus(expenses)]) },
    { code: 'reimbursed_expenses', amount: expenses },
    { code: 'vat_receivable', amount: vat_total },
    { code: 'worker_payable', contract_id, amount: minus(sumOf(currency, [subtotal, vat_total])) },
  ]
}

/** A payment is on its way: what is owed on each contract is in transit. */
export function entriesOfInitiated(invoices: readonly { contract_id: string; total: Money }[], total: Money): Entry[] {
  const owed = [...Map.groupBy(invoices, ({ contract_id }) => contract_id)]
  return [
    ...owed.map(([contract_id, own]): Entry => {
      const amounts = own.map((invoice) => invoice.total)
      return { code: 'worker_payable', contract_id, amount: sumOf(total.currency, amounts) }
    }),
    { code: 'payments_in_transit', amount: minus(total) },
  ]
}

/** A payment has arrived: it left the bank, with what the bank takes for it. */
export function entriesOfCompleted(total: Money, fee: Money): Entry[] {
  return [
    { code: 'payments_in_transit', amount: total },
    { code: 'payment_fees', amount: fee },
    { code: 'cash', amount: minus(sumOf(total.currency, [total, fee])) },
  ]
}

/** An entry as it is written: the amount is positive. */
export interface WrittenEntry {
  code: AccountCode
  contract_id: string | null
  direction: 'debit' | 'credit'
  amount: string
  currency: Currency
}

/** Entries as they are written; those of zero are left out, and debits equal credits. */
export function writtenEntries(entries: readonly Entry[]): WrittenEntry[] {
  for (const [currency, own] of Map.groupBy(entries, ({ amount }) => amount.currency)) {
    if (
      sumOf(
        currency,
        own.map(({ amount }) => amount),
      ).minor !== 0n
    )
      throw new Error(`debits and credits in ${currency} differ`)
  }
  return entries.flatMap(({ code, contract_id = null, amount: { minor, currency } }) => {
    if (minor === 0n) return []
    const direction = minor > 0n ? 'debit' : 'credit'
    return [{ code, contract_id, direction, amount: formatMoney(minor > 0n ? minor : -minor, currency), currency }]
  })
}

export const swapped = (entry: WrittenEntry): WrittenEntry => ({
  ...entry,
  direction: entry.direction === 'debit' ? 'credit' : 'debit',
})

/** The change of an account's balance, on its normal side. */
export const changeOf = ({ code, direction, amount }: WrittenEntry): string =>
  accounts[code].normal_side === direction ? amount : `-${amount}`
