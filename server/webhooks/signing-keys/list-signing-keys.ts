import { defineOperation } from '#core/operation.ts'
import { notFound } from '#core/problems/problems.ts'
import { Closed, PageInput, PageOf } from '#core/schema/schema.ts'
import { findSubscription } from '../subscriptions/subscription.store.ts'
import { SigningKey, SubscriptionPath } from '../subscriptions/subscription.ts'
import { type SigningKeyRow, signingKeyList } from './signing-key.store.ts'

export const listSigningKeys = defineOperation({
  id: 'webhooks.list_signing_keys',
  summary: 'List the signing keys of a subscription, without their values',
  description: 'Newest first, retired ones included. The state follows from the times.',
  method: 'GET',
  path: '/webhooks/:webhook_id/signing-keys',
  scopes: ['webhooks:read'],
  roles: ['owner', 'admin', 'developer', 'viewer'],
  input: Closed({ ...SubscriptionPath, ...PageInput }),
  output: PageOf(SigningKey),

  async handle({ webhook_id }, { caller: { organization_id }, tx, page }) {
    if (!(await findSubscription(tx, organization_id, webhook_id))) throw notFound()
    return page(signingKeyList(organization_id, webhook_id), (row: SigningKeyRow) => row)
  },
})
