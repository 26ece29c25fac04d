import { defineOperation } from '#core/operation.ts'
import { notFound } from '#core/problems/problems.ts'
import { Closed, Type } from '#core/schema/schema.ts'
import { insertDeliveries } from '../delivery.store.ts'
import { seedOf } from '../fan-out.ts'
import { notSubscribed, simulationLimit, subscriptionDisabled } from '../problems.ts'
import { lockSubscription } from '../subscriptions/subscription.store.ts'
import { SubscriptionPath } from '../subscriptions/subscription.ts'
import { Delivery, deliveryOf } from './delivery.ts'
import { findDelivery, insertSimulatedEvent, takeSimulation } from './history.store.ts'

/** Interface specification 6.4. */
const simulations_per_hour_max = 10

export const simulateEvent = defineOperation({
  id: 'webhooks.simulate',
  summary: 'Send a simulated event to a subscription',
  description:
    'The example of the catalogue with `meta.is_simulation`, signed and retried like a real event. 10 per rolling hour and subscription.',
  method: 'POST',
  path: '/webhooks/:webhook_id/simulate',
  scopes: ['webhooks:write'],
  roles: ['owner', 'admin', 'developer'],
  input: Closed({ ...SubscriptionPath, event_type: Type.String({ minLength: 1, maxLength: 100 }) }),
  output: Delivery,
  status: 201,
  location: ({ id, webhook_id }) => `/webhooks/${webhook_id}/deliveries/${id}`,
  problems: [subscriptionDisabled, notSubscribed, simulationLimit],

  async handle({ webhook_id, event_type }, { caller, tx, now, newId, request_id, trace_id, rooms: { webhooks } }) {
    const { organization_id } = caller
    const subscription = await lockSubscription(tx, organization_id, webhook_id)
    if (!subscription) throw notFound()
    if (subscription.status === 'disabled') throw subscriptionDisabled()
    const type = webhooks.catalogue.get(event_type)
    if (!type || !subscription.events.includes(event_type)) {
      throw notSubscribed(`The subscription does not list ${event_type}.`)
    }
    const free_in_s = await takeSimulation(tx, organization_id, webhook_id, simulations_per_hour_max)
    if (free_in_s > 0) throw simulationLimit(undefined, { headers: { 'Retry-After': String(free_in_s) } })

    const fact = {
      type,
      event_id: newId(),
      organization_id,
      occurred_at: now,
      is_simulation: true,
      entries: [type.type.example],
    }
    await insertSimulatedEvent(tx, fact, { request_id, trace_id })
    const seed = seedOf(fact, [{ ...subscription, status: 'active' }], newId)
    await insertDeliveries(tx, organization_id, 'simulation', await webhooks.schedules.current(tx), [seed])
    tx.afterCommit(() => webhooks.wake.due([webhook_id]))
    const [delivery] = seed.deliveries
    const row = delivery && (await findDelivery(tx, organization_id, webhook_id, delivery.id))
    if (!row) throw new Error('the simulated delivery was not written')
    return deliveryOf(row, webhooks.settings.retention_days)
  },
})
