import { type PageEntry, page } from '../page-entry.ts'

export const pages: readonly PageEntry[] = [
  {
    ...{ path: '/timesheets', words: 'Timesheets', group: 'Work' },
    Page: page(async () => (await import('./timesheets-page.tsx')).TimesheetsPage),
  },
]
