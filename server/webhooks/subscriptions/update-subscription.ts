import { differing } from '#core/json.ts'
import { defineOperation } from '#core/operation.ts'
import { sensitiveDataRequired } from '#core/problems.ts'
import { Closed, Type } from '#core/schema/schema.ts'
import { webhookDisabled, webhookEnabled } from '../events.ts'
import { fieldRefused, refuseUnknownTypes, unknownEventType, urlProblems } from '../problems.ts'
import { eventPointer, examineReceiver, refuseReceiver, refuseUngranted, Warnings, warningsOf } from './check-input.ts'
import { changeStatus, heldChoices } from './enable-subscription.ts'
import { everGranted, noteUnlisted } from './subscription.store.ts'
import {
  lockSubscription,
  mayWrite,
  readSubscription,
  Subscription,
  SubscriptionPath,
  saveSubscription,
  subscription,
  subscriptionOf,
} from './subscription.ts'

const { name, description, url, events, status, payload, sensitive_data } = subscription.change

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
