import { type PageEntry, page } from '../page-entry.ts'

export const pages: readonly PageEntry[] = [
  {
    path: '/apps',
    words: 'Connected apps',
    group: 'Access',
    Page: page(async () => (await import('./apps-page.tsx')).AppsPage),
  },
]
