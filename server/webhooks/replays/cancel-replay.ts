import { defineOperation } from '#core/operation.ts'
import { notFound } from '#core/problems/problems.ts'
import { Closed } from '#core/schema/schema.ts'
import { replayFinished } from '../problems.ts'
import { lockSubscription } from '../subscriptions/subscription.store.ts'
import { cancelReplayed, cancelReplayRow, findReplay } from './replay.store.ts'
import { Replay, ReplayPath, replayOf } from './replay.ts'

export const cancelReplay = defineOperation({
  id: 'webhooks.cancel_replay',
  summary: 'Cancel a replay',
  description: 'No further deliveries are made, and those not sent yet are cancelled; a running attempt ends.',
  method: 'POST',
  path: '/webhooks/:webhook_id/replays/:replay_id/cancel',
  scopes: ['webhooks:write'],
  roles: ['owner', 'admin', 'developer'],
  input: Closed(ReplayPath),
  output: Replay,
  problems: [replayFinished],

  async handle({ webhook_id, replay_id }, { caller, tx, audit }) {
    const { organization_id } = caller
    const subscription = await lockSubscription(tx, organization_id, webhook_id)
    const found = subscription && (await findReplay(tx, organization_id, webhook_id, replay_id))
    if (!found) throw notFound()
    if (found.finished_at) throw replayFinished(`The replay is ${found.state}.`)
    await cancelReplayRow(tx, organization_id, replay_id)
    await cancelReplayed(tx, organization_id, replay_id)
    audit({ id: webhook_id })
    const row = await findReplay(tx, organization_id, webhook_id, replay_id)
    if (!row) throw new Error('a replay of a locked subscription is gone')
    return replayOf(row)
  },
})
