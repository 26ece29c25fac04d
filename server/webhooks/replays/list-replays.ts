import { defineOperation } from '#core/operation.ts'
import { notFound } from '#core/problems/problems.ts'
import { Closed, PageInput, PageOf } from '#core/schema/schema.ts'
import { findSubscription } from '../subscriptions/subscription.store.ts'
import { SubscriptionPath } from '../subscriptions/subscription.ts'
import { type ReplayRow, replayList } from './replay.store.ts'
import { Replay, replayOf } from './replay.ts'

export const listReplays = defineOperation({
  id: 'webhooks.list_replays',
  summary: 'List the replays of a subscription',
  method: 'GET',
  path: '/webhooks/:webhook_id/replays',
  scopes: ['webhooks:read'],
  roles: ['owner', 'admin', 'developer', 'viewer'],
  input: Closed({ ...SubscriptionPath, ...PageInput }),
  output: PageOf(Replay),

  async handle({ webhook_id }, { caller, tx, page }) {
    const { organization_id } = caller
    if (!(await findSubscription(tx, organization_id, webhook_id))) throw notFound()
    return page(replayList(organization_id, webhook_id), (row: ReplayRow) => replayOf(row))
  },
})
