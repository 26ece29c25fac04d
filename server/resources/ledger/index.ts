import { on } from '#core/reaction.ts'
import { invoiceCancelling, invoiceIssued } from '#resources/invoices/index.ts'
import { bookIssued, reverseCancelled } from './book-invoices.ts'
import { exportLedger } from './export-ledger.ts'
import { getLedgerTransaction, getTrialBalance, listLedgerAccounts, listLedgerTransactions } from './read-ledger.ts'

export const ledgerOperations = [
  listLedgerAccounts,
  exportLedger,
  listLedgerTransactions,
  getLedgerTransaction,
  getTrialBalance,
]

on(invoiceIssued, { place: 1, emits: [], react: bookIssued })
on(invoiceCancelling, { place: 1, emits: [], react: reverseCancelled })

export { book, reverse } from './book.ts'
export { entriesOfCompleted, entriesOfInitiated, entriesOfInvoice } from './postings.ts'
