import { type PageEntry, page, type Role } from '../page-entry.ts'

export const accountants: readonly Role[] = ['owner', 'admin', 'finance']
const payers: readonly Role[] = ['owner', 'finance']

export const pages: readonly PageEntry[] = [
  {
    ...{ path: '/invoices', words: 'Invoices', group: 'Money', roles: accountants },
    Page: page(async () => (await import('./invoices-page.tsx')).InvoicesPage),
  },
  {
    ...{ path: '/invoices/new', creates: 'New invoice', roles: payers },
    Page: page(async () => (await import('./new-invoice-page.tsx')).NewInvoicePage),
  },
  {
    ...{ path: '/invoices/$id', roles: accountants },
    Page: page(async () => (await import('./invoice-page.tsx')).InvoicePage),
  },
  {
    ...{ path: '/invoices/cycles', roles: accountants },
    Page: page(async () => (await import('./cycles-page.tsx')).CyclesPage),
  },
  {
    ...{ path: '/invoices/cycles/$id', roles: accountants },
    Page: page(async () => (await import('./cycle-page.tsx')).CyclePage),
  },
]
