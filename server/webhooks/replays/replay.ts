import { ActorSchema, Id, Nullable, type Static, Timestamp, Type } from '#core/schema/schema.ts'

/** Deliveries that have ended in one of these can be sent again; by default those that never arrived. */
export const replayedStatuses = ['failed', 'discarded', 'expired', 'succeeded'] as const
export const replayedByDefault: (typeof replayedStatuses)[number][] = ['failed', 'discarded', 'expired']

/** A job that sends past events of a time span to their subscription once more. */
export const Replay = Type.Object({
  id: Id,
  webhook_id: Id,
  state: Type.Enum(['queued', 'running', 'paused', 'completed', 'cancelled'], {
    description: 'Paused while the subscription is disabled; completed when every delivery to send is made.',
  }),
  since: { ...Timestamp, description: 'Deliveries recorded at this time or later.' } as typeof Timestamp,
  until: { ...Timestamp, description: 'Deliveries recorded before this time.' } as typeof Timestamp,
  statuses: Type.Array(Type.Enum([...replayedStatuses])),
  matched: Type.Integer({ minimum: 0, description: 'Deliveries found so far, with one of the statuses.' }),
  created: Type.Integer({ minimum: 0, description: 'Deliveries made from them.' }),
  skipped: Type.Integer({
    minimum: 0,
    description: 'Of those found: recovered already, or of an event type that the subscription lists no more.',
  }),
  requested_by: ActorSchema,
  created_at: Timestamp,
  updated_at: Timestamp,
  finished_at: Nullable(Timestamp),
})

export type ReplayRow = Static<typeof Replay>
