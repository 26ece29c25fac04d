import { type ComponentType, lazy } from 'react'
import { ContractsPage } from './contracts/contracts-page.tsx'

interface WorkerPage {
  /** Below `/console`; `$id` stands for one segment, which the page gets as `id`. */
  path: string
  /** In the navigation; pages without words are reached from others. */
  words?: string
  Page: ComponentType<{ id: string }>
}

/** A page whose code loads with its first use. */
const page = (load: () => Promise<ComponentType<{ id: string }>>) => lazy(async () => ({ default: await load() }))

/** Every page of a worker, in the order of the navigation. */
export const pages: readonly WorkerPage[] = [
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
