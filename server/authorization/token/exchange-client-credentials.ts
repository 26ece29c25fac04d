import { newId } from '#core/values/id.ts'
import type { Addresses, Resource } from '../addresses.ts'
import { organizationsBlocking } from '../authorize/authorization-request.store.ts'
import { isCovered } from '../authorize/checks.ts'
import type { Client } from '../clients/client.ts'
import { lockedClient } from '../clients/oauth-client.store.ts'
import { invalidClient } from '../clients/presented-credentials.ts'
import { isSandbox } from '../grants/grant.store.ts'
import { standingGrant } from '../grants/standing-grant.ts'
import { OAuthError } from '../oauth-error.ts'
import type { Parameters } from '../parameters.ts'
import { resourceIn } from '../resource-parameter.ts'
import { scopesIn } from '../scope-text.ts'
import type { Exchange } from './grant-exchange.ts'
import { issueAccessToken } from './issue-tokens.ts'

/** A client acts for the organization that made it (RFC 6749 §4.4): an access token and no refresh token. */
export const exchangeClientCredentials: Exchange = async ({ runtime, addresses }, request, { client, method }) => {
  const { parameters } = request
  const { organization_id, client_id } = client
  const isOpen = client.kind === 'managed' && organization_id && client.grant_types.includes('client_credentials')
  if (!isOpen || method === 'none') {
    throw new OAuthError('unauthorized_client', 'grant_type: is not open to this client')
  }
  if ((await organizationsBlocking(runtime.database, client_id, [organization_id])).length > 0) {
    throw new OAuthError('unauthorized_client', 'client: was blocked by its organization')
  }
  return runtime.database.transaction({ role: 'app', organization_id }, async (tx) => {
    // It proved who it is before: what was taken from it since then is gone, and who takes something now waits.
    const current = await lockedClient(tx, organization_id, client_id)
    if (!current || (current.expires_at !== null && current.expires_at <= tx.now)) throw invalidClient()
    const resource = resourceFor(current, parameters, addresses)
    const scopes = scopesFor(current, parameters)
    const grant = {
      organization_id,
      client_id,
      client_name: current.name,
      resource,
      user_id: null,
      person_id: null,
      redirect_host: null,
      scopes: current.scopes ?? [],
      sensitive_data: current.sensitive_data,
      ends_at: current.expires_at,
    }
    const { id: grant_id, ends_at } = await standingGrant(tx, { ...grant, id: newId(runtime.clock.now()) }, request)
    const is_sandbox = await isSandbox(tx, organization_id)
    return issueAccessToken(runtime, tx, { grant: { ...grant, grant_id, ends_at }, scopes, is_sandbox })
  })
}

function resourceFor(client: Pick<Client, 'resources'>, parameters: Parameters, addresses: Addresses): Resource {
  const resource = resourceIn(parameters, addresses) ?? client.resources[0] ?? 'rest'
  if (!client.resources.includes(resource)) {
    throw new OAuthError('invalid_target', 'resource: is not one of the client')
  }
  return resource
}

function scopesFor({ scopes }: Pick<Client, 'scopes'>, parameters: Parameters): string[] {
  const own = scopes ?? []
  const wished = scopesIn(parameters.get('scope') ?? '')
  if (own.length === 0 || !wished?.every((scope) => isCovered(scope, own))) {
    throw new OAuthError('invalid_scope', 'scope: is beyond what the client was given')
  }
  return wished.length > 0 ? wished : own
}
