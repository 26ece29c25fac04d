import type { Session } from '#identity/sessions/index.ts'
import type { Addresses } from '../addresses.ts'
import type { Client, Clients } from '../clients/client.ts'
import { matchesRedirectUri } from '../clients/redirect-uri.ts'
import type { OAuthRequest } from '../oauth-endpoint.ts'
import { OAuthError } from '../oauth-error.ts'
import type { NewRequest } from './authorization-request.store.ts'
import {
  challengeIn,
  checkGrantType,
  checkRequestObject,
  checkResponseMode,
  checkResponseType,
  requestedResource,
  requestedScopes,
  stateIn,
} from './checks.ts'

/** Who asks, and where the answer may be sent: known before anything is told to anybody but the user. */
export interface Sender {
  client: Client
  redirect_uri: string
}

export interface SenderParts {
  clients: Clients
  /** Organizations of these that blocked the client. */
  blockedIn(client_id: string, organization_ids: string[]): Promise<string[]>
}

/**
 * The first checks (RFC 6749 §4.1.2.1): client, redirect URI. What fails here is shown to the user and sent nowhere, since
 * it is not known to whom it would go.
 */
export async function readSender(
  { clients, blockedIn }: SenderParts,
  { parameters, network }: OAuthRequest,
  session: Session | null,
): Promise<Sender> {
  const client = await clients.find(parameters.require('client_id'), network)
  if (!client) throw new OAuthError('invalid_request', 'client_id: the application is not known here')
  const own = [...(session?.memberships ?? []), ...(session?.workers ?? [])].map((place) => place.organization_id)
  if (own.length > 0 && (await blockedIn(client.client_id, own)).length === new Set(own).size) {
    throw new OAuthError('invalid_request', 'client_id: your organization blocked the application')
  }
  const redirect_uri = parameters.require('redirect_uri')
  if (!matchesRedirectUri(client.redirect_uris, redirect_uri)) {
    throw new OAuthError('invalid_request', 'redirect_uri: is not an address that the application registered')
  }
  return { client, redirect_uri }
}

/** The other checks in their order; what fails here travels to the client. */
export function readRequest(
  { client, redirect_uri }: Sender,
  { parameters }: OAuthRequest,
  addresses: Addresses,
): Omit<NewRequest, 'digest'> {
  const state = stateIn(parameters)
  checkResponseMode(parameters)
  checkRequestObject(parameters)
  checkResponseType(parameters)
  checkGrantType(client)
  return {
    client_id: client.client_id,
    redirect_uri,
    state,
    code_challenge: challengeIn(parameters),
    scopes: requestedScopes(parameters, client),
    resource: requestedResource(parameters, client, addresses),
  }
}
