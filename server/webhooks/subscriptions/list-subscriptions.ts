import { defineOperation } from '#core/operation.ts'
import { Closed, PageInput, PageOf, SetOf, Type } from '#core/schema/schema.ts'
import { type SubscriptionRow, subscriptionList } from './subscription.store.ts'
import { Subscription, statuses, subscriptionOf } from './subscription.ts'

export const listSubscriptions = defineOperation({
  id: 'webhooks.list',
  summary: 'List webhook subscriptions',
  method: 'GET',
  path: '/webhooks',
  scopes: ['webhooks:read'],
  roles: ['owner', 'admin', 'developer', 'viewer'],
  input: Closed({
    ...PageInput,
    statuses: Type.Optional(SetOf(Type.Enum([...statuses]), { description: 'Any of these statuses.' })),
  }),
  output: PageOf(Subscription),
  tool: { name: 'list_webhooks', text: 'List webhook subscriptions and their state.' },

  handle: (filter, { caller, page, rooms: { webhooks } }) =>
    page(subscriptionList(caller.organization_id, filter), (row: SubscriptionRow) =>
      subscriptionOf(row, webhooks.settings),
    ),
})
