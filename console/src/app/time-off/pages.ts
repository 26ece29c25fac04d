import { type PageEntry, page } from '../page-entry.ts'

export const pages: readonly PageEntry[] = [
  {
    ...{ path: '/time-off', words: 'Time off', group: 'Work' },
    Page: page(async () => (await import('./time-off-page.tsx')).TimeOffPage),
  },
]
