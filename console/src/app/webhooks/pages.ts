import { builders, type PageEntry, page } from '../page-entry.ts'

export const pages: readonly PageEntry[] = [
  {
    path: '/webhooks',
    words: 'Webhooks',
    group: 'Integration',
    roles: [...builders, 'viewer'],
    Page: page(async () => (await import('./webhooks-page.tsx')).WebhooksPage),
  },
  {
    path: '/webhooks/new',
    roles: builders,
    Page: page(async () => (await import('./new-webhook-page.tsx')).NewWebhookPage),
  },
  {
    path: '/webhooks/$id',
    roles: [...builders, 'viewer'],
    Page: page(async () => (await import('./webhook-page.tsx')).WebhookPage),
  },
]
