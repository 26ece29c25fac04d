import { defineOperation } from '#core/operation.ts'
import { Closed, Id } from '#core/schema/schema.ts'
import { replayFinished } from '../problems.ts'
import { lockSubscription, mayWrite, SubscriptionPath } from '../subscriptions/subscription.ts'
import { cancelUnsent } from './replay.store.ts'
import { replay } from './replay.ts'

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
