import { defineOperation } from '#core/operation.ts'
import { notFound } from '#core/problems/problems.ts'
import { Closed } from '#core/schema/schema.ts'
import { findSubscription, lockSubscription } from './subscription.store.ts'
import { Subscription, SubscriptionPath, subscriptionOf } from './subscription.ts'

export const getSubscription = defineOperation({
  id: 'webhooks.get',
  summary: 'Get a webhook subscription, without its signing key',
  method: 'GET',
  path: '/webhooks/:webhook_id',
  scopes: ['webhooks:read'],
  roles: ['owner', 'admin', 'developer', 'viewer'],
  input: Closed(SubscriptionPath),
  output: Subscription,

  lock: ({ webhook_id }, { caller, tx }) => lockSubscription(tx, caller.organization_id, webhook_id),

  async handle({ webhook_id }, { caller, tx, rooms: { webhooks } }) {
    const row = await findSubscription(tx, caller.organization_id, webhook_id)
    if (!row) throw notFound()
    return subscriptionOf(row, webhooks.settings)
  },
})
