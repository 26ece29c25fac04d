import { authorise } from '#core/authorise.ts'
import { defineOperation } from '#core/operation.ts'
import { notFound } from '#core/problems/problems.ts'
import { Closed, Type } from '#core/schema/schema.ts'
import { emitEnded, endingEvents } from '#identity/api-tokens/events.ts'
import { ownUser, tokenRoles } from '#identity/api-tokens/rights.ts'
import { endCredential } from '#identity/end-credentials.ts'
import { findGrant } from './grant.store.ts'
import { GrantPath } from './grant.ts'

export const deleteGrant = defineOperation({
  id: 'oauth_grants.delete',
  summary: 'Disconnect an app',
  description:
    'Ends the permission with every token of it and what was created with them, for every request that begins afterwards. A user may always end the own ones, and an app its own; others of the user with `tokens:write`.',
  method: 'DELETE',
  path: '/oauth-grants/:grant_id',
  scopes: [],
  scopes_for_others: ['tokens:write'],
  input: Closed(GrantPath),
  output: Type.Null(),
  status: 204,
  emits: endingEvents,

  async handle({ grant_id }, { caller, tx, emit, audit }) {
    const { organization_id, actor } = caller
    const found = await findGrant(tx, organization_id, grant_id)
    const own = caller.grant_id === grant_id || (found?.user_id && found.user_id === ownUser(caller, 'tokens:write'))
    if (!own) authorise(caller, { scopes: ['tokens:write'], roles: tokenRoles })
    if (!found) throw notFound()
    emitEnded(emit, await endCredential(tx, { grant_id }, { organization_id, by: actor, reason: 'revoked' }))
    audit({ id: grant_id })
    return null
  },
})
