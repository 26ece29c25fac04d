import { defineOperation } from '#core/operation.ts'
import { notFound } from '#core/problems/problems.ts'
import { Closed } from '#core/schema/schema.ts'
import { findSubscription, lockSubscription } from '../subscriptions/subscription.store.ts'
import { findReplay } from './replay.store.ts'
import { Replay, ReplayPath, replayOf } from './replay.ts'

export const getReplay = defineOperation({
  id: 'webhooks.get_replay',
  summary: 'Get a replay with its progress',
  method: 'GET',
  path: '/webhooks/:webhook_id/replays/:replay_id',
  scopes: ['webhooks:read'],
  roles: ['owner', 'admin', 'developer', 'viewer'],
  input: Closed(ReplayPath),
  output: Replay,

  lock: ({ webhook_id }, { caller, tx }) => lockSubscription(tx, caller.organization_id, webhook_id),

  async handle({ webhook_id, replay_id }, { caller, tx }) {
    const { organization_id } = caller
    const subscription = await findSubscription(tx, organization_id, webhook_id)
    const row = subscription && (await findReplay(tx, organization_id, webhook_id, replay_id))
    if (!row) throw notFound()
    return replayOf(row)
  },
})
