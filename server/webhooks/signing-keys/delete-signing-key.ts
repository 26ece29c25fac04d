import { defineOperation } from '#core/operation.ts'
import { notFound } from '#core/problems.ts'
import { Closed, Type } from '#core/schema/schema.ts'
import { keyIsPrimary } from '../problems.ts'
import { noteKeyChange } from '../subscriptions/subscription.store.ts'
import { lockSubscription, mayWrite, SubscriptionPath } from '../subscriptions/subscription.ts'
import { findSigningKey, retireKey } from './signing-key.store.ts'
import { KeyLabel } from './signing-key.ts'

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
    await lockSubscription(tx, caller, webhook_id)
    const key = await findSigningKey(tx, caller, webhook_id, label)
    if (!key) throw notFound()
    if (key.state === 'primary') throw keyIsPrimary()
    audit({ id: webhook_id, changed_fields: ['signing_keys'] })
    if (key.state === 'retired') return null
    await retireKey(tx, caller, webhook_id, key)
    await noteKeyChange(tx, caller, webhook_id)
    return null
  },
})
