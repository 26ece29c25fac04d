import { builders, type PageEntry, page } from '../page-entry.ts'

export const pages: readonly PageEntry[] = [
  {
    path: '/requests',
    words: 'Request log',
    group: 'Integration',
    roles: builders,
    Page: page(async () => (await import('./requests-page.tsx')).RequestsPage),
  },
]
