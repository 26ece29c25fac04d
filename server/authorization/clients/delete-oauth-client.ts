import { defineOperation } from '#core/operation.ts'
import { invalidState, notFound } from '#core/problems/problems.ts'
import { Closed, Type } from '#core/schema/schema.ts'
import { emitEnded, endingEvents } from '#identity/api-tokens/events.ts'
import { tokenRoles } from '#identity/api-tokens/rights.ts'
import { endCredential } from '#identity/end-credentials.ts'
import { deleteManagedClient, findClientOf, lockClient } from './oauth-client.store.ts'
import { ClientPath } from './oauth-client.ts'

export const deleteOauthClient = defineOperation({
  id: 'oauth_clients.delete',
  summary: 'Delete an OAuth client of this organization, with every permission it has',
  method: 'DELETE',
  path: '/oauth-clients/:client_id',
  scopes: ['tokens:write'],
  roles: tokenRoles,
  input: Closed(ClientPath),
  output: Type.Null(),
  status: 204,
  problems: [invalidState],
  emits: endingEvents,

  async handle({ client_id }, { caller, tx, emit }) {
    const { organization_id, actor: by } = caller
    await lockClient(tx, client_id)
    const row = await findClientOf(tx, organization_id, client_id)
    if (!row) throw notFound()
    if (row.kind !== 'managed') throw invalidState('A client of others can be blocked, not deleted.')
    emitEnded(emit, await endCredential(tx, { client_id }, { organization_id, by, reason: 'client_deleted' }))
    await deleteManagedClient(tx, organization_id, client_id)
    return null
  },
})
