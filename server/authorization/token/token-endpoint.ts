import type { OAuthEndpoint } from '../oauth-endpoint.ts'
import { OAuthError } from '../oauth-error.ts'
import { exchangeClientCredentials } from './exchange-client-credentials.ts'
import { exchangeCode } from './exchange-code.ts'
import { exchangeRefreshToken } from './exchange-refresh-token.ts'
import type { Exchange, ExchangeParts } from './grant-exchange.ts'

const exchanges = new Map<string, Exchange>([
  ['authorization_code', exchangeCode],
  ['refresh_token', exchangeRefreshToken],
  ['client_credentials', exchangeClientCredentials],
])

/** The token endpoint (RFC 6749 §3.2): grant type, client, then what the grant type asks for. */
export function tokenEndpoint({ clients, ...parts }: ExchangeParts): OAuthEndpoint {
  return {
    operation: 'oauth.token',
    method: 'POST',
    path: '/oauth/token',
    cors: true,
    async handle(request) {
      const exchange = exchanges.get(request.parameters.require('grant_type'))
      if (!exchange) throw new OAuthError('unsupported_grant_type', 'grant_type: is not supported')
      const authenticated = await clients.authenticate(request)
      try {
        return { status: 200, body: await exchange({ ...parts, clients }, request, authenticated) }
      } catch (error) {
        if (error instanceof OAuthError && error.status < 500) clients.noteRefusal(authenticated, request.network)
        // Guessing codes and tokens is counted like guessing secrets.
        if (error instanceof OAuthError && error.code === 'invalid_grant') {
          clients.noteFailure(authenticated.client.client_id, request.network)
        }
        throw error
      }
    },
  }
}
