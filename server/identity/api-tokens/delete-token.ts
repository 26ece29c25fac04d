import { authorise } from '#core/authorise.ts'
import { defineOperation } from '#core/operation.ts'
import { notFound } from '#core/problems/problems.ts'
import { Closed, Type } from '#core/schema/schema.ts'
import { endCredential } from '../end-credentials.ts'
import { findToken } from '../token.store.ts'
import { TokenPath } from './api-token.ts'
import { emitEnded, endingEvents } from './events.ts'
import { ownUser, tokenRoles } from './rights.ts'

export const deleteToken = defineOperation({
  id: 'api_tokens.delete',
  summary: 'Revoke an API token and what was created with it',
  description:
    'Takes effect for every request that begins afterwards. A token may always revoke itself, and a user its own ones; an app needs `tokens:write` for those.',
  method: 'DELETE',
  path: '/api-tokens/:api_token_id',
  scopes: [],
  scopes_for_others: ['tokens:write'],
  input: Closed(TokenPath),
  output: Type.Null(),
  status: 204,
  emits: endingEvents,

  async handle({ api_token_id }, { caller, tx, emit, audit }) {
    const found = await findToken(tx, caller.organization_id, api_token_id, true)
    const own =
      caller.credential_id === api_token_id || (found?.user_id && found.user_id === ownUser(caller, 'tokens:write'))
    if (!own) authorise(caller, { scopes: ['tokens:write'], roles: tokenRoles })
    if (!found) throw notFound()
    const ending = { organization_id: caller.organization_id, by: caller.actor, reason: 'revoked' }
    emitEnded(emit, await endCredential(tx, { token_id: api_token_id }, ending))
    audit({ id: api_token_id })
    return null
  },
})
