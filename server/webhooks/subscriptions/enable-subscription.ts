import type { Actor } from '#core/caller.ts'
import { defineOperation } from '#core/operation.ts'
import { notFound } from '#core/problems/problems.ts'
import { Closed, type Static, Type } from '#core/schema/schema.ts'
import type { Transaction } from '#db/database.ts'
import { type webhookDisabled, webhookEnabled } from '../events.ts'
import { subscriptionsDisabled } from '../metrics/attempt-metrics.ts'
import {
  findSubscription,
  lockSubscription,
  type SubscriptionRow,
  setActive,
  setDisabled,
} from './subscription.store.ts'
import { Subscription, SubscriptionPath, subscriptionOf } from './subscription.ts'

/** What happens to deliveries held so far when a subscription is enabled. */
export const heldChoices = ['resume', 'discard'] as const
type HeldChoice = (typeof heldChoices)[number]

export const enableSubscription = defineOperation({
  id: 'webhooks.enable',
  summary: 'Enable a disabled subscription',
  description:
    'Deliveries held meanwhile are sent in order, each with a whole retry schedule, or discarded. An active subscription stays as it is.',
  method: 'POST',
  path: '/webhooks/:webhook_id/enable',
  scopes: ['webhooks:write'],
  roles: ['owner', 'admin', 'developer'],
  input: Closed({ ...SubscriptionPath, held: Type.Enum([...heldChoices], { default: 'resume' }) }),
  output: Subscription,
  emits: [webhookEnabled],

  async handle({ webhook_id, held }, { caller, tx, emit, unchanged, rooms: { webhooks } }) {
    const { organization_id, actor } = caller
    const row = await lockSubscription(tx, organization_id, webhook_id)
    if (!row) throw notFound()
    const enabled = await enable(tx, organization_id, row, held, actor)
    if (!enabled) {
      unchanged()
      return subscriptionOf(row, webhooks.settings)
    }
    emit(webhookEnabled, enabled)
    tx.afterCommit(() => webhooks.wake.changed(webhook_id))
    const changed = await findSubscription(tx, organization_id, webhook_id)
    if (!changed) throw new Error('a locked subscription is gone')
    return subscriptionOf(changed, webhooks.settings)
  },
})

type State = Static<typeof webhookDisabled.entry>

/**
 * Enables a subscription whose lane is locked: counter to zero; the releaser sends or discards what is held. Answers the
 * entry of `webhook.enabled`, or null when it was active already.
 */
export async function enable(
  tx: Transaction,
  organization_id: string,
  row: SubscriptionRow,
  held: HeldChoice,
  by: Actor,
): Promise<State | null> {
  if (row.status === 'active') return null
  await setActive(tx, organization_id, row.id, held === 'discard', by)
  return { ...stateOf(row), reason: null, consecutive_failures: 0, disabled_at: null }
}

/** Disables by hand, with the lane locked: nothing is claimed from now on. Null when it was disabled already. */
export async function disable(
  tx: Transaction,
  organization_id: string,
  row: SubscriptionRow,
  by: Actor,
): Promise<State | null> {
  if (row.status === 'disabled') return null
  await setDisabled(tx, organization_id, row.id, by)
  tx.afterCommit(() => subscriptionsDisabled.inc({ reason: 'manual' }))
  return { ...stateOf(row), reason: 'manual', disabled_at: tx.now }
}

function stateOf({ id, url, name, consecutive_failures, last_error }: SubscriptionRow) {
  return { webhook_id: id, url, name, consecutive_failures, last_error }
}
