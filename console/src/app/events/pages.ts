import { builders, type PageEntry, page } from '../page-entry.ts'

export const pages: readonly PageEntry[] = [
  {
    path: '/events',
    words: 'Events',
    group: 'Integration',
    roles: builders,
    Page: page(async () => (await import('./events-page.tsx')).EventsPage),
  },
  {
    path: '/events/$id',
    roles: builders,
    Page: page(async () => (await import('./event-page.tsx')).EventPage),
  },
  {
    path: '/event-types',
    words: 'Event types',
    group: 'Integration',
    roles: [...builders, 'viewer'],
    Page: page(async () => (await import('./event-types-page.tsx')).EventTypesPage),
  },
]
