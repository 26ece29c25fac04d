import { defineOperation } from '#core/operation.ts'
import { notFound } from '#core/problems/problems.ts'
import { Closed, Type } from '#core/schema/schema.ts'
import { keyIsPrimary } from '../problems.ts'
import { lockSubscription } from '../subscriptions/subscription.store.ts'
import { KeyLabel, SubscriptionPath } from '../subscriptions/subscription.ts'
import { findSigningKey, noteKeyChange, retireKey } from './signing-key.store.ts'

export const deleteSigningKey = defineOperation({
  id: 'webhooks.delete_signing_key',
  summary: 'Retire a signing key at once',
  description:
    'For a key that is next or previous: its value is destroyed. Without its successor the primary key stays primary. A retired key stays in the list.',
  method: 'DELETE',
  path: '/webhooks/:webhook_id/signing-keys/:label',
  scopes: ['webhooks:write'],
  roles: ['owner', 'admin', 'developer'],
  input: Closed({ ...SubscriptionPath, label: KeyLabel }),
  output: Type.Null(),
  status: 204,
  problems: [keyIsPrimary],

  async handle({ webhook_id, label }, { caller: { organization_id }, tx, audit }) {
    if (!(await lockSubscription(tx, organization_id, webhook_id))) throw notFound()
    const key = await findSigningKey(tx, organization_id, webhook_id, label)
    if (!key) throw notFound()
    if (key.state === 'primary') throw keyIsPrimary()
    audit({ id: webhook_id, changed_fields: ['signing_keys'] })
    if (key.state === 'retired') return null
    await retireKey(tx, organization_id, webhook_id, label, key.state === 'next')
    await noteKeyChange(tx, organization_id, webhook_id)
    return null
  },
})
