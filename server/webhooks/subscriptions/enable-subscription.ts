import { type Context, defineOperation } from '#core/operation.ts'
import { Closed, Type } from '#core/schema/schema.ts'
import { webhookDisabled, webhookEnabled } from '../events.ts'
import { subscriptionsDisabled } from '../metrics.ts'
import { resetQueue } from './subscription.store.ts'
import {
  lockSubscription,
  mayWrite,
  readSubscription,
  Subscription,
  SubscriptionPath,
  type SubscriptionRow,
  saveSubscription,
  subscriptionOf,
} from './subscription.ts'

/** Fates of the deliveries held so far when a subscription is enabled. */
export const heldChoices = ['resume', 'discard'] as const

export const enableSubscription = defineOperation({
  id: 'webhooks.enable',
  summary: 'Enable a disabled subscription',
  description:
    'Deliveries held meanwhile are sent in order, each with a whole retry schedule, or discarded. An active subscription stays as it is.',
  method: 'POST',
  path: '/webhooks/:webhook_id/enable',
  ...mayWrite,
  input: Closed({ ...SubscriptionPath, held: Type.Enum([...heldChoices], { default: 'resume' }) }),
  output: Subscription,
  emits: [webhookEnabled],

  async handle({ webhook_id, held }, context) {
    const { caller, tx, unchanged, rooms } = context
    const row = await lockSubscription(tx, caller, webhook_id)
    if (!(await changeStatus(context, row, 'active', held))) unchanged()
    return subscriptionOf(await readSubscription(tx, caller, webhook_id), rooms.webhooks.settings)
  },
})

/** Enables or disables a locked subscription and tells the others; false when it was so already. */
export async function changeStatus(
  { tx, caller, emit, rooms }: Context<typeof webhookDisabled | typeof webhookEnabled>,
  row: SubscriptionRow,
  status: SubscriptionRow['status'],
  held: (typeof heldChoices)[number],
): Promise<boolean> {
  const { id, url, name, consecutive_failures, last_error } = row
  if (status === row.status) return false
  const state = { webhook_id: id, url, name, last_error }
  if (status === 'active') {
    const none = { disabled_reason: null, disabled_at: null, disabled_by: null, disabled_error: null }
    await saveSubscription(tx, row, { status, ...none }, caller.actor)
    await resetQueue(tx, caller, id, held === 'discard')
    emit(webhookEnabled, { ...state, reason: null, consecutive_failures: 0, disabled_at: null })
  } else {
    const by_hand = { disabled_reason: 'manual', disabled_at: tx.now, disabled_by: caller.actor } as const
    await saveSubscription(tx, row, { status, ...by_hand, disabled_error: null }, caller.actor)
    tx.afterCommit(() => subscriptionsDisabled.inc({ reason: 'manual' }))
    emit(webhookDisabled, { ...state, reason: 'manual', consecutive_failures, disabled_at: tx.now })
  }
  tx.afterCommit(() => rooms.webhooks.wake.changed(id))
  return true
}
