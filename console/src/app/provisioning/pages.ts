import { type PageEntry, page } from '../page-entry.ts'

export const pages: readonly PageEntry[] = [
  {
    path: '/provisioning',
    words: 'Provisioning',
    group: 'Organization',
    roles: ['owner', 'admin'],
    Page: page(async () => (await import('./provisioning-page.tsx')).ProvisioningPage),
  },
]
