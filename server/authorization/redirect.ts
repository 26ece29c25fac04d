import type { OAuthErrorCode } from './oauth-error.ts'

/** What is sent to a client by way of the browser (RFC 6749 §4.1.2): a code or an error, in either case with its origin. */
export interface AuthorizationResponse {
  code?: string
  error?: OAuthErrorCode
  error_description?: string
}

/** Where a response to an authorization request goes. */
export interface ReturnAddress {
  redirect_uri: string
  state: string | null
  /** RFC 9207: lets a client with several servers notice that an answer comes from another one. */
  issuer: string
}

/** The redirect URI with the response appended; a query of its own is kept as it is. */
export function redirectTo({ redirect_uri, state, issuer }: ReturnAddress, response: AuthorizationResponse): string {
  const members = { ...response, state: state ?? undefined, iss: issuer }
  const query = Object.entries(members)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]))
    .join('&')
  const joint = redirect_uri.includes('?') ? (/[?&]$/.test(redirect_uri) ? '' : '&') : '?'
  return `${redirect_uri}${joint}${query}`
}
