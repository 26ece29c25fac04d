import { type PageEntry, page } from '../page-entry.ts'

export const pages: readonly PageEntry[] = [
  {
    path: '/tokens',
    words: 'API tokens',
    group: 'Access',
    Page: page(async () => (await import('./tokens-page.tsx')).TokensPage),
  },
  {
    path: '/tokens/new',
    Page: page(async () => (await import('./new-token-page.tsx')).NewTokenPage),
  },
]
