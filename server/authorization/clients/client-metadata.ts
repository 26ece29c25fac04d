import { readJsonText } from '#core/json.ts'
import { unstorable } from '#core/schema/validate.ts'
import { faultOfLine, faultOfLines, tidy } from '#core/values.ts'
import { knownScopesIn, OAuthError, scopesIn } from '../parameters.ts'
import { type AuthMethod, authMethods, type ClientMetadata, type GrantType, secretMethods } from './client.ts'
import { faultOfKeys, isObject, keptKeySet } from './client-keys.ts'
import { faultOfRedirectUri } from './redirect-uri.ts'

const client_name_characters_max = 150
const description_characters_max = 1_000
const uri_characters_max = 2_048
const redirect_uris_max = 10

/** Fields of a request body or document as they were sent. */
type Fields = ReadonlyMap<string, unknown>

function invalid(field: string, message: string): OAuthError {
  return new OAuthError('invalid_client_metadata', `${field}: ${message}`)
}

/** Reads the body of a registration (RFC 7591 §3.1), field by field in the order of the table; unknown fields are ignored. */
export function readRegistration(body: string): ClientMetadata {
  const read = readJsonText(body)
  if ('value' in read && isObject(read.value)) return readClient(read.value, false)
  throw invalid('body', 'must be a JSON object that names no member twice')
}

/** Reads a client's document (CIMD §4). */
export function readDocument(document: Record<string, unknown>, client_id: string): ClientMetadata {
  if (document.client_id === client_id) return readClient(document, true)
  throw invalid('client_id', 'must be the address of the document')
}

/**
 * Name, addresses and grants of the client must be right. A registration is refused for anything else that is
 * wrong; of what else a document lists, what we know counts, since one document serves many servers.
 */
function readClient(object: Record<string, unknown>, isDocument: boolean): ClientMetadata {
  // Null and the empty text are no value of a field that may be left out.
  const fields: Fields = new Map(Object.entries(object).filter(([, value]) => value !== null && value !== ''))
  const shown = isDocument ? orNull : <Value>(read: () => Value) => read()
  const name = textIn(fields, 'client_name', client_name_characters_max, faultOfLine)
  // The consent page names the client by it, so there must be something to see.
  if (name === null) throw invalid('client_name', `must have 1 to ${client_name_characters_max} characters`)
  const redirect_uris = redirectUrisIn(fields)
  const grant_types = grantsIn(fields, isDocument)
  // Other types are dropped, as other grants are: `code` alone is registered.
  if (!isDocument && !textsIn(fields, 'response_types').includes('code')) {
    throw invalid('response_types', 'must contain code')
  }
  const auth_methods = isDocument ? documentMethods(fields) : [registeredMethod(fields)]
  return {
    ...{ name, redirect_uris, grant_types, auth_methods },
    code_challenge_method: isDocument ? null : oneIn(fields, 'code_challenge_method', ['S256']),
    application_type: shown(() => oneIn(fields, 'application_type', ['web', 'native'])),
    client_uri: shown(() => webAddressIn(fields, 'client_uri')),
    logo_uri: shown(() => webAddressIn(fields, 'logo_uri')),
    description: shown(() => textIn(fields, 'client_description', description_characters_max)),
    scopes: scopesOf(fields, isDocument),
    ...keysOf(fields, auth_methods),
  }
}

/** A field that is only shown is left out when it is wrong. */
function orNull<Value>(read: () => Value): Value | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof OAuthError) return null
    throw error
  }
}

/** A text as people read it, of several lines unless told; clean by the same rules as every other text. */
function textIn(fields: Fields, name: string, characters_max: number, faultOf = faultOfLines): string | null {
  const value = fields.get(name) ?? ''
  if (typeof value !== 'string') throw invalid(name, 'must be a text')
  const text = tidy(value)
  if ([...text].length > characters_max) throw invalid(name, `must have at most ${characters_max} characters`)
  const fault = unstorable(text, 1).length > 0 ? 'has characters that are not allowed' : faultOf(text)
  if (text !== '' && fault) throw invalid(name, fault)
  return text === '' ? null : text
}

function textsIn(fields: Fields, name: string): string[] {
  const value = fields.get(name)
  if (value === undefined) throw invalid(name, 'is missing')
  if (!isTexts(value)) throw invalid(name, 'must be a list of texts')
  return value
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string')
}

function oneIn<const Word extends string>(fields: Fields, name: string, words: readonly Word[]): Word | null {
  const word = words.find((known) => known === fields.get(name))
  if (!word && fields.has(name)) throw invalid(name, `must be one of ${words.join(', ')}`)
  return word ?? null
}

/** Addresses that are shown as text and never loaded. */
function webAddressIn(fields: Fields, name: string): string | null {
  const text = textIn(fields, name, uri_characters_max)
  if (text === null) return null
  const url = /^https?:\/\/[^\s]+$/i.test(text) ? URL.parse(text) : null
  if (!url || url.username || url.password) throw invalid(name, 'must be an absolute http or https address')
  // In ASCII, where a letter that only looks like another shows.
  return /^[\x20-\x7e]+$/.test(text) ? text : url.href
}

function redirectUrisIn(fields: Fields): string[] {
  const uris = textsIn(fields, 'redirect_uris')
  const refuse = (message: string) => new OAuthError('invalid_redirect_uri', `redirect_uris: ${message}`)
  if (uris.length === 0 || uris.length > redirect_uris_max) throw refuse(`must have 1 to ${redirect_uris_max} entries`)
  for (const [index, uri] of uris.entries()) {
    const fault = faultOfRedirectUri(uri)
    if (fault) throw refuse(`entry ${index} ${fault}`)
  }
  return [...new Set(uris)]
}

/** Other grants are dropped, not refused: clients list what they know elsewhere. The answer says what was registered. */
function grantsIn(fields: Fields, isDocument: boolean): GrantType[] {
  const isListed = !isDocument || isTexts(fields.get('grant_types'))
  const wanted = isListed ? textsIn(fields, 'grant_types') : ['authorization_code']
  if (!wanted.includes('authorization_code')) throw invalid('grant_types', 'must contain authorization_code')
  return (['authorization_code', 'refresh_token'] as const).filter((type) => wanted.includes(type))
}

/** Absent means a secret: RFC 7591 §2. */
function registeredMethod(fields: Fields): AuthMethod {
  return oneIn(fields, 'token_endpoint_auth_method', authMethods) ?? 'client_secret_basic'
}

/** A document is public, so it cannot go with a shared secret (CIMD §4.1). */
function documentMethods(fields: Fields): AuthMethod[] {
  const field = 'token_endpoint_auth_method'
  const one = fields.get(field)
  if (secretMethods.some((method) => method === one)) throw invalid(field, 'must not be a shared secret')
  const listed = [one, fields.get('token_endpoint_auth_methods_supported')]
    .flat()
    .filter((method) => method !== undefined)
  const wanted = listed.length > 0 ? listed : ['none']
  const open: AuthMethod[] = fields.has('jwks') || fields.has('jwks_uri') ? ['none', 'private_key_jwt'] : ['none']
  const kept = open.filter((method) => wanted.includes(method))
  if (kept.length === 0) throw invalid(field, 'must be none, or private_key_jwt with keys')
  return kept
}

/** No bound where none is named. */
function scopesOf(fields: Fields, isDocument: boolean): ClientMetadata['scopes'] {
  const value = fields.get('scope') ?? ''
  const read = isDocument ? knownScopesIn : scopesIn
  const scopes = typeof value === 'string' ? read(value) : null
  if (!scopes && !isDocument) throw invalid('scope', 'must be known scopes with spaces between them')
  return scopes?.length ? scopes : null
}

function keysOf(fields: Fields, methods: readonly AuthMethod[]): Pick<ClientMetadata, 'jwks' | 'jwks_uri'> {
  if (!methods.includes('private_key_jwt')) return { jwks: null, jwks_uri: null }
  const jwks = fields.get('jwks') ?? null
  const jwks_uri = webAddressIn(fields, 'jwks_uri')
  const fault = faultOfKeys({ jwks, jwks_uri })
  if (fault) throw invalid(fault.field, fault.message)
  return { jwks: jwks && keptKeySet(jwks), jwks_uri }
}
