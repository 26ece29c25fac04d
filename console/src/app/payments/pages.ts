import { accountants } from '../invoices/pages.ts'
import { type PageEntry, page } from '../page-entry.ts'

export const pages: readonly PageEntry[] = [
  {
    ...{ path: '/payments', words: 'Payments', group: 'Money', roles: accountants },
    Page: page(async () => (await import('./payments-page.tsx')).PaymentsPage),
  },
  {
    ...{ path: '/payments/$id', roles: accountants },
    Page: page(async () => (await import('./payment-page.tsx')).PaymentPage),
  },
]
