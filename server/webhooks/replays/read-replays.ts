import { defineOperation } from '#core/operation.ts'
import { Closed, Id, PageInput, PageOf } from '#core/schema/schema.ts'
import { lockSubscription, mayRead, readSubscription, SubscriptionPath } from '../subscriptions/subscription.ts'
import { ofSubscription } from './replay.store.ts'
import { replay } from './replay.ts'

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
