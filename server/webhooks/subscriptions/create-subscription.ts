import { defineOperation } from '#core/operation.ts'
import { sensitiveDataRequired } from '#core/problems.ts'
import { Closed, ShownOnce, Type } from '#core/schema/schema.ts'
import { api_version } from '../event-body.ts'
import { labelInUse, refuseUnknownTypes, subscriptionLimitReached, unknownEventType, urlProblems } from '../problems.ts'
import { addSigningKey, keyStands } from '../signing-keys/signing-key.store.ts'
import { KeyLabel } from '../signing-keys/signing-key.ts'
import { eventPointer, examineReceiver, refuseReceiver, refuseUngranted, Warnings, warningsOf } from './check-input.ts'
import { countSubscriptions, insertQueue, recordRevision } from './subscription.store.ts'
import { mayWrite, readSubscription, Subscription, subscription, subscriptionOf } from './subscription.ts'

const { name, description, url, events, status, payload, sensitive_data } = subscription.create

export const createSubscription = defineOperation({
  id: 'webhooks.create',
  summary: 'Subscribe a receiver to event types',
  description:
    'The signing key is in this answer and in no other. A host name that does not resolve yet is accepted with a warning.',
  method: 'POST',
  path: '/webhooks',
  ...mayWrite,
  input: Closed({
    url,
    events,
    description,
    name,
    status,
    payload,
    sensitive_data,
    key_label: Type.Optional(KeyLabel),
  }),
  output: Type.Object({ ...Subscription.properties, signing_key: ShownOnce('Verifies signatures.'), ...Warnings }),
  status: 201,
  problems: [
    ...Object.values(urlProblems),
    unknownEventType,
    sensitiveDataRequired,
    labelInUse,
    subscriptionLimitReached,
  ],
  reveals_secret: {
    field: 'signing_key',
    stands: ({ signing_keys: [key] }, { tx, caller }) => keyStands(tx, caller, key?.label),
  },

  prepare: ({ url }, { webhooks }) => examineReceiver(url, webhooks),

  async handle(input, { caller, tx, newId, secrets, rooms: { webhooks }, prepared }) {
    const { key_label, ...fields } = input
    refuseReceiver(prepared)
    refuseUnknownTypes(fields.events, webhooks.catalogue, eventPointer)
    refuseUngranted(fields.sensitive_data, caller)
    const { subscriptions_max } = webhooks.settings
    if ((await countSubscriptions(tx, caller)) >= subscriptions_max) {
      throw subscriptionLimitReached(`An organization has at most ${subscriptions_max} subscriptions.`)
    }
    const { organization_id, actor } = caller
    const row = subscription.newRow(tx, {
      ...fields,
      ...{ organization_id, id: newId(), api_version, created_by: actor },
      ...(fields.status === 'disabled' && { disabled_reason: 'manual', disabled_at: tx.now, disabled_by: actor }),
    })
    await subscription.insert(tx, row)
    await insertQueue(tx, caller, row.id)
    await recordRevision(tx, organization_id, row.id, actor)
    const wish = { label: key_label, label_field: 'key_label', activates_at: null, overlap_hours: 0 }
    const { signing_key } = await addSigningKey(tx, secrets, caller, row.id, wish)
    const made = await readSubscription(tx, caller, row.id)
    return { ...subscriptionOf(made, webhooks.settings), signing_key, ...warningsOf(prepared) }
  },
})
