import { type PageEntry, page } from '../page-entry.ts'

const writers = ['owner', 'admin'] as const

export const pages: readonly PageEntry[] = [
  {
    ...{ path: '/contracts', words: 'Contracts', group: 'Work' },
    Page: page(async () => (await import('./contracts-page.tsx')).ContractsPage),
  },
  {
    ...{ path: '/contracts/new', creates: 'New contract', roles: writers },
    Page: page(async () => (await import('./new-contract-page.tsx')).NewContractPage),
  },
  {
    path: '/contracts/$id',
    Page: page(async () => (await import('./contract-page.tsx')).ContractPage),
  },
  {
    ...{ path: '/contracts/$id/edit', roles: writers },
    Page: page(async () => (await import('./edit-contract-page.tsx')).EditContractPage),
  },
  {
    ...{ path: '/contracts/$id/amend', roles: writers },
    Page: page(async () => (await import('./amend-contract-page.tsx')).AmendContractPage),
  },
]
