import { defineOperation } from '#core/operation.ts'
import { notFound } from '#core/problems/problems.ts'
import { Closed, Type } from '#core/schema/schema.ts'
import { webhookEnabled } from '../events.ts'
import { enable, heldChoices } from './status-change.ts'
import { findSubscription, lockSubscription } from './subscription.store.ts'
import { Subscription, SubscriptionPath, subscriptionOf } from './subscription.ts'

export const enableSubscription = defineOperation({
  id: 'webhooks.enable',
  summary: 'Enable a disabled subscription',
  description:
    'Deliveries held meanwhile are sent in order, each with a whole retry schedule, or discarded. An active subscription stays as it is.',
  method: 'POST',
  path: '/webhooks/:webhook_id/enable',
  scopes: ['webhooks:write'],
  roles: ['owner', 'admin', 'developer'],
  input: Closed({ ...SubscriptionPath, held: Type.Enum([...heldChoices], { default: 'resume' }) }),
  output: Subscription,
  emits: [webhookEnabled],

  async handle({ webhook_id, held }, { caller, tx, emit, unchanged, rooms: { webhooks } }) {
    const { organization_id, actor } = caller
    const row = await lockSubscription(tx, organization_id, webhook_id)
    if (!row) throw notFound()
    const enabled = await enable(tx, organization_id, row, held, actor)
    if (!enabled) {
      unchanged()
      return subscriptionOf(row, webhooks.settings)
    }
    emit(webhookEnabled, enabled)
    tx.afterCommit(() => webhooks.wake.changed(webhook_id))
    const changed = await findSubscription(tx, organization_id, webhook_id)
    if (!changed) throw new Error('a locked subscription is gone')
    return subscriptionOf(changed, webhooks.settings)
  },
})
