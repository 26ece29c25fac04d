import { accountants } from '../invoices/pages.ts'
import { type PageEntry, page } from '../page-entry.ts'

export const pages: readonly PageEntry[] = [
  {
    ...{ path: '/ledger', words: 'Ledger', group: 'Money', roles: accountants },
    Page: page(async () => (await import('./ledger-page.tsx')).LedgerPage),
  },
]
