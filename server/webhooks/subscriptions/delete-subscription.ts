import { defineOperation } from '#core/operation.ts'
import { Closed, Type } from '#core/schema/schema.ts'
import { markDeleted } from './subscription.store.ts'
import { lockSubscription, mayWrite, SubscriptionPath } from './subscription.ts'

export const deleteSubscription = defineOperation({
  id: 'webhooks.delete',
  summary: 'Delete a webhook subscription',
  description:
    'Unsent deliveries are cancelled and the signing key is destroyed; the lists of deliveries stay readable.',
  method: 'DELETE',
  path: '/webhooks/:webhook_id',
  ...mayWrite,
  input: Closed(SubscriptionPath),
  output: Type.Null(),
  status: 204,

  async handle({ webhook_id }, { caller, tx, rooms: { webhooks } }) {
    await lockSubscription(tx, caller, webhook_id)
    await markDeleted(tx, caller, webhook_id, caller.actor)
    tx.afterCommit(() => webhooks.wake.changed(webhook_id))
    return null
  },
})
