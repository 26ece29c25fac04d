import { type PageEntry, page } from '../page-entry.ts'

const writers = ['owner', 'admin'] as const

export const pages: readonly PageEntry[] = [
  {
    ...{ path: '/people', words: 'People', group: 'Work' },
    Page: page(async () => (await import('./people-page.tsx')).PeoplePage),
  },
  {
    ...{ path: '/people/new', creates: 'New person', roles: writers },
    Page: page(async () => (await import('./edit-person-page.tsx')).NewPersonPage),
  },
  { path: '/people/$id', Page: page(async () => (await import('./person-page.tsx')).PersonPage) },
  {
    ...{ path: '/people/$id/edit', roles: writers },
    Page: page(async () => (await import('./edit-person-page.tsx')).EditPersonPage),
  },
]
