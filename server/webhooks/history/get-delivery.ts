import { holdsScope } from '#core/caller.ts'
import { defineOperation } from '#core/operation.ts'
import { notFound } from '#core/problems.ts'
import { Closed, Id, Nullable, Type } from '#core/schema/schema.ts'
import { categoriesOf } from '../event-body.ts'
import { lockSubscription, mayReadBodies, SubscriptionPath } from '../subscriptions/subscription.ts'
import { Attempt, attemptOf } from './attempt.ts'
import { Delivery, deliveryOf } from './delivery.ts'
import { findAttempts, findBody, findDelivery } from './history.store.ts'

export const getDelivery = defineOperation({
  id: 'webhooks.get_delivery',
  summary: 'Get a delivery with its body and all attempts',
  method: 'GET',
  path: '/webhooks/:webhook_id/deliveries/:delivery_id',
  ...mayReadBodies,
  input: Closed({ ...SubscriptionPath, delivery_id: Id }),
  output: Type.Object({
    ...Delivery.properties,
    body: Nullable(
      Type.Object(
        { text: Type.String({ example: '{"data":…}' }), sha256: Type.String({ example: 'f1b07a9c52f04f0e' }) },
        { description: 'The exact bytes; null when they hold a category that the caller was not granted.' },
      ),
    ),
    attempts: Type.Array(Attempt, { description: 'Oldest first.' }),
  }),

  lock: ({ webhook_id }, { caller, tx }) => lockSubscription(tx, caller, webhook_id),

  async handle({ webhook_id, delivery_id }, { caller, tx, rooms: { webhooks } }) {
    const row = await findDelivery(tx, caller, webhook_id, delivery_id)
    if (!row) throw notFound()
    const [attempts, stored] = await Promise.all([findAttempts(tx, caller, row), findBody(tx, caller, row)])
    const is_granted = stored && categoriesOf(stored.rendering).every((category) => caller.sensitive_data.has(category))
    const shows_signatures = holdsScope(caller, 'webhooks:write')
    return {
      ...deliveryOf(row, webhooks.settings.retention_days),
      body: is_granted ? { text: stored.body.toString(), sha256: stored.sha256.toString('hex') } : null,
      attempts: attempts.map((attempt) => attemptOf(attempt, shows_signatures)),
    }
  },
})
