import { defineOperation } from '#core/operation.ts'
import { Closed, Type } from '#core/schema/schema.ts'
import { notSubscribed, simulationLimit, subscriptionDisabled } from '../problems.ts'
import { lockSubscription, mayWrite, SubscriptionPath } from '../subscriptions/subscription.ts'
import { Delivery } from './delivery.ts'
import { insertSimulatedEvent, takeSimulation } from './history.store.ts'
import { deliverAtRequest, listedType } from './redeliver.ts'

/** Interface specification 6.4. */
const simulations_per_hour_max = 10

export const simulateEvent = defineOperation({
  id: 'webhooks.simulate',
  summary: 'Send a simulated event to a subscription',
  description:
    'The example of the catalogue with `meta.is_simulation`, signed and retried like a real event. 10 per rolling hour and subscription.',
  method: 'POST',
  path: '/webhooks/:webhook_id/simulate',
  ...mayWrite,
  input: Closed({
    ...SubscriptionPath,
    event_type: Type.String({ minLength: 1, maxLength: 100, example: 'contract.created' }),
  }),
  output: Delivery,
  status: 201,
  location: ({ id, webhook_id }) => `/webhooks/${webhook_id}/deliveries/${id}`,
  problems: [subscriptionDisabled, notSubscribed, simulationLimit],

  async handle({ webhook_id, event_type }, context) {
    const { caller, tx, now, newId, rooms } = context
    const subscription = await lockSubscription(tx, caller, webhook_id)
    if (subscription.status === 'disabled') throw subscriptionDisabled()
    const type = listedType(subscription, event_type, rooms.webhooks)
    const free_in_s = await takeSimulation(tx, caller, webhook_id, simulations_per_hour_max)
    if (free_in_s > 0) throw simulationLimit(undefined, { headers: { 'Retry-After': String(free_in_s) } })
    const event = {
      event_id: newId(),
      event_type,
      organization_id: caller.organization_id,
      occurred_at: now,
      is_simulation: true,
      entries: [type.type.example],
    }
    await insertSimulatedEvent(tx, event, context)
    const schedule_id = await rooms.webhooks.schedules.current(tx)
    return deliverAtRequest(context, subscription, event, { origin: 'simulation', type, schedule_id })
  },
})
