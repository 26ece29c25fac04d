import { defineOperation } from '#core/operation.ts'
import { Closed, Id } from '#core/schema/schema.ts'
import { replayFinished } from '../problems.ts'
import { lockSubscription } from '../subscriptions/subscription.store.ts'
import { mayWrite, SubscriptionPath } from '../subscriptions/subscription.ts'
import { cancelReplayRows, readReplay } from './replay.store.ts'
import { Replay } from './replay.ts'

export const cancelReplay = defineOperation({
  id: 'webhooks.cancel_replay',
  summary: 'Cancel a replay',
  description: 'No further deliveries are made, and those not sent yet are cancelled; a running attempt ends.',
  method: 'POST',
  path: '/webhooks/:webhook_id/replays/:replay_id/cancel',
  ...mayWrite,
  input: Closed({ ...SubscriptionPath, replay_id: Id }),
  output: Replay,
  problems: [replayFinished],

  async handle({ webhook_id, replay_id }, { caller, tx, audit }) {
    await lockSubscription(tx, caller, webhook_id)
    const { finished_at, state } = await readReplay(tx, caller, webhook_id, replay_id)
    if (finished_at) throw replayFinished(`The replay is ${state}.`)
    await cancelReplayRows(tx, caller, replay_id)
    audit({ id: webhook_id })
    return readReplay(tx, caller, webhook_id, replay_id)
  },
})
