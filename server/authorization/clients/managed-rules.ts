import type { FieldError } from '#core/problems/problem.ts'
import { validationFailed } from '#core/problems/problems.ts'
import { unstorable } from '#core/values/storable.ts'
import type { Client } from './client.ts'
import { faultOfKeySet } from './key-set.ts'
import { faultOfRedirectUri } from './redirect-uri.ts'

type Rules = Pick<Client, 'grant_types' | 'redirect_uris' | 'auth_methods' | 'jwks_uri' | 'scopes'> & {
  jwks: object | null
}

/** Refuses a managed client whose parts do not fit each other, naming every field at once. */
export function refuseUnfit(client: Rules): void {
  const errors = [...redirectErrors(client), ...methodErrors(client), ...keyErrors(client), ...scopeErrors(client)]
  if (errors.length > 0) throw validationFailed(undefined, { errors })
}

function redirectErrors({ grant_types, redirect_uris }: Rules): FieldError[] {
  const forUsers = grant_types.includes('authorization_code')
  if (forUsers && redirect_uris.length === 0) return [at('/redirect_uris', 'needs an entry for authorization_code')]
  if (!forUsers && redirect_uris.length > 0) return [at('/redirect_uris', 'is of no use without authorization_code')]
  return redirect_uris.flatMap((uri, index) => {
    const fault = faultOfRedirectUri(uri)
    return fault ? [at(`/redirect_uris/${index}`, fault)] : []
  })
}

function methodErrors({ grant_types, auth_methods }: Rules): FieldError[] {
  // RFC 6749 §4.4: who acts for itself has to prove who it is.
  const isOpen = auth_methods.includes('none') && grant_types.includes('client_credentials')
  return isOpen ? [at('/token_endpoint_auth_method', 'must not be none for client_credentials')] : []
}

function keyErrors({ auth_methods, jwks, jwks_uri }: Rules): FieldError[] {
  if (!auth_methods.includes('private_key_jwt')) {
    return jwks || jwks_uri ? [at(jwks ? '/jwks' : '/jwks_uri', 'is of no use without private_key_jwt')] : []
  }
  if (jwks && jwks_uri) return [at('/jwks', 'must not stand beside jwks_uri')]
  if (jwks_uri) return isKeyAddress(jwks_uri) ? [] : [at('/jwks_uri', 'must be an https address without fragment')]
  if (!jwks) return [at('/jwks', 'or jwks_uri is needed for private_key_jwt')]
  const fault = faultOfKeySet(jwks)
  return fault ? [at('/jwks', fault)] : []
}

export function isKeyAddress(uri: string): boolean {
  const url = /^https:\/\/[^\s#]+$/.test(uri) && unstorable(uri, 1).length === 0 ? URL.parse(uri) : null
  return url !== null && url.username === '' && url.password === ''
}

/** Provisioning is the organization's: no user can allow it to a client (design 2). */
function scopeErrors({ grant_types, scopes }: Rules): FieldError[] {
  const hasProvisioning = scopes?.some((scope) => scope.startsWith('scim:')) ?? false
  if (!hasProvisioning || grant_types.includes('client_credentials')) return []
  return [at('/scopes', 'can hold scim:read and scim:write for client_credentials only')]
}

const at = (pointer: string, message: string): FieldError => ({ pointer, message })
