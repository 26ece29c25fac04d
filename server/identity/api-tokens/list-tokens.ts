import { defineOperation } from '#core/operation.ts'
import { Closed, PageInput, PageOf, SetOf, Timestamp, Type } from '#core/schema/schema.ts'
import { tokenList } from '../token.store.ts'
import { ApiToken, apiTokenOf } from './api-token.ts'
import { usersOwnOnly } from './rights.ts'

export const listTokens = defineOperation({
  id: 'api_tokens.list',
  summary: 'List API tokens',
  method: 'GET',
  path: '/api-tokens',
  description: 'Takes `tokens:read`. Without it, a user sees their own personal tokens; an app sees none.',
  scopes: [],
  scopes_for_others: ['tokens:read'],
  input: Closed({
    ...PageInput,
    types: Type.Optional(SetOf(Type.Enum(['organization', 'personal']))),
    expiring_before: Type.Optional(Timestamp),
    unused_since: Type.Optional(Timestamp),
  }),
  output: PageOf(ApiToken),

  handle: (filter, { caller, page }) =>
    page(tokenList(caller.organization_id, { ...filter, user_id: usersOwnOnly(caller) }), apiTokenOf),
})
