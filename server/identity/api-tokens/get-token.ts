import { defineOperation } from '#core/operation.ts'
import { notFound } from '#core/problems.ts'
import { Closed } from '#core/schema.ts'
import { findToken } from '../token.store.ts'
import { ApiToken, apiTokenOf, TokenPath } from './api-token.ts'
import { tokenRoles } from './rights.ts'

export const getToken = defineOperation({
  id: 'api_tokens.get',
  summary: 'Get an API token, without its value',
  method: 'GET',
  path: '/api-tokens/:api_token_id',
  scopes: ['tokens:read'],
  roles: tokenRoles,
  input: Closed(TokenPath),
  output: ApiToken,

  async handle({ api_token_id }, { caller, tx }) {
    const row = await findToken(tx, caller.organization_id, api_token_id)
    if (!row) throw notFound()
    return apiTokenOf(row)
  },
})
