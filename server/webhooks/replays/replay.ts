import { refuseDuplicate } from '#core/problems.ts'
import { defineResource, type RowFrom } from '#core/resource.ts'
import { ActorSchema, Id, Timestamp, Type } from '#core/schema/schema.ts'
import { replayRunning } from '../problems.ts'

refuseDuplicate('webhook_replays_open', replayRunning, 'The subscription has a replay that is not finished.')

/** Deliveries that have ended in one of these can be sent again; by default those that never arrived. */
export const replayedStatuses = ['failed', 'discarded', 'expired', 'succeeded'] as const
export const replayedByDefault: (typeof replayedStatuses)[number][] = ['failed', 'discarded', 'expired']

const server = { set_by: 'server' } as const
const count = (description: string) =>
  ({ type: Type.Integer({ minimum: 0, description }), ...server, initial: 0 }) as const

/** A job that sends past events of a time span to their subscription once more. */
export const replay = defineResource({
  name: 'replay',
  table: 'webhook_replays',
  fields: {
    id: { type: Id, ...server },
    webhook_id: { type: Id, column: 'subscription_id', ...server },
    state: {
      type: Type.Enum(['queued', 'running', 'paused', 'completed', 'cancelled'], {
        description: 'Paused while the subscription is disabled; completed when every delivery to send is made.',
      }),
      ...server,
      initial: 'queued',
    },
    since: {
      type: Type.String({ ...Timestamp, description: 'Deliveries recorded at this time or later.' }),
      ...server,
    },
    until: { type: Type.String({ ...Timestamp, description: 'Deliveries recorded before this time.' }), ...server },
    statuses: { type: Type.Array(Type.Enum([...replayedStatuses])), ...server },
    matched: count('Deliveries found so far, with one of the statuses.'),
    created: count('Deliveries made from them.'),
    skipped: count('Of those found: recovered already, or of an event type that the subscription lists no more.'),
    requested_by: { type: ActorSchema, ...server },
    created_at: { type: Timestamp, ...server },
    updated_at: { type: Timestamp, ...server },
    finished_at: { type: Timestamp, ...server, nullable: true },
  },
  internal: {
    /** The last delivery that was read. */
    position: { type: Id, nullable: true },
    inserted_at: { type: Timestamp, nullable: true },
    /** Nothing is left to do; a cancelled job is not settled while one of its deliveries is being sent. */
    is_settled: { type: Type.Boolean(), initial: false },
  },
})

export type ReplayRow = RowFrom<typeof replay>
