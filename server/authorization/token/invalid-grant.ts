import { OAuthError } from '../oauth-error.ts'

/**
 * One text for everything that can be wrong with a code or a refresh token: unknown, expired, used and revoked ones must
 * not be told apart (RFC 6749 §10.10).
 */
export function invalidGrant(name: 'code' | 'refresh_token'): OAuthError {
  return new OAuthError('invalid_grant', `${name}: is not valid, has expired or was used already`)
}
