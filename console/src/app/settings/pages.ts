import { type PageEntry, page } from '../page-entry.ts'

export const pages: readonly PageEntry[] = [
  {
    path: '/settings',
    words: 'Settings',
    group: 'Organization',
    Page: page(async () => (await import('./settings-page.tsx')).SettingsPage),
  },
]
