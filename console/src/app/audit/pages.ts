import { type PageEntry, page } from '../page-entry.ts'

export const pages: readonly PageEntry[] = [
  {
    path: '/audit',
    words: 'Audit log',
    group: 'Organization',
    roles: ['owner', 'admin'],
    Page: page(async () => (await import('./audit-page.tsx')).AuditPage),
  },
]
