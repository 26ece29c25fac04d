import { defineOperation } from '#core/operation.ts'
import { Closed, SetOf, Timestamp, Type } from '#core/schema/schema.ts'
import { fieldRefused, rangeOutsideRetention, replayRunning, subscriptionDisabled } from '../problems.ts'
import { days_after_retention } from '../retention/partitions.ts'
import { lockSubscription, mayWrite, SubscriptionPath } from '../subscriptions/subscription.ts'
import { replay, replayedByDefault, replayedStatuses } from './replay.ts'

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
    since: { ...Timestamp, description: 'Deliveries recorded at this time or later.' } as typeof Timestamp,
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
