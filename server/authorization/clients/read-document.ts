import { OAuthError } from '../oauth-error.ts'
import { knownScopesIn } from '../scope-text.ts'
import { type AuthMethod, type GrantType, secretMethods } from './auth-methods.ts'
import { clientKeys } from './client-keys.ts'
import type { ClientMetadata, Fields } from './client-metadata.ts'
import {
  clientName,
  invalidMetadata,
  isTexts,
  oneOf,
  optional,
  redirectUris,
  textOf,
  webAddress,
} from './metadata-fields.ts'

const description_characters_max = 1_000

/**
 * Reads a client's document (CIMD §4). What says who the client is and where it is sent back must be right; of what else
 * it lists, what we know counts, since one document serves many servers.
 */
export function readDocument(fields: Fields, client_id: string): ClientMetadata {
  if (optional(fields, 'client_id') !== client_id)
    throw invalidMetadata('client_id', 'must be the address of the document')
  const auth_methods = documentMethods(fields)
  const scope = optional(fields, 'scope')
  const scopes = typeof scope === 'string' ? knownScopesIn(scope) : []
  return {
    client_name: clientName(fields),
    redirect_uris: redirectUris(fields),
    grant_types: documentGrants(fields),
    auth_methods,
    code_challenge_method: null,
    application_type: unless(() => oneOf(fields, 'application_type', ['web', 'native'])),
    client_uri: unless(() => webAddress(fields, 'client_uri')),
    logo_uri: unless(() => webAddress(fields, 'logo_uri')),
    client_description: unless(() => textOf(fields, 'client_description', description_characters_max)),
    scopes: scopes.length > 0 ? scopes : null,
    ...clientKeys(fields, auth_methods.includes('private_key_jwt')),
  }
}

/** A document is public, so it cannot go with a shared secret (CIMD §4.1). */
function documentMethods(fields: Fields): AuthMethod[] {
  const one = optional(fields, 'token_endpoint_auth_method')
  const many = optional(fields, 'token_endpoint_auth_methods_supported')
  if (secretMethods.some((method) => method === one)) {
    throw invalidMetadata('token_endpoint_auth_method', 'must not be a shared secret')
  }
  const listed = [...(typeof one === 'string' ? [one] : []), ...(isTexts(many) ? many : [])]
  const wanted = listed.length > 0 ? listed : ['none']
  const hasKeys = optional(fields, 'jwks') !== undefined || optional(fields, 'jwks_uri') !== undefined
  const open = (['none', 'private_key_jwt'] as const).filter((method) => method === 'none' || hasKeys)
  const kept = open.filter((method) => wanted.includes(method))
  if (kept.length === 0)
    throw invalidMetadata('token_endpoint_auth_method', 'must be none, or private_key_jwt with keys')
  return kept
}

function documentGrants(fields: Fields): GrantType[] {
  const listed = optional(fields, 'grant_types')
  const wanted = isTexts(listed) ? listed : ['authorization_code']
  if (!wanted.includes('authorization_code')) throw invalidMetadata('grant_types', 'must contain authorization_code')
  return (['authorization_code', 'refresh_token'] as const).filter((type) => wanted.includes(type))
}

/** What is only shown is left out when it is wrong. */
function unless<Value>(read: () => Value | null): Value | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof OAuthError) return null
    throw error
  }
}
