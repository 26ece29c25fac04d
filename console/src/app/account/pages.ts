import { type PageEntry, page } from '../page-entry.ts'

export const pages: readonly PageEntry[] = [
  { path: '/account', Page: page(async () => (await import('./account-page.tsx')).AccountPage) },
]
