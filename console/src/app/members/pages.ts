import { type PageEntry, page } from '../page-entry.ts'

export const pages: readonly PageEntry[] = [
  {
    path: '/members',
    words: 'Members',
    group: 'Organization',
    Page: page(async () => (await import('./members-page.tsx')).MembersPage),
  },
]
