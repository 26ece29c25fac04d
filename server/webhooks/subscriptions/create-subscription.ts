import { defineOperation } from '#core/operation.ts'
import { sensitiveDataRequired } from '#core/problems.ts'
import { Closed, ShownOnce, Type } from '#core/schema/schema.ts'
import { api_version } from '../event-body.ts'
import { labelInUse, refuseUnknownTypes, subscriptionLimitReached, unknownEventType, urlProblems } from '../problems.ts'
import { addSigningKey, keyStands } from '../signing-keys/signing-key.store.ts'
import { KeyLabel } from '../signing-keys/signing-key.ts'
import { eventPointer, examineReceiver, refuseReceiver, refuseUngranted, Warnings, warningsOf } from './check-input.ts'
import { countSubscriptions, insertSubscription, readSubscription } from './subscription.store.ts'
import {
  mayWrite,
  Payload,
  SensitiveList,
  Subscription,
  statuses,
  subscriptionOf,
  WritableFields,
} from './subscription.ts'

export const createSubscription = defineOperation({
  id: 'webhooks.create',
  summary: 'Subscribe a receiver to event types',
  description:
    'The signing key is in this answer and in no other. A host name that does not resolve yet is accepted with a warning.',
  method: 'POST',
  path: '/webhooks',
  ...mayWrite,
  input: Closed({
    ...WritableFields,
    status: Type.Enum([...statuses], { default: 'active' }),
    payload: { ...Payload, default: 'full' } as typeof Payload,
    sensitive_data: { ...SensitiveList, default: [] } as typeof SensitiveList,
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
    const { key_label, name = null, description = null, ...fields } = input
    refuseReceiver(prepared)
    refuseUnknownTypes(fields.events, webhooks.catalogue, eventPointer)
    refuseUngranted(fields.sensitive_data, caller)
    const { subscriptions_max } = webhooks.settings
    if ((await countSubscriptions(tx, caller)) >= subscriptions_max) {
      throw subscriptionLimitReached(`An organization has at most ${subscriptions_max} subscriptions.`)
    }
    const id = newId()
    await insertSubscription(tx, caller, { ...fields, id, name, description, api_version }, caller.actor)
    const wish = { label: key_label, label_field: 'key_label', activates_at: null, overlap_hours: 0 }
    const { signing_key } = await addSigningKey(tx, secrets, caller, id, wish)
    const row = await readSubscription(tx, caller, id)
    return { ...subscriptionOf(row, webhooks.settings), signing_key, ...warningsOf(prepared) }
  },
})
