import { wordsOf } from '../../lib/format.ts'
import { entryOf } from '../../lib/nouns.ts'

/** The accounts in the order of a balance sheet, as people call them. */
export const account_words = {
  cash: 'Cash',
  vat_receivable: 'VAT receivable',
  payments_in_transit: 'Payments in transit',
  worker_payable: 'Owed to workers',
  service_cost: 'Service cost',
  reimbursed_expenses: 'Reimbursed expenses',
  payment_fees: 'Payment fees',
} as const

export type AccountCode = keyof typeof account_words
// The cast holds because the keys of a literal are its own.
export const account_codes = Object.keys(account_words) as AccountCode[]

export const wordsOfAccount = (code: string) => entryOf(account_words, code, wordsOf(code))
