import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import type { Membership } from '../lib/session.ts'
import { HomePage } from './home/home-page.tsx'

type Role = Membership['role']

interface PageEntry {
  path: RegExp
  /** In the navigation; pages without words are reached from others. */
  words?: string
  to?: string
  group?: 'Integration' | 'Access'
  /** Absent: everybody. */
  roles?: readonly Role[]
  Page: ComponentType<{ id: string }> | LazyExoticComponent<ComponentType<{ id: string }>>
}

const id = '([\\w-]+)'
const builders: readonly Role[] = ['owner', 'admin', 'developer']

/** Every page with who has the right to it, in the order of the navigation; each but the first loads with its first use. */
export const pages: readonly PageEntry[] = [
  { path: /^\/$/, words: 'Home', to: '/', Page: HomePage },
  {
    ...{
      path: /^\/webhooks$/,
      words: 'Webhooks',
      to: '/webhooks',
      group: 'Integration',
      roles: [...builders, 'viewer'],
    },
    Page: lazy(async () => ({ default: (await import('./webhooks/webhooks-page.tsx')).WebhooksPage })),
  },
  {
    ...{ path: /^\/webhooks\/new$/, roles: builders },
    Page: lazy(async () => ({ default: (await import('./webhooks/new-webhook-page.tsx')).NewWebhookPage })),
  },
  {
    ...{ path: new RegExp(`^/webhooks/${id}$`), roles: [...builders, 'viewer'] },
    Page: lazy(async () => ({ default: (await import('./webhooks/webhook-page.tsx')).WebhookPage })),
  },
  {
    ...{ path: /^\/events$/, words: 'Events', to: '/events', group: 'Integration', roles: builders },
    Page: lazy(async () => ({ default: (await import('./events/events-page.tsx')).EventsPage })),
  },
  {
    ...{ path: new RegExp(`^/events/${id}$`), roles: builders },
    Page: lazy(async () => ({ default: (await import('./events/event-page.tsx')).EventPage })),
  },
  {
    ...{ path: /^\/event-types$/, words: 'Event types', to: '/event-types', group: 'Integration' },
    roles: [...builders, 'viewer'],
    Page: lazy(async () => ({ default: (await import('./events/event-types-page.tsx')).EventTypesPage })),
  },
  {
    ...{ path: /^\/tokens$/, words: 'API tokens', to: '/tokens', group: 'Access' },
    Page: lazy(async () => ({ default: (await import('./tokens/tokens-page.tsx')).TokensPage })),
  },
  {
    path: /^\/tokens\/new$/,
    Page: lazy(async () => ({ default: (await import('./tokens/new-token-page.tsx')).NewTokenPage })),
  },
  {
    ...{ path: /^\/apps$/, words: 'Connected apps', to: '/apps', group: 'Access' },
    Page: lazy(async () => ({ default: (await import('./apps/apps-page.tsx')).AppsPage })),
  },
]
