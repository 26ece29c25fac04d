import type { Runtime } from '#core/runtime.ts'
import type { Addresses } from '../addresses.ts'
import type { AuthenticatedClient, Clients } from '../clients/client.ts'
import type { OAuthRequest } from '../oauth-endpoint.ts'
import type { TokenAnswer } from './issue-tokens.ts'

export interface ExchangeParts {
  runtime: Runtime
  addresses: Addresses
  clients: Clients
}

/** One way to get tokens: the work of a grant type, after its client has proven who it is. */
export type Exchange = (
  parts: ExchangeParts,
  request: OAuthRequest,
  authenticated: AuthenticatedClient,
) => Promise<TokenAnswer>
