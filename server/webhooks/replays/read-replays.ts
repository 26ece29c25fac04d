import { defineOperation } from '#core/operation.ts'
import { Closed, Id, PageInput, PageOf } from '#core/schema/schema.ts'
import { lockSubscription, readSubscription } from '../subscriptions/subscription.store.ts'
import { mayRead, SubscriptionPath } from '../subscriptions/subscription.ts'
import { readReplay, replayList } from './replay.store.ts'
import { Replay, type ReplayRow } from './replay.ts'

export const getReplay = defineOperation({
  id: 'webhooks.get_replay',
  summary: 'Get a replay with its progress',
  method: 'GET',
  path: '/webhooks/:webhook_id/replays/:replay_id',
  ...mayRead,
  input: Closed({ ...SubscriptionPath, replay_id: Id }),
  output: Replay,
  lock: ({ webhook_id }, { caller, tx }) => lockSubscription(tx, caller, webhook_id),

  async handle({ webhook_id, replay_id }, { caller, tx }) {
    await readSubscription(tx, caller, webhook_id)
    return readReplay(tx, caller, webhook_id, replay_id)
  },
})

export const listReplays = defineOperation({
  id: 'webhooks.list_replays',
  summary: 'List the replays of a subscription',
  method: 'GET',
  path: '/webhooks/:webhook_id/replays',
  ...mayRead,
  input: Closed({ ...SubscriptionPath, ...PageInput }),
  output: PageOf(Replay),

  async handle({ webhook_id }, { caller, tx, page }) {
    await readSubscription(tx, caller, webhook_id)
    return page(replayList(caller, webhook_id), (row: ReplayRow) => row)
  },
})
