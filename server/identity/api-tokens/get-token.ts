import { defineOperation } from '#core/operation.ts'
import { notFound } from '#core/problems/problems.ts'
import { Closed } from '#core/schema/schema.ts'
import { findToken } from '../token.store.ts'
import { ApiToken, apiTokenOf, TokenPath } from './api-token.ts'
import { usersOwnOnly } from './rights.ts'

export const getToken = defineOperation({
  id: 'api_tokens.get',
  summary: 'Get an API token, without its value',
  method: 'GET',
  path: '/api-tokens/:api_token_id',
  description: 'Takes `tokens:read`. Without it, a user sees their own personal tokens; an app sees none.',
  scopes: [],
  scopes_for_others: ['tokens:read'],
  input: Closed(TokenPath),
  output: ApiToken,

  lock: ({ api_token_id }, { caller, tx }) => findToken(tx, caller.organization_id, api_token_id, true),

  async handle({ api_token_id }, { caller, tx }) {
    const user_id = usersOwnOnly(caller)
    const row = await findToken(tx, caller.organization_id, api_token_id)
    if (!row || (user_id && row.user_id !== user_id)) throw notFound()
    return apiTokenOf(row)
  },
})
