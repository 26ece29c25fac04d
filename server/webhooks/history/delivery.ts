import { Id, Nullable, SetOf, type Static, Timestamp, Type } from '#core/schema/schema.ts'
import { expiryOf } from '../subscriptions/subscription.ts'

const Status = Type.Enum(['pending', 'sending', 'held', 'succeeded', 'failed', 'discarded', 'cancelled', 'expired'])
const Origin = Type.Enum(['event', 'simulation', 'redelivery', 'replay'])

/** One event to be sent to one subscription, as lists show it. */
export const Delivery = Type.Object({
  id: Id,
  webhook_id: Id,
  event_id: Id,
  event_type: Type.String({ example: 'contract.created' }),
  is_simulation: Type.Boolean(),
  origin: Origin,
  source_delivery_id: Nullable(Id),
  replay_id: Nullable(Id),
  status: Status,
  hold_reason: Nullable(Type.Enum(['disabled', 'internal'])),
  series: Type.Integer({ minimum: 1, description: 'Runs through the retry schedule; a release begins a new one.' }),
  attempt_no: Type.Integer({
    minimum: 0,
    description: 'Attempt that is next or was last; 0 is the first of a series.',
  }),
  next_attempt_at: Nullable(Timestamp),
  expires_at: Nullable({ ...Timestamp, description: 'When a held delivery expires.' } as typeof Timestamp),
  last_status: Nullable(Type.Integer({ description: 'HTTP status of the last attempt.', example: 204 })),
  last_error_class: Nullable(Type.String()),
  created_at: Timestamp,
  updated_at: Timestamp,
  first_attempt_at: Nullable(Timestamp),
  completed_at: Nullable(Timestamp),
  recovered_at: Nullable(Timestamp),
})

/** Filters of a list of deliveries. */
export const deliveryFilters = {
  statuses: Type.Optional(SetOf(Status)),
  event_types: Type.Optional(SetOf(Type.String({ minLength: 1, maxLength: 100 }))),
  origins: Type.Optional(SetOf(Origin)),
  since: Type.Optional({ ...Timestamp, description: 'Created at this time or later.' } as typeof Timestamp),
  until: Type.Optional({ ...Timestamp, description: 'Created before this time.' } as typeof Timestamp),
  resource_id: Type.Optional(Id),
  event_id: Type.Optional(Id),
  is_simulation: Type.Optional(Type.Boolean()),
}

export type DeliveryRow = Omit<Static<typeof Delivery>, 'expires_at'>

export function deliveryOf(row: DeliveryRow, retention_days: number): Static<typeof Delivery> {
  return {
    ...row,
    // A lease keeps the time the attempt was due; nothing is due while it runs.
    next_attempt_at: row.status === 'pending' ? row.next_attempt_at : null,
    expires_at: row.status === 'held' ? expiryOf(row.event_id, retention_days) : null,
  }
}
