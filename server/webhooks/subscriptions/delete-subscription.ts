import { defineOperation } from '#core/operation.ts'
import { notFound } from '#core/problems/problems.ts'
import { Closed, Type } from '#core/schema/schema.ts'
import { lockSubscription, markDeleted } from './subscription.store.ts'
import { SubscriptionPath } from './subscription.ts'

export const deleteSubscription = defineOperation({
  id: 'webhooks.delete',
  summary: 'Delete a webhook subscription',
  description:
    'Unsent deliveries are cancelled and the signing key is destroyed; the lists of deliveries stay readable.',
  method: 'DELETE',
  path: '/webhooks/:webhook_id',
  scopes: ['webhooks:write'],
  roles: ['owner', 'admin', 'developer'],
  input: Closed(SubscriptionPath),
  output: Type.Null(),
  status: 204,

  async handle({ webhook_id }, { caller, tx, rooms: { webhooks } }) {
    if (!(await lockSubscription(tx, caller.organization_id, webhook_id))) throw notFound()
    await markDeleted(tx, caller.organization_id, webhook_id, caller.actor)
    tx.afterCommit(() => webhooks.wake.changed(webhook_id))
    return null
  },
})
