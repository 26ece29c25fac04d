import { readJsonText } from '#core/values/json.ts'
import { type AuthMethod, authMethods, type GrantType } from './auth-methods.ts'
import { clientKeys } from './client-keys.ts'
import type { ClientMetadata, Fields } from './client-metadata.ts'
import {
  clientName,
  invalidMetadata,
  oneOf,
  redirectUris,
  requireResponseTypeCode,
  scopesOf,
  textOf,
  textsOf,
  webAddress,
} from './metadata-fields.ts'

const description_characters_max = 1_000

/** Reads the body of a registration (RFC 7591 §3.1), field by field in the order of the table; unknown fields are ignored. */
export function readRegistration(body: string): ClientMetadata {
  const fields = objectIn(body)
  const client_name = clientName(fields)
  const redirect_uris = redirectUris(fields)
  const grant_types = registeredGrants(fields)
  requireResponseTypeCode(fields)
  // Absent means a secret: RFC 7591 §2.
  const method: AuthMethod = oneOf(fields, 'token_endpoint_auth_method', authMethods) ?? 'client_secret_basic'
  return {
    client_name,
    redirect_uris,
    grant_types,
    auth_methods: [method],
    code_challenge_method: oneOf(fields, 'code_challenge_method', ['S256']),
    application_type: oneOf(fields, 'application_type', ['web', 'native']),
    client_uri: webAddress(fields, 'client_uri'),
    logo_uri: webAddress(fields, 'logo_uri'),
    client_description: textOf(fields, 'client_description', description_characters_max),
    scopes: scopesOf(fields),
    ...clientKeys(fields, method === 'private_key_jwt'),
  }
}

function objectIn(body: string): Fields {
  const read = readJsonText(body)
  const value = 'fault' in read ? null : read.value
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields
  throw invalidMetadata('body', 'must be a JSON object that names no member twice')
}

/** Other grants are dropped, not refused: clients list what they know elsewhere. The answer says what was registered. */
function registeredGrants(fields: Fields): GrantType[] {
  const wanted = textsOf(fields, 'grant_types')
  if (!wanted.includes('authorization_code')) throw invalidMetadata('grant_types', 'must contain authorization_code')
  return (['authorization_code', 'refresh_token'] as const).filter((type) => wanted.includes(type))
}
