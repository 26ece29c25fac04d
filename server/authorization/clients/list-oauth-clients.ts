import { defineOperation } from '#core/operation.ts'
import { Closed, PageInput, PageOf, SetOf, Type } from '#core/schema/schema.ts'
import { tokenRoles } from '#identity/api-tokens/rights.ts'
import { clientList } from './oauth-client.store.ts'
import { OAuthClient, oauthClientOf, verdicts } from './oauth-client.ts'

export const listOauthClients = defineOperation({
  id: 'oauth_clients.list',
  summary: 'List OAuth clients',
  description: 'Those of this organization, and those of others that were given a permission or a verdict here.',
  method: 'GET',
  path: '/oauth-clients',
  scopes: ['tokens:read'],
  roles: tokenRoles,
  input: Closed({
    ...PageInput,
    kinds: Type.Optional(SetOf(Type.Enum(['dynamic', 'document', 'managed']), { description: 'Any of these kinds.' })),
    verdicts: Type.Optional(SetOf(Type.Enum([...verdicts]), { description: 'Any of these verdicts.' })),
  }),
  output: PageOf(OAuthClient),

  handle: (filter, { caller, page }) => page(clientList(caller.organization_id, filter), oauthClientOf),
})
