import { defineOperation } from '#core/operation.ts'
import { notFound } from '#core/problems.ts'
import { Closed, Id, Nullable, Timestamp, Type } from '#core/schema/schema.ts'
import { EventPayload, eventPayload } from '../event-body.ts'
import { Delivery, deliveryOf } from '../history/delivery.ts'
import { deliveriesOfEvent, findEvents, type RecordedEvent } from '../history/history.store.ts'
import { mayReadBodies } from '../subscriptions/subscription.ts'
import { subscriptionsAt, type WitnessRow } from './feed.store.ts'

/** Beyond these, subscriptions without a delivery and the oldest deliveries are left out. */
const subscriptions_max = 1_000
const deliveries_max = 1_000

const skipReasons = [
  'type_not_listed',
  'created_later',
  'deleted_before',
  'changed_concurrently',
  'simulation_for_other',
  'about_itself',
] as const

const Witness = Type.Object({
  webhook_id: Id,
  name: Nullable(Type.String()),
  url: Type.String({ example: 'https://receiver.example.org/hooks/stint' }),
  status: Type.Enum(['active', 'disabled', 'deleted'], { description: 'Of the subscription now.' }),
  result: Type.Enum(['matched', 'skipped']),
  reason: Nullable(Type.Enum([...skipReasons], { description: 'Why it was skipped.' })),
  deliveries: Type.Array(Delivery, { description: 'Newest first; replays and redeliveries are among them.' }),
})

export const getEvent = defineOperation({
  id: 'events.get',
  summary: 'Get an event and what became of it at each subscription',
  description: 'Every subscription of the organization is named: with its deliveries, or with the reason for none.',
  method: 'GET',
  path: '/events/:event_id',
  ...mayReadBodies,
  input: Closed({ event_id: Id }),
  output: Type.Object({
    event: EventPayload,
    recorded_at: Timestamp,
    trace_id: Nullable(Type.String({ description: 'W3C trace id of the call that caused it.' })),
    request_id: Nullable(Type.String({ description: 'Of the call that caused it.' })),
    subscriptions: Type.Array(Witness),
  }),

  async handle({ event_id }, { caller, tx, rooms: { webhooks } }) {
    const [event] = await findEvents(tx, caller, [event_id])
    if (!event) throw notFound()
    const [witnesses, deliveries] = await Promise.all([
      subscriptionsAt(tx, event, subscriptions_max),
      deliveriesOfEvent(tx, caller, event_id, deliveries_max),
    ])
    const { recorded_at, trace_id, request_id } = event
    return {
      event: eventPayload(webhooks.catalogue, event, caller.sensitive_data),
      recorded_at,
      trace_id,
      request_id,
      subscriptions: witnesses.map(({ has_delivery, status_then, listed_then, ...shown }) => ({
        ...shown,
        result: has_delivery ? ('matched' as const) : ('skipped' as const),
        reason: has_delivery ? null : skipReason(event, { webhook_id: shown.webhook_id, status_then, listed_then }),
        deliveries: deliveries
          .filter(({ webhook_id }) => webhook_id === shown.webhook_id)
          .map((delivery) => deliveryOf(delivery, webhooks.settings.retention_days)),
      })),
    }
  },
})

/** Why an event did not go to a subscription that has no delivery of it. */
export function skipReason(
  event: Pick<RecordedEvent, 'is_simulation' | 'entries'>,
  { webhook_id, status_then, listed_then }: Pick<WitnessRow, 'webhook_id' | 'status_then' | 'listed_then'>,
): (typeof skipReasons)[number] {
  if (status_then === null) return 'created_later'
  if (status_then === 'deleted') return 'deleted_before'
  if (event.is_simulation) return 'simulation_for_other'
  if (!listed_then) return 'type_not_listed'
  if (event.entries.some((entry) => entry.webhook_id === webhook_id)) return 'about_itself'
  // It listed the type when the event was recorded, yet the event's transaction had not seen that change committed.
  return 'changed_concurrently'
}
