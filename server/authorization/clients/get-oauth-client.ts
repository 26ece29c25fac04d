import { defineOperation } from '#core/operation.ts'
import { notFound } from '#core/problems/problems.ts'
import { Closed } from '#core/schema/schema.ts'
import { tokenRoles } from '#identity/api-tokens/rights.ts'
import { findClientOf, lockClient } from './oauth-client.store.ts'
import { ClientPath, OAuthClient, oauthClientOf } from './oauth-client.ts'

export const getOauthClient = defineOperation({
  id: 'oauth_clients.get',
  summary: 'Get an OAuth client, without its secrets',
  description: 'One of others is found once it was given a permission or a verdict here.',
  method: 'GET',
  path: '/oauth-clients/:client_id',
  scopes: ['tokens:read'],
  roles: tokenRoles,
  input: Closed(ClientPath),
  output: OAuthClient,

  lock: ({ client_id }, { tx }) => lockClient(tx, client_id),

  async handle({ client_id }, { caller, tx }) {
    const row = await findClientOf(tx, caller.organization_id, client_id)
    if (!row) throw notFound()
    return oauthClientOf(row)
  },
})
