import { defineOperation } from '#core/operation.ts'
import { Closed, PageInput, PageOf } from '#core/schema/schema.ts'
import { mayRead, readSubscription, SubscriptionPath } from '../subscriptions/subscription.ts'
import { signingKeyList } from './signing-key.store.ts'
import { SigningKey, type SigningKeyRow } from './signing-key.ts'

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
