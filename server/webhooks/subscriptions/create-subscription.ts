import { defineOperation } from '#core/operation.ts'
import { sensitiveDataRequired } from '#core/problems/problems.ts'
import { Closed, ShownOnce, Type } from '#core/schema/schema.ts'
import { api_version } from '../event-body.ts'
import { labelInUse, subscriptionLimitReached, unknownEventType, urlProblems } from '../problems.ts'
import { keyStands } from '../signing-keys/signing-key.store.ts'
import { makeLabel, newSigningKey } from '../signing-keys/signing-key.ts'
import { examineReceiver, refuseReceiver, refuseUngranted, refuseUnknownTypes } from './check-input.ts'
import { countSubscriptions, findSubscription, insertSubscription } from './subscription.store.ts'
import {
  KeyLabel,
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
  scopes: ['webhooks:write'],
  roles: ['owner', 'admin', 'developer'],
  input: Closed({
    ...WritableFields,
    status: Type.Enum([...statuses], { default: 'active' }),
    payload: { ...Payload, default: 'full' } as typeof Payload,
    sensitive_data: { ...SensitiveList, default: [] } as typeof SensitiveList,
    key_label: Type.Optional(KeyLabel),
  }),
  output: Type.Object({
    ...Subscription.properties,
    signing_key: ShownOnce('Verifies signatures.'),
    warnings: Type.Optional(Type.Array(Type.Enum(['url_unresolved']))),
  }),
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
    stands: ({ signing_keys: [key] }, { tx, caller }) => keyStands(tx, caller.organization_id, key?.label ?? ''),
  },

  prepare: ({ url }, { webhooks }) => examineReceiver(url, webhooks),

  async handle(input, { caller, tx, newId, secrets, rooms: { webhooks }, prepared }) {
    const { key_label = makeLabel(), name = null, description = null, ...fields } = input
    refuseReceiver(prepared)
    refuseUnknownTypes(fields.events, webhooks)
    refuseUngranted(fields.sensitive_data, caller)
    const { organization_id, actor } = caller
    const { subscriptions_max } = webhooks.settings
    if ((await countSubscriptions(tx, organization_id)) >= subscriptions_max) {
      throw subscriptionLimitReached(`An organization has at most ${subscriptions_max} subscriptions.`)
    }
    const id = newId()
    const { signing_key, sealed } = newSigningKey(secrets, id, key_label)
    const disabled_by = fields.status === 'disabled' ? actor : null
    const subscription = {
      ...fields,
      id,
      organization_id,
      name,
      description,
      disabled_by,
      api_version,
      created_by: actor,
    }
    await insertSubscription(tx, subscription, { label: key_label, sealed })
    const row = await findSubscription(tx, organization_id, id)
    if (!row) throw new Error('the subscription was not written')
    return {
      ...subscriptionOf(row, webhooks.settings),
      signing_key,
      ...(prepared === 'unresolved' && { warnings: ['url_unresolved' as const] }),
    }
  },
})
