import { defineOperation } from '#core/operation.ts'
import { Closed, PageInput, PageOf } from '#core/schema/schema.ts'
import { usersOwnOnly } from '#identity/api-tokens/rights.ts'
import { grantList } from './grant.store.ts'
import { OAuthGrant, oauthGrantOf } from './grant.ts'

export const listGrants = defineOperation({
  id: 'oauth_grants.list',
  summary: 'List connected apps',
  description:
    'Each is one permission that a user or the organization gave to a client. Takes `tokens:read`. Without it, a user sees their own; an app sees none.',
  method: 'GET',
  path: '/oauth-grants',
  scopes: [],
  scopes_for_others: ['tokens:read'],
  input: Closed(PageInput),
  output: PageOf(OAuthGrant),

  handle: (_, { caller, page }) => page(grantList(caller.organization_id, usersOwnOnly(caller)), oauthGrantOf),
})
