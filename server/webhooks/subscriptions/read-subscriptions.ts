import { defineOperation } from '#core/operation.ts'
import { Closed, PageInput, PageOf } from '#core/schema/schema.ts'
import {
  lockSubscription,
  mayRead,
  readSubscription,
  Subscription,
  SubscriptionPath,
  type SubscriptionRow,
  subscription,
  subscriptionOf,
} from './subscription.ts'

export const getSubscription = defineOperation({
  id: 'webhooks.get',
  summary: 'Get a webhook subscription, without its signing key',
  method: 'GET',
  path: '/webhooks/:webhook_id',
  ...mayRead,
  input: Closed(SubscriptionPath),
  output: Subscription,
  lock: ({ webhook_id }, { caller, tx }) => lockSubscription(tx, caller, webhook_id),

  async handle({ webhook_id }, { caller, tx, rooms: { webhooks } }) {
    return subscriptionOf(await readSubscription(tx, caller, webhook_id), webhooks.settings)
  },
})

export const listSubscriptions = defineOperation({
  id: 'webhooks.list',
  summary: 'List webhook subscriptions',
  method: 'GET',
  path: '/webhooks',
  ...mayRead,
  input: Closed({ ...PageInput, ...subscription.filters }),
  output: PageOf(Subscription),
  tool: {
    name: 'list_webhooks',
    text: 'List webhook subscriptions and their state.',
    omits: ['signing_keys', 'api_version'],
  },

  handle: (filter, { caller, page, rooms: { webhooks } }) =>
    page(subscription.list(caller.organization_id, filter), (row: SubscriptionRow) =>
      subscriptionOf(row, webhooks.settings),
    ),
})
