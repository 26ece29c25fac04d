import { defineOperation } from '#core/operation.ts'
import { sensitiveDataRequired } from '#core/problems/problems.ts'
import { tokenRoles } from '#identity/api-tokens/rights.ts'
import { type AuthMethod, type GrantType, secretMethods } from './auth-methods.ts'
import { boundTo } from './client-power.ts'
import { keptKeySet } from './key-set.ts'
import { refuseUnfit } from './managed-rules.ts'
import { newClientId } from './new-client-id.ts'
import { newClientSecret, revealedSecret } from './new-client-secret.ts'
import { findClientOf, insertManagedClient } from './oauth-client.store.ts'
import { NewClientInput, oauthClientOf, RevealedClient } from './oauth-client.ts'

export const createOauthClient = defineOperation({
  id: 'oauth_clients.create',
  summary: 'Create an OAuth client of this organization',
  description:
    'The secret is in this answer and in no other. A client never has more rights or a later end than its maker; what a person makes in the console stays.',
  method: 'POST',
  path: '/oauth-clients',
  scopes: ['tokens:write'],
  roles: tokenRoles,
  input: NewClientInput,
  output: RevealedClient,
  status: 201,
  problems: [sensitiveDataRequired],
  reveals_secret: revealedSecret,

  async handle({ token_endpoint_auth_method, description, jwks, jwks_uri, ...fields }, { caller, tx, secrets }) {
    const { organization_id, is_sandbox, actor } = caller
    const client_id = newClientId()
    const client = {
      ...fields,
      client_id,
      organization_id,
      description: description ?? null,
      grant_types: withRefreshing(fields.grant_types as GrantType[]),
      auth_methods: [token_endpoint_auth_method as AuthMethod],
      scopes: fields.scopes,
      sensitive_data: fields.sensitive_data,
      jwks: jwks ?? null,
      jwks_uri: jwks_uri ?? null,
      created_by: actor,
      parent_token_id: null,
      parent_grant_id: null,
      expires_at: null,
    }
    refuseUnfit(client)
    const bounds = await boundTo(tx, caller, client)
    await insertManagedClient(tx, { ...client, ...bounds, jwks: jwks ? keptKeySet(jwks) : null })
    const isShared = client.auth_methods.some((method) => secretMethods.includes(method))
    const client_secret = isShared ? await newClientSecret(tx, secrets, { client_id, is_sandbox }) : null
    const row = await findClientOf(tx, organization_id, client_id)
    if (!row) throw new Error('the client was not written')
    return { ...oauthClientOf(row), client_secret }
  },
})

/** Whoever gets a code gets a refresh token with it (interface specification 5.2). */
function withRefreshing(types: readonly GrantType[]): GrantType[] {
  return types.includes('authorization_code') ? [...types, 'refresh_token'] : [...types]
}
