import { type PageEntry, page } from '../app/page-entry.ts'
import { ContractsPage } from './contracts/contracts-page.tsx'

/** Every page of a worker, in the order of the navigation. */
export const pages: readonly Pick<PageEntry, 'path' | 'words' | 'Page'>[] = [
  { path: '/worker', words: 'Contracts', Page: ContractsPage },
  {
    path: '/worker/contracts/$id',
    Page: page(async () => (await import('./contracts/contract-page.tsx')).ContractPage),
  },
  { path: '/worker/hours', words: 'Hours', Page: page(async () => (await import('./hours/hours-page.tsx')).HoursPage) },
  {
    ...{ path: '/worker/expenses', words: 'Expenses' },
    Page: page(async () => (await import('./expenses/expenses-page.tsx')).ExpensesPage),
  },
  {
    ...{ path: '/worker/invoices', words: 'Invoices' },
    Page: page(async () => (await import('./invoices/invoices-page.tsx')).InvoicesPage),
  },
  {
    path: '/worker/invoices/$id',
    Page: page(async () => (await import('./invoices/invoice-page.tsx')).InvoicePage),
  },
  {
    ...{ path: '/worker/time-off', words: 'Time off' },
    Page: page(async () => (await import('./time-off/time-off-page.tsx')).TimeOffPage),
  },
  {
    ...{ path: '/worker/payout', words: 'Payout account' },
    Page: page(async () => (await import('./profile/payout-page.tsx')).PayoutPage),
  },
  {
    ...{ path: '/worker/profile', words: 'Profile' },
    Page: page(async () => (await import('./profile/profile-page.tsx')).ProfilePage),
  },
]
