import { Type } from '#core/schema/schema.ts'

/** The accounts that an organization has in each currency, worker_payable for each contract; with the side on which they grow. */
export const accounts = {
  cash: { type: 'asset', normal_side: 'debit' },
  payments_in_transit: { type: 'liability', normal_side: 'credit' },
  vat_receivable: { type: 'asset', normal_side: 'debit' },
  worker_payable: { type: 'liability', normal_side: 'credit' },
  service_cost: { type: 'expense', normal_side: 'debit' },
  reimbursed_expenses: { type: 'expense', normal_side: 'debit' },
  payment_fees: { type: 'expense', normal_side: 'debit' },
} as const
export type AccountCode = keyof typeof accounts

// The cast holds because the keys of a literal are its own.
export const AccountCodes = Type.Enum(Object.keys(accounts) as AccountCode[])
export const Direction = Type.Enum(['debit', 'credit'])

/** The accounts whose balance grows by credits. */
// The cast holds for the same reason.
export const credit_normal = (Object.keys(accounts) as AccountCode[]).filter(
  (code) => accounts[code].normal_side === 'credit',
)

export const transaction_kinds = ['invoice_issued', 'payment_initiated', 'payment_completed', 'reversal'] as const
export type TransactionKind = (typeof transaction_kinds)[number]
