import { defineOperation } from '#core/operation.ts'
import { defineResource, type RowFrom } from '#core/resource.ts'
import { server } from '#core/schema/fields.ts'
import { ActorSchema, Closed, Id, PageInput, PageOf, SetOf, Timestamp, Type } from '#core/schema/schema.ts'
import { refuseDuplicate } from '#core/unique.ts'
import {
  fieldRefused,
  rangeOutsideRetention,
  replayFinished,
  replayRunning,
  subscriptionDisabled,
} from '../problems.ts'
import { days_after_retention } from '../retention/partitions.ts'
import {
  lockSubscription,
  mayRead,
  mayWrite,
  readSubscription,
  SubscriptionPath,
} from '../subscriptions/subscription.ts'
import { cancelUnsent, ofSubscription } from './replay.store.ts'

refuseDuplicate('webhook_replays_open', replayRunning, 'The subscription has a replay that is not finished.')

/** Deliveries that have ended in one of these can be sent again; by default those that never arrived. */
const replayedStatuses = ['failed', 'discarded', 'expired', 'succeeded'] as const
const replayedByDefault: (typeof replayedStatuses)[number][] = ['failed', 'discarded', 'expired']

const recorded_from = { ...Timestamp, description: 'Deliveries recorded at this time or later.' } as typeof Timestamp
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
    since: { type: recorded_from, ...server },
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

const day_ms = 86_400_000

export const startReplay = defineOperation({
  id: 'webhooks.replay',
  summary: 'Send the events of a time span to a subscription once more',
  description:
    'Starts a job that makes a new delivery, with the whole retry schedule, for each delivery of the time span that ended in one of the statuses; those recovered since and those of event types the subscription lists no more are skipped. Deliveries are made in order at the release rate, never more than 200 unsent at once, and neither raise nor reset the counter of failures. A subscription has one open replay at a time.',
  method: 'POST',
  path: '/webhooks/:webhook_id/replay',
  ...mayWrite,
  input: Closed({
    ...SubscriptionPath,
    since: recorded_from,
    until: Type.Optional({
      ...Timestamp,
      description: 'Deliveries recorded before this time; not in the future. Left out: now.',
    } as typeof Timestamp),
    statuses: SetOf(Type.Enum([...replayedStatuses]), { default: replayedByDefault }),
  }),
  output: replay.answer,
  status: 201,
  location: ({ id, webhook_id }) => `/webhooks/${webhook_id}/replays/${id}`,
  problems: [subscriptionDisabled, replayRunning, rangeOutsideRetention],

  async handle({ webhook_id, since, until, statuses }, { caller, tx, now, newId, audit, rooms: { webhooks } }) {
    const subscription = await lockSubscription(tx, caller, webhook_id)
    if (subscription.status === 'disabled') throw subscriptionDisabled()
    checkRange(since, until ?? now, now, webhooks.settings.retention_days + days_after_retention)
    const { organization_id, actor: requested_by } = caller
    const ids = { organization_id, id: newId(), subscription_id: webhook_id }
    const row = replay.newRow(tx, { ...ids, since, until: until ?? now, statuses, requested_by })
    await replay.insert(tx, row)
    audit({ id: webhook_id })
    tx.afterCommit(() => webhooks.wake.changed(webhook_id))
    return replay.show(row)
  },
})

function checkRange(since: string, until: string, now: string, kept_days: number): void {
  const [since_ms, until_ms, now_ms] = [since, until, now].map(Date.parse) as [number, number, number]
  if (until_ms > now_ms) throw fieldRefused('/until', 'is in the future')
  if (since_ms >= until_ms) throw fieldRefused('/since', 'is not before until')
  if (since_ms >= now_ms - kept_days * day_ms) return
  const earliest = new Date(now_ms - kept_days * day_ms).toISOString()
  throw rangeOutsideRetention(`Deliveries are kept for ${kept_days} days: since ${earliest}.`)
}

export const getReplay = defineOperation({
  id: 'webhooks.get_replay',
  summary: 'Get a replay with its progress',
  method: 'GET',
  path: '/webhooks/:webhook_id/replays/:replay_id',
  ...mayRead,
  input: Closed({ ...SubscriptionPath, replay_id: Id }),
  output: replay.answer,
  lock: ({ webhook_id }, { caller, tx }) => lockSubscription(tx, caller, webhook_id),

  async handle({ webhook_id, replay_id }, { caller, tx }) {
    await readSubscription(tx, caller, webhook_id)
    const { organization_id } = caller
    return replay.show(await replay.get(tx, { organization_id, subscription_id: webhook_id, id: replay_id }))
  },
})

export const listReplays = defineOperation({
  id: 'webhooks.list_replays',
  summary: 'List the replays of a subscription',
  method: 'GET',
  path: '/webhooks/:webhook_id/replays',
  ...mayRead,
  input: Closed({ ...SubscriptionPath, ...PageInput }),
  output: PageOf(replay.answer),

  async handle({ webhook_id }, context) {
    await readSubscription(context.tx, context.caller, webhook_id)
    return replay.page(context, {}, [ofSubscription(webhook_id)])
  },
})

export const cancelReplay = defineOperation({
  id: 'webhooks.cancel_replay',
  summary: 'Cancel a replay',
  description: 'No further deliveries are made, and those not sent yet are cancelled; a running attempt ends.',
  method: 'POST',
  path: '/webhooks/:webhook_id/replays/:replay_id/cancel',
  ...mayWrite,
  input: Closed({ ...SubscriptionPath, replay_id: Id }),
  output: replay.answer,
  problems: [replayFinished],

  async handle({ webhook_id, replay_id }, { caller, tx, audit }) {
    await lockSubscription(tx, caller, webhook_id)
    const { organization_id } = caller
    const row = await replay.get(tx, { organization_id, subscription_id: webhook_id, id: replay_id })
    if (row.finished_at) throw replayFinished(`The replay is ${row.state}.`)
    await cancelUnsent(tx, caller, replay_id)
    audit({ id: webhook_id })
    return replay.show(await replay.save(tx, row, { ...row, state: 'cancelled', finished_at: tx.now }))
  },
})
