import { defineOperation } from '#core/operation.ts'
import { notFound } from '#core/problems.ts'
import { Closed, PageInput, PageOf, ShownOnce, Timestamp, Type } from '#core/schema/schema.ts'
import { fieldRefused, keyIsPrimary, labelInUse, rotationOpen } from '../problems.ts'
import {
  lockSubscription,
  mayRead,
  mayWrite,
  readSubscription,
  SubscriptionPath,
  subscription,
} from '../subscriptions/subscription.ts'
import { addSigningKey, findSigningKey, keyStands, retireKey, signingKeyList } from './signing-key.store.ts'
import { KeyLabel, SigningKey, type SigningKeyRow } from './signing-key.ts'

export const listSigningKeys = defineOperation({
  id: 'webhooks.list_signing_keys',
  summary: 'List the signing keys of a subscription, without their values',
  description: 'Newest first, retired ones included. The state follows from the times.',
  method: 'GET',
  path: '/webhooks/:webhook_id/signing-keys',
  ...mayRead,
  input: Closed({ ...SubscriptionPath, ...PageInput }),
  output: PageOf(SigningKey),

  async handle({ webhook_id }, { caller, tx, page }) {
    await readSubscription(tx, caller, webhook_id)
    return page(signingKeyList(caller, webhook_id), (row: SigningKeyRow) => row)
  },
})

const ahead_days_max = 7
const overlap_hours_max = 168
const live_keys_max = 2

export const rotateSigningKey = defineOperation({
  id: 'webhooks.rotate_signing_key',
  summary: 'Give a subscription a new signing key',
  description:
    'The key is in this answer and in no other. From now until the old key retires `webhook-signature` carries the signatures of both; the `x-service-*` pair changes to the new key when it becomes active.',
  method: 'POST',
  path: '/webhooks/:webhook_id/signing-keys',
  ...mayWrite,
  input: Closed({
    ...SubscriptionPath,
    label: Type.Optional(KeyLabel),
    activate_at: Type.Optional({
      ...Timestamp,
      description: `When the new key takes over, at most ${ahead_days_max} days ahead. Default now.`,
    } as typeof Timestamp),
    overlap_hours: Type.Integer({
      minimum: 0,
      maximum: overlap_hours_max,
      default: 24,
      description: 'Hours that the old key goes on signing beside the new one, counted from the activation.',
    }),
  }),
  output: Type.Object({ ...SigningKey.properties, signing_key: ShownOnce('Verifies signatures.') }),
  status: 201,
  location: (_, { webhook_id }) => `/webhooks/${webhook_id}/signing-keys`,
  problems: [rotationOpen, labelInUse],
  reveals_secret: {
    field: 'signing_key',
    stands: ({ label }, { tx, caller }) => keyStands(tx, caller, label),
  },

  async handle({ webhook_id, label, activate_at = null, overlap_hours }, { caller, tx, secrets, audit }) {
    const row = await lockSubscription(tx, caller, webhook_id)
    if (activate_at) refuseOutside(activate_at, tx.now)
    if (row.signing_keys.filter(({ state }) => state !== 'retired').length >= live_keys_max) throw rotationOpen()
    const wish = { label, label_field: 'label', activates_at: activate_at, overlap_hours }
    const added = await addSigningKey(tx, secrets, caller, webhook_id, wish)
    await subscription.save(tx, row, row)
    audit({ id: webhook_id, changed_fields: ['signing_keys'] })
    return added
  },
})

/** Engine time decides, as it does when the key is chosen. */
function refuseOutside(activate_at: string, now: string): void {
  const ahead_ms = Date.parse(activate_at) - Date.parse(now)
  if (ahead_ms >= 0 && ahead_ms <= ahead_days_max * 86_400_000) return
  const message = ahead_ms < 0 ? 'lies in the past' : `lies more than ${ahead_days_max} days ahead`
  throw fieldRefused('/activate_at', message)
}

export const deleteSigningKey = defineOperation({
  id: 'webhooks.delete_signing_key',
  summary: 'Retire a signing key at once',
  description:
    'For a key that is next or previous: its value is destroyed. Without its successor the primary key stays primary. A retired key stays in the list.',
  method: 'DELETE',
  path: '/webhooks/:webhook_id/signing-keys/:label',
  ...mayWrite,
  input: Closed({ ...SubscriptionPath, label: KeyLabel }),
  output: Type.Null(),
  status: 204,
  problems: [keyIsPrimary],

  async handle({ webhook_id, label }, { caller, tx, audit }) {
    const row = await lockSubscription(tx, caller, webhook_id)
    const key = await findSigningKey(tx, caller, webhook_id, label)
    if (!key) throw notFound()
    if (key.state === 'primary') throw keyIsPrimary()
    audit({ id: webhook_id, changed_fields: ['signing_keys'] })
    if (key.state === 'retired') return null
    await retireKey(tx, caller, webhook_id, key)
    await subscription.save(tx, row, row)
    return null
  },
})
