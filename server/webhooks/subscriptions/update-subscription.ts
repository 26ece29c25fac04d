import { defineOperation } from '#core/operation.ts'
import { notFound, sensitiveDataRequired, validationFailed } from '#core/problems/problems.ts'
import { Closed, Type } from '#core/schema/schema.ts'
import { differing } from '#core/values/canonical.ts'
import { webhookDisabled, webhookEnabled } from '../events.ts'
import { unknownEventType, urlProblems } from '../problems.ts'
import { examineReceiver, refuseReceiver, refuseUngranted, refuseUnknownTypes } from './check-input.ts'
import { disable, enable, heldChoices } from './enable-subscription.ts'
import { changeSubscription, everGranted, findSubscription, lockSubscription } from './subscription.store.ts'
import {
  Payload,
  SensitiveList,
  Subscription,
  SubscriptionPath,
  statuses,
  subscriptionOf,
  WritableFields,
} from './subscription.ts'

export const updateSubscription = defineOperation({
  id: 'webhooks.update',
  summary: 'Change a webhook subscription',
  description:
    'A new url applies to every attempt that begins afterwards, other changes to events recorded afterwards; so it asks for every sensitive category that the subscription has or had. Unsent deliveries of event types taken away are cancelled.',
  method: 'PATCH',
  path: '/webhooks/:webhook_id',
  scopes: ['webhooks:write'],
  roles: ['owner', 'admin', 'developer'],
  input: Closed({
    ...SubscriptionPath,
    ...WritableFields,
    url: Type.Optional(WritableFields.url),
    events: Type.Optional(WritableFields.events),
    status: Type.Optional(Type.Enum([...statuses])),
    payload: Type.Optional(Payload),
    sensitive_data: Type.Optional(SensitiveList),
    held: Type.Optional(
      Type.Enum([...heldChoices], { description: 'What becomes of held deliveries; only with status active.' }),
    ),
  }),
  output: Type.Object({
    ...Subscription.properties,
    warnings: Type.Optional(Type.Array(Type.Enum(['url_unresolved']))),
  }),
  problems: [...Object.values(urlProblems), unknownEventType, sensitiveDataRequired],
  emits: [webhookDisabled, webhookEnabled],

  prepare: async ({ url }, { webhooks }) => (url === undefined ? undefined : examineReceiver(url, webhooks)),

  async handle(
    { webhook_id, status, held, ...wanted },
    { caller, tx, emit, unchanged, rooms: { webhooks }, prepared },
  ) {
    const { organization_id, actor } = caller
    if (held && status !== 'active') {
      throw validationFailed(undefined, { errors: [{ pointer: '/held', message: 'needs status active beside it' }] })
    }
    const row = await lockSubscription(tx, organization_id, webhook_id)
    if (!row) throw notFound()
    const change = differing(row, wanted)
    const changes = Object.keys(change).length > 0
    if (!changes && (status ?? row.status) === row.status) {
      unchanged()
      return subscriptionOf(row, webhooks.settings)
    }
    if (change.url !== undefined) refuseReceiver(prepared)
    refuseUnknownTypes(change.events ?? [], webhooks)
    // Whoever says where payloads go, and of what, must be allowed to see what they hold.
    const { name: _, description: __, ...steering } = change
    if (Object.keys(steering).length > 0) refuseUngranted(change.sensitive_data ?? row.sensitive_data, caller)
    // A new url takes what waits and what is sent again, as it was written when the subscription had more.
    if (change.url !== undefined) refuseUngranted(await everGranted(tx, organization_id, webhook_id), caller)
    if (changes) await changeSubscription(tx, organization_id, row, change, actor)
    const now = { ...row, ...change }
    const enabled = status === 'active' ? await enable(tx, organization_id, now, held ?? 'resume', actor) : null
    const disabled = status === 'disabled' ? await disable(tx, organization_id, now, actor) : null
    if (enabled) emit(webhookEnabled, enabled)
    if (disabled) emit(webhookDisabled, disabled)
    tx.afterCommit(() => webhooks.wake.changed(webhook_id))
    const changed = await findSubscription(tx, organization_id, webhook_id)
    if (!changed) throw new Error('a locked subscription is gone')
    const answer = subscriptionOf(changed, webhooks.settings)
    return prepared === 'unresolved' ? { ...answer, warnings: ['url_unresolved' as const] } : answer
  },
})
