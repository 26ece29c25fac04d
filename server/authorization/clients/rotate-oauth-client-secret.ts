import { defineOperation } from '#core/operation.ts'
import { invalidState, notFound, sensitiveDataRequired } from '#core/problems/problems.ts'
import { Closed, Type } from '#core/schema/schema.ts'
import { tokenRoles } from '#identity/api-tokens/rights.ts'
import { secretMethods } from './auth-methods.ts'
import { boundTo } from './client-power.ts'
import { newClientSecret, revealedSecret } from './new-client-secret.ts'
import { changeManagedClient, findClientOf, lockClient } from './oauth-client.store.ts'
import { ClientPath, oauthClientOf, RevealedClient } from './oauth-client.ts'
import { retireSecrets } from './secret.store.ts'

export const rotateOauthClientSecret = defineOperation({
  id: 'oauth_clients.rotate_secret',
  summary: 'Replace the secret of an OAuth client',
  description: 'Both work until the overlap ends, so that the client can change over without a gap.',
  method: 'POST',
  path: '/oauth-clients/:client_id/secret',
  scopes: ['tokens:write'],
  roles: tokenRoles,
  input: Closed({
    ...ClientPath,
    overlap_s: Type.Integer({
      minimum: 0,
      maximum: 604_800,
      default: 3_600,
      description: 'Seconds the old secret stays valid.',
    }),
  }),
  output: RevealedClient,
  status: 201,
  location: ({ client_id }) => `/oauth-clients/${client_id}`,
  problems: [invalidState, sensitiveDataRequired],
  reveals_secret: revealedSecret,

  async handle({ client_id, overlap_s }, { caller, tx, secrets }) {
    const { organization_id, is_sandbox } = caller
    await lockClient(tx, client_id)
    const row = await findClientOf(tx, organization_id, client_id)
    if (!row) throw notFound()
    const isShared = row.auth_methods.some((method) => secretMethods.includes(method))
    if (row.kind !== 'managed' || !isShared) throw invalidState('The client has no secret that could be replaced.')
    await changeManagedClient(tx, { ...row, ...(await boundTo(tx, caller, row)) })
    await retireSecrets(tx, client_id, overlap_s)
    const client_secret = await newClientSecret(tx, secrets, { client_id, is_sandbox })
    return { ...oauthClientOf((await findClientOf(tx, organization_id, client_id)) ?? row), client_secret }
  },
})
