import { type PageEntry, page } from '../page-entry.ts'

export const pages: readonly PageEntry[] = [
  {
    ...{ path: '/structure', words: 'Structure', group: 'Organization' },
    Page: page(async () => (await import('./structure-page.tsx')).StructurePage),
  },
]
