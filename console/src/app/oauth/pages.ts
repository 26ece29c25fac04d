import { builders, type PageEntry, page } from '../page-entry.ts'

export const pages: readonly PageEntry[] = [
  {
    path: '/oauth',
    words: 'OAuth clients',
    group: 'Access',
    roles: builders,
    Page: page(async () => (await import('./clients-page.tsx')).ClientsPage),
  },
  {
    path: '/oauth/new',
    creates: 'New OAuth client',
    roles: builders,
    Page: page(async () => (await import('./new-client-page.tsx')).NewClientPage),
  },
  {
    path: '/oauth/$id/edit',
    roles: builders,
    Page: page(async () => (await import('./edit-client-page.tsx')).EditClientPage),
  },
]
