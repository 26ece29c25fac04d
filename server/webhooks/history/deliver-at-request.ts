import { insertEvents } from '#core/effects.ts'
import { type Context, defineOperation } from '#core/operation.ts'
import { notFound } from '#core/problems.ts'
import type { RegisteredEvent } from '#core/registry.ts'
import { Closed, Id, type Static, Type } from '#core/schema/schema.ts'
import type { EventFacts } from '../event-body.ts'
import { type DeliveryOrigin, insertDeliveries } from '../fan-out.store.ts'
import { deliveryBusy, notSubscribed, simulationLimit, subscriptionDisabled } from '../problems.ts'
import { single_attempt } from '../retry-schedule.store.ts'
import type { WebhookRoom } from '../room.ts'
import { lockSubscription, mayWrite, SubscriptionPath, type SubscriptionRow } from '../subscriptions/subscription.ts'
import { Delivery, deliveryOf } from './delivery.ts'
import { findDelivery, findEvents, type RecordedEvent, takeSimulation } from './history.store.ts'

export const redeliver = defineOperation({
  id: 'webhooks.redeliver',
  summary: 'Send an event to a subscription once more',
  description:
    'One attempt, or with `retry` the whole schedule; it neither raises nor resets the counter of failures. The body is the stored one as long as `payload` and the granted categories are the same.',
  method: 'POST',
  path: '/webhooks/:webhook_id/deliveries/:delivery_id/redeliver',
  ...mayWrite,
  input: Closed({
    ...SubscriptionPath,
    delivery_id: Id,
    retry: Type.Boolean({ default: false, description: 'Follow the retry schedule when the attempt fails.' }),
  }),
  output: Delivery,
  status: 201,
  location: ({ id, webhook_id }) => `/webhooks/${webhook_id}/deliveries/${id}`,
  problems: [subscriptionDisabled, deliveryBusy, notSubscribed],

  async handle({ webhook_id, delivery_id, retry }, context) {
    const { caller, tx, rooms } = context
    const subscription = await lockSubscription(tx, caller, webhook_id)
    const source = await findDelivery(tx, caller, webhook_id, delivery_id)
    const [event] = source ? await findEvents(tx, caller, [source.event_id]) : []
    if (!source || !event) throw notFound()
    if (subscription.status === 'disabled') throw subscriptionDisabled()
    if (source.status === 'sending' || source.status === 'held') throw deliveryBusy()
    return deliverAtRequest(context, subscription, event, {
      origin: 'redelivery',
      type: listedType(subscription, event.event_type, rooms.webhooks),
      schedule_id: retry ? await rooms.webhooks.schedules.current(tx) : single_attempt,
      // The source is always the first delivery of the event, however often it was repeated since.
      source_delivery_id: source.source_delivery_id ?? source.id,
    })
  },
})

/** The type of an event that may be sent to this subscription; throws `not_subscribed`. */
function listedType({ events }: SubscriptionRow, event_type: string, { catalogue }: WebhookRoom): RegisteredEvent {
  const type = catalogue.get(event_type)
  if (!type || !events.includes(event_type)) throw notSubscribed(`The subscription does not list ${event_type}.`)
  return type
}

/** Writes one delivery that somebody asked for, due now, and answers it. */
async function deliverAtRequest(
  { caller, tx, newId, rooms: { webhooks } }: Context,
  subscription: SubscriptionRow,
  event: Pick<RecordedEvent, keyof EventFacts | 'trace_id'>,
  wish: { origin: DeliveryOrigin; type: RegisteredEvent; schedule_id: number; source_delivery_id?: string },
): Promise<Static<typeof Delivery>> {
  const { origin, type, schedule_id, ...source } = wish
  const sending = { type, event, to: [{ ...subscription, status: 'active' as const }], ...source }
  const [made] = insertDeliveries(tx, caller.organization_id, { origin, schedule_id, newId }, [sending])
  tx.afterCommit(() => webhooks.wake.due([subscription.id]))
  const row = await findDelivery(tx, caller, subscription.id, made?.id ?? '')
  if (!row) throw new Error('the delivery was not written')
  return deliveryOf(row, webhooks.settings.retention_days)
}

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
    const { caller, tx, now, newId, rooms, request_id, trace_id } = context
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
      trace_id,
      entries: [type.type.example],
    }
    insertEvents(tx, { organization_id: caller.organization_id, request_id, trace_id }, [event], true)
    const schedule_id = await rooms.webhooks.schedules.current(tx)
    return deliverAtRequest(context, subscription, event, { origin: 'simulation', type, schedule_id })
  },
})
