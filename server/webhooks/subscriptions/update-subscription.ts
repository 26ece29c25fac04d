import { differing } from '#core/json.ts'
import { type Context, defineOperation } from '#core/operation.ts'
import { sensitiveDataRequired } from '#core/problems.ts'
import { Closed, Type } from '#core/schema/schema.ts'
import { webhookDisabled, webhookEnabled } from '../events.ts'
import { subscriptionsDisabled } from '../metrics.ts'
import { fieldRefused, refuseUnknownTypes, unknownEventType, urlProblems } from '../problems.ts'
import { eventPointer, examineReceiver, refuseReceiver, refuseUngranted, Warnings, warningsOf } from './check-input.ts'
import { deleted_now, destroyKeys, everGranted, noteUnlisted, resetQueue } from './subscription.store.ts'
import {
  lockSubscription,
  mayWrite,
  readSubscription,
  Subscription,
  SubscriptionPath,
  type SubscriptionRow,
  saveSubscription,
  subscription,
  subscriptionOf,
} from './subscription.ts'

const { name, description, url, events, status, payload, sensitive_data } = subscription.change

/** Fates of the deliveries held so far when a subscription is enabled. */
const heldChoices = ['resume', 'discard'] as const

export const updateSubscription = defineOperation({
  id: 'webhooks.update',
  summary: 'Change a webhook subscription',
  description:
    'A new url applies to every attempt that begins afterwards, other changes to events recorded afterwards; so it asks for every sensitive category that the subscription has or had. Unsent deliveries of event types taken away are cancelled.',
  method: 'PATCH',
  path: '/webhooks/:webhook_id',
  ...mayWrite,
  input: Closed({
    ...SubscriptionPath,
    ...{ url, events, description, name, status, payload, sensitive_data },
    held: Type.Optional(
      Type.Enum([...heldChoices], { description: 'What becomes of held deliveries; only with status active.' }),
    ),
  }),
  output: Type.Object({ ...Subscription.properties, ...Warnings }),
  problems: [...Object.values(urlProblems), unknownEventType, sensitiveDataRequired],
  emits: [webhookDisabled, webhookEnabled],

  prepare: async ({ url }, { webhooks }) => (url === undefined ? undefined : examineReceiver(url, webhooks)),

  async handle({ webhook_id, status, held, ...wanted }, context) {
    const { caller, tx, unchanged, prepared } = context
    const { webhooks } = context.rooms
    if (held && status !== 'active') throw fieldRefused('/held', 'needs status active beside it')
    const row = await lockSubscription(tx, caller, webhook_id)
    const change = differing(row, wanted)
    if (change.url !== undefined) refuseReceiver(prepared)
    refuseUnknownTypes(change.events ?? [], webhooks.catalogue, eventPointer)
    // Choosing where payloads go, and of what, takes the right to see what they hold.
    const { name: _, description: __, ...steering } = change
    if (Object.keys(steering).length > 0) refuseUngranted(change.sensitive_data ?? row.sensitive_data, caller)
    // A new url takes what waits and what is sent again, as it was written when the subscription had more.
    if (change.url !== undefined) refuseUngranted(await everGranted(tx, caller, webhook_id), caller)
    const is_changed = Object.keys(change).length > 0
    const saved = is_changed ? await saveSubscription(tx, row, change, caller.actor) : row
    if (!row.events.every((type) => saved.events.includes(type))) await noteUnlisted(tx, caller, webhook_id)
    const is_switched = status && (await changeStatus(context, saved, status, held ?? 'resume'))
    if (is_changed) tx.afterCommit(() => webhooks.wake.changed(webhook_id))
    else if (!is_switched) unchanged()
    const answer = subscriptionOf(await readSubscription(tx, caller, webhook_id), webhooks.settings)
    return { ...answer, ...((is_changed || is_switched) && warningsOf(prepared)) }
  },
})

export const enableSubscription = defineOperation({
  id: 'webhooks.enable',
  summary: 'Enable a disabled subscription',
  description:
    'Deliveries held meanwhile start in the order of their events, each with a whole retry schedule, or discarded. An active subscription stays as it is.',
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
async function changeStatus(
  { tx, caller, emit, rooms }: Context<typeof webhookDisabled | typeof webhookEnabled>,
  row: SubscriptionRow,
  status: SubscriptionRow['status'],
  held: (typeof heldChoices)[number],
): Promise<boolean> {
  if (status === row.status) return false
  const { id, url, name, consecutive_failures, last_error } = row
  const is_enabled = status === 'active'
  const reason = is_enabled ? null : 'manual'
  const disabled_at = is_enabled ? null : tx.now
  const by = { disabled_reason: reason, disabled_at, disabled_by: is_enabled ? null : caller.actor } as const
  await saveSubscription(tx, row, { status, ...by, disabled_error: null }, caller.actor)
  const state = { webhook_id: id, url, name, reason, disabled_at, last_error } as const
  if (is_enabled) {
    await resetQueue(tx, caller, id, held === 'discard')
    emit(webhookEnabled, { ...state, consecutive_failures: 0 })
  } else {
    tx.afterCommit(() => subscriptionsDisabled.inc({ reason: 'manual' }))
    emit(webhookDisabled, { ...state, consecutive_failures })
  }
  tx.afterCommit(() => rooms.webhooks.wake.changed(id))
  return true
}

export const deleteSubscription = defineOperation({
  id: 'webhooks.delete',
  summary: 'Delete a webhook subscription',
  description:
    'Unsent deliveries are cancelled and the signing key is destroyed; the lists of deliveries stay readable.',
  method: 'DELETE',
  path: '/webhooks/:webhook_id',
  ...mayWrite,
  input: Closed(SubscriptionPath),
  output: Type.Null(),
  status: 204,

  async handle({ webhook_id }, { caller, tx, rooms: { webhooks } }) {
    const row = await lockSubscription(tx, caller, webhook_id)
    await saveSubscription(tx, row, {}, caller.actor, [deleted_now])
    await destroyKeys(tx, caller, webhook_id)
    tx.afterCommit(() => webhooks.wake.changed(webhook_id))
    return null
  },
})
