import { readJsonText } from '#core/json.ts'
import { unstorable } from '#core/schema/validate.ts'
import { faultOfLine, faultOfLines, tidy } from '#core/values.ts'
import { knownScopesIn, OAuthError, scopesIn } from '../parameters.ts'
import { type AuthMethod, authMethods, type ClientMetadata, type GrantType, secretMethods } from './client.ts'
import { faultOfKeySet, keptKeySet } from './client-keys.ts'
import { faultOfRedirectUri } from './redirect-uri.ts'

const client_name_characters_max = 150
const uri_characters_max = 2_048
const redirect_uris_max = 10

/** Fields of a request body or document as they were sent; read by own properties only. */
type Fields = Record<string, unknown>

const description_characters_max = 1_000

function invalidMetadata(field: string, message: string): OAuthError {
  return new OAuthError('invalid_client_metadata', `${field}: ${message}`)
}

/** Reads the body of a registration (RFC 7591 §3.1), field by field in the order of the table; unknown fields are ignored. */
export function readRegistration(body: string): ClientMetadata {
  const read = readJsonText(body)
  const value = 'fault' in read ? null : read.value
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return readClient(value as Fields, false)
  throw invalidMetadata('body', 'must be a JSON object that names no member twice')
}

/** Reads a client's document (CIMD §4). */
export function readDocument(fields: Fields, client_id: string): ClientMetadata {
  if (optional(fields, 'client_id') === client_id) return readClient(fields, true)
  throw invalidMetadata('client_id', 'must be the address of the document')
}

/**
 * Name, addresses and grants of the client must be right. A registration is refused for anything else that is
 * wrong; of what else a document lists, what we know counts, since one document serves many servers.
 */
function readClient(fields: Fields, isDocument: boolean): ClientMetadata {
  const shown = isDocument ? unless : <Value>(read: () => Value) => read()
  const identity = {
    name: clientName(fields),
    redirect_uris: redirectUris(fields),
    grant_types: grantsOf(fields, isDocument),
  }
  // Other types are dropped, as other grants are: `code` alone is registered.
  if (!isDocument && !textsOf(fields, 'response_types').includes('code')) {
    throw invalidMetadata('response_types', 'must contain code')
  }
  const auth_methods = isDocument ? documentMethods(fields) : [registeredMethod(fields)]
  return {
    ...identity,
    auth_methods,
    code_challenge_method: isDocument ? null : oneOf(fields, 'code_challenge_method', ['S256']),
    application_type: shown(() => oneOf(fields, 'application_type', ['web', 'native'])),
    client_uri: shown(() => webAddress(fields, 'client_uri')),
    logo_uri: shown(() => webAddress(fields, 'logo_uri')),
    description: shown(() => textOf(fields, 'client_description', description_characters_max)),
    scopes: scopesOf(fields, isDocument),
    ...keysOf(fields, auth_methods.includes('private_key_jwt')),
  }
}

/** A field that is only shown is left out when it is wrong. */
function unless<Value>(read: () => Value): Value | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof OAuthError) return null
    throw error
  }
}

/** Other grants are dropped, not refused: clients list what they know elsewhere. The answer says what was registered. */
function grantsOf(fields: Fields, isDocument: boolean): GrantType[] {
  const listed = optional(fields, 'grant_types')
  const wanted = isDocument && !isTexts(listed) ? ['authorization_code'] : textsOf(fields, 'grant_types')
  if (!wanted.includes('authorization_code')) throw invalidMetadata('grant_types', 'must contain authorization_code')
  return (['authorization_code', 'refresh_token'] as const).filter((type) => wanted.includes(type))
}

/** Absent means a secret: RFC 7591 §2. */
function registeredMethod(fields: Fields): AuthMethod {
  return oneOf(fields, 'token_endpoint_auth_method', authMethods) ?? 'client_secret_basic'
}

/** An own property; null and the empty text are no value of a field that may be left out. */
function optional(fields: Fields, name: string): unknown {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined
  return value === null || value === '' ? undefined : value
}

/** A text as people read it, of several lines unless told; clean by the same rules as every other text. */
function textOf(
  fields: Fields,
  name: string,
  characters_max: number,
  faultOf: (text: string) => string | null = faultOfLines,
): string | null {
  const value = optional(fields, name)
  if (value === undefined) return null
  if (typeof value !== 'string') throw invalidMetadata(name, 'must be a text')
  const text = tidy(value)
  if ([...text].length > characters_max) throw invalidMetadata(name, `must have at most ${characters_max} characters`)
  const fault = unstorable(text, 1).length > 0 ? 'has characters that are not allowed' : faultOf(text)
  if (fault) throw invalidMetadata(name, fault)
  return text === '' ? null : text
}

function textsOf(fields: Fields, name: string): string[] {
  const value = optional(fields, name)
  if (value === undefined) throw invalidMetadata(name, 'is missing')
  if (!isTexts(value)) throw invalidMetadata(name, 'must be a list of texts')
  return value
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string')
}

/** The consent page names the client by it, so there must be something to see. */
function clientName(fields: Fields): string {
  const name = textOf(fields, 'client_name', client_name_characters_max, faultOfLine)
  if (name === null) throw invalidMetadata('client_name', 'must have 1 to 150 characters')
  return name
}

function redirectUris(fields: Fields): string[] {
  const uris = textsOf(fields, 'redirect_uris')
  const refuse = (message: string) => new OAuthError('invalid_redirect_uri', `redirect_uris: ${message}`)
  if (uris.length === 0 || uris.length > redirect_uris_max) throw refuse(`must have 1 to ${redirect_uris_max} entries`)
  for (const [index, uri] of uris.entries()) {
    const fault = faultOfRedirectUri(uri)
    if (fault) throw refuse(`entry ${index} ${fault}`)
  }
  return [...new Set(uris)]
}

/** Addresses that are shown as text and never loaded. */
function webAddress(fields: Fields, name: string): string | null {
  const text = textOf(fields, name, uri_characters_max)
  if (text === null) return null
  const url = /^https?:\/\/[^\s]+$/i.test(text) ? URL.parse(text) : null
  if (!url || url.username || url.password) throw invalidMetadata(name, 'must be an absolute http or https address')
  // In ASCII, where a letter that only looks like another shows.
  return /^[\x20-\x7e]+$/.test(text) ? text : url.href
}

function oneOf<const Word extends string>(fields: Fields, name: string, words: readonly Word[]): Word | null {
  const value = optional(fields, name)
  if (value === undefined) return null
  const word = words.find((known) => known === value)
  if (!word) throw invalidMetadata(name, `must be one of ${words.join(', ')}`)
  return word
}

/** No bound where none is named. */
function scopesOf(fields: Fields, isDocument: boolean): ClientMetadata['scopes'] {
  const value = optional(fields, 'scope')
  if (value === undefined) return null
  const read = isDocument ? knownScopesIn : scopesIn
  const scopes = typeof value === 'string' ? read(value) : null
  if (!scopes && !isDocument) throw invalidMetadata('scope', 'must be known scopes with spaces between them')
  return scopes?.length ? scopes : null
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

/** Place of the keys of a client that signs its assertions: here or at an address, not both (RFC 7591 §2). */
function keysOf(fields: Fields, signs: boolean): Pick<ClientMetadata, 'jwks' | 'jwks_uri'> {
  if (!signs) return { jwks: null, jwks_uri: null }
  const jwks = optional(fields, 'jwks')
  const jwks_uri = webAddress(fields, 'jwks_uri')
  if (jwks !== undefined && jwks_uri !== null) throw invalidMetadata('jwks', 'must not stand beside jwks_uri')
  if (jwks === undefined && jwks_uri === null)
    throw invalidMetadata('jwks', 'or jwks_uri is needed for private_key_jwt')
  if (jwks_uri !== null) {
    if (!/^https:\/\/[^#]+$/.test(jwks_uri)) throw invalidMetadata('jwks_uri', 'must be https, without a fragment')
    return { jwks: null, jwks_uri }
  }
  const fault = faultOfKeySet(jwks)
  if (fault) throw invalidMetadata('jwks', fault)
  return { jwks: keptKeySet(jwks), jwks_uri: null }
}
