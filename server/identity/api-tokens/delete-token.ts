import { holdsScope } from '#core/caller.ts'
import { defineOperation } from '#core/operation.ts'
import { insufficientScope, notFound } from '#core/problems.ts'
import { Closed, Type } from '#core/schema.ts'
import { findToken, revokeTokens } from '../token.store.ts'
import { TokenPath } from './api-token.ts'
import { apiTokenRevoked, credentialOf } from './events.ts'

export const deleteToken = defineOperation({
  id: 'api_tokens.delete',
  summary: 'Revoke an API token and what was created with it',
  description: 'Takes effect for every request that begins afterwards. A token may always revoke itself.',
  method: 'DELETE',
  path: '/api-tokens/:api_token_id',
  scopes: [],
  input: Closed(TokenPath),
  output: Type.Null(),
  status: 204,
  emits: [apiTokenRevoked],

  async handle({ api_token_id }, { caller, tx, emit, audit }) {
    const own = caller.credential_id === api_token_id
    if (!own && !holdsScope(caller, 'tokens:write')) {
      throw insufficientScope(undefined, { members: { required_scopes: ['tokens:write'] } })
    }
    const found = await findToken(tx, caller.organization_id, api_token_id, true)
    if (!found) throw notFound()
    for (const ended of await revokeTokens(tx, caller.organization_id, api_token_id, caller.actor)) {
      emit(apiTokenRevoked, credentialOf(ended))
    }
    audit({ id: api_token_id })
    return null
  },
})
