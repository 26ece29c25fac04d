import { Id, Nullable, type Static, Timestamp, Type } from '#core/schema/schema.ts'
import { expiryOf } from '../subscriptions/subscription.ts'
import type { DeliveryRow } from './history.store.ts'

export const deliveryStatuses = [
  'pending',
  'sending',
  'held',
  'succeeded',
  'failed',
  'discarded',
  'cancelled',
  'expired',
] as const

export const origins = ['event', 'simulation', 'redelivery', 'replay'] as const

/** One event to be sent to one subscription, as lists show it. */
export const Delivery = Type.Object({
  id: Id,
  webhook_id: Id,
  event_id: Id,
  event_type: Type.String(),
  is_simulation: Type.Boolean(),
  origin: Type.Enum([...origins]),
  source_delivery_id: Nullable(Id),
  replay_id: Nullable(Id),
  status: Type.Enum([...deliveryStatuses]),
  hold_reason: Nullable(Type.Enum(['disabled', 'internal'])),
  series: Type.Integer({ minimum: 1, description: 'Runs through the retry schedule; a release begins a new one.' }),
  attempt_no: Type.Integer({
    minimum: 0,
    description: 'Attempt that is next or was last; 0 is the first of a series.',
  }),
  next_attempt_at: Nullable(Timestamp),
  expires_at: Nullable({ ...Timestamp, description: 'When a held delivery expires.' } as typeof Timestamp),
  last_status: Nullable(Type.Integer({ description: 'HTTP status of the last attempt.' })),
  last_error_class: Nullable(Type.String()),
  created_at: Timestamp,
  updated_at: Timestamp,
  first_attempt_at: Nullable(Timestamp),
  completed_at: Nullable(Timestamp),
  recovered_at: Nullable(Timestamp),
})

export function deliveryOf(row: DeliveryRow, retention_days: number): Static<typeof Delivery> {
  return {
    ...row,
    // A lease keeps the time the attempt was due; nothing is due while it runs.
    next_attempt_at: row.status === 'pending' ? row.next_attempt_at : null,
    expires_at: row.status === 'held' ? expiryOf(row.event_id, retention_days) : null,
  }
}
