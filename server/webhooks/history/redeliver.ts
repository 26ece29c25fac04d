import { defineOperation } from '#core/operation.ts'
import { notFound } from '#core/problems/problems.ts'
import { Closed, Id, Type } from '#core/schema/schema.ts'
import { insertDeliveries } from '../delivery.store.ts'
import { seedOf } from '../fan-out.ts'
import { deliveryBusy, notSubscribed, subscriptionDisabled } from '../problems.ts'
import { single_attempt } from '../retry-schedule.ts'
import { lockSubscription } from '../subscriptions/subscription.store.ts'
import { SubscriptionPath } from '../subscriptions/subscription.ts'
import { Delivery, deliveryOf } from './delivery.ts'
import { findDelivery, findEvent } from './history.store.ts'

export const redeliver = defineOperation({
  id: 'webhooks.redeliver',
  summary: 'Send an event to a subscription once more',
  description:
    'One attempt, or with `retry` the whole schedule; it neither raises nor resets the counter of failures. The body is the stored one as long as `payload` and the granted categories are the same.',
  method: 'POST',
  path: '/webhooks/:webhook_id/deliveries/:delivery_id/redeliver',
  scopes: ['webhooks:write'],
  roles: ['owner', 'admin', 'developer'],
  input: Closed({
    ...SubscriptionPath,
    delivery_id: Id,
    retry: Type.Boolean({ default: false, description: 'Follow the retry schedule when the attempt fails.' }),
  }),
  output: Delivery,
  status: 201,
  location: ({ id, webhook_id }) => `/webhooks/${webhook_id}/deliveries/${id}`,
  problems: [subscriptionDisabled, deliveryBusy, notSubscribed],

  async handle({ webhook_id, delivery_id, retry }, { caller, tx, newId, rooms: { webhooks } }) {
    const { organization_id } = caller
    const subscription = await lockSubscription(tx, organization_id, webhook_id)
    const source = await findDelivery(tx, organization_id, webhook_id, delivery_id)
    const event = source && (await findEvent(tx, organization_id, source.event_id))
    if (!subscription || !source || !event) throw notFound()
    if (subscription.status === 'disabled') throw subscriptionDisabled()
    if (source.status === 'sending' || source.status === 'held') throw deliveryBusy()
    const type = webhooks.catalogue.get(source.event_type)
    if (!type || !subscription.events.includes(source.event_type)) {
      throw notSubscribed(`The subscription does not list ${source.event_type}.`)
    }
    const seed = seedOf({ ...event, type, organization_id }, [{ ...subscription, status: 'active' }], newId)
    // The source is always the first delivery of the event, however often it was repeated since.
    const source_delivery_id = source.source_delivery_id ?? source.id
    const deliveries = seed.deliveries.map((delivery) => ({ ...delivery, source_delivery_id }))
    const schedule_id = retry ? await webhooks.schedules.current(tx) : single_attempt
    await insertDeliveries(tx, organization_id, 'redelivery', schedule_id, [{ ...seed, deliveries }])
    tx.afterCommit(() => webhooks.wake.due([webhook_id]))
    const row = await findDelivery(tx, organization_id, webhook_id, deliveries[0]?.id ?? '')
    if (!row) throw new Error('the redelivery was not written')
    return deliveryOf(row, webhooks.settings.retention_days)
  },
})
