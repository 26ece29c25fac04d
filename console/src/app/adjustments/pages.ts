import { type PageEntry, page } from '../page-entry.ts'

export const pages: readonly PageEntry[] = [
  {
    ...{ path: '/adjustments', words: 'Adjustments', group: 'Work' },
    Page: page(async () => (await import('./adjustments-page.tsx')).AdjustmentsPage),
  },
]
