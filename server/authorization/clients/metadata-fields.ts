import { unstorable } from '#core/values/storable.ts'
import { faultOfLine, faultOfLines, tidy } from '#core/values/text.ts'
import { OAuthError } from '../oauth-error.ts'
import { scopesIn } from '../scope-text.ts'
import type { ClientMetadata, Fields } from './client-metadata.ts'
import { faultOfRedirectUri } from './redirect-uri.ts'

const client_name_characters_max = 150
const uri_characters_max = 2_048
export const redirect_uris_max = 10

export function invalidMetadata(field: string, message: string): OAuthError {
  return new OAuthError('invalid_client_metadata', `${field}: ${message}`)
}

/** An own property; null and the empty text are no value of a field that may be left out. */
export function optional(fields: Fields, name: string): unknown {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined
  return value === null || value === '' ? undefined : value
}

/** A text as people read it, of several lines unless told; clean by the same rules as every other text. */
export function textOf(
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

export function textsOf(fields: Fields, name: string): string[] {
  const value = optional(fields, name)
  if (value === undefined) throw invalidMetadata(name, 'is missing')
  if (!isTexts(value)) throw invalidMetadata(name, 'must be a list of texts')
  return value
}

export function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string')
}

/** The consent page names the client by it, so there must be something to see. */
export function clientName(fields: Fields): string {
  const name = textOf(fields, 'client_name', client_name_characters_max, faultOfLine)
  if (name === null) throw invalidMetadata('client_name', 'must have 1 to 150 characters')
  return name
}

export function redirectUris(fields: Fields): string[] {
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
export function webAddress(fields: Fields, name: string): string | null {
  const text = textOf(fields, name, uri_characters_max)
  if (text === null) return null
  const url = /^https?:\/\/[^\s]+$/i.test(text) ? URL.parse(text) : null
  if (!url || url.username || url.password) throw invalidMetadata(name, 'must be an absolute http or https address')
  // In ASCII, where a letter that only looks like another shows.
  return /^[\x20-\x7e]+$/.test(text) ? text : url.href
}

export function oneOf<const Word extends string>(fields: Fields, name: string, words: readonly Word[]): Word | null {
  const value = optional(fields, name)
  if (value === undefined) return null
  const word = words.find((known) => known === value)
  if (!word) throw invalidMetadata(name, `must be one of ${words.join(', ')}`)
  return word
}

/** Other types are dropped, as other grants are: `code` alone is registered. */
export function requireResponseTypeCode(fields: Fields): void {
  if (!textsOf(fields, 'response_types').includes('code')) throw invalidMetadata('response_types', 'must contain code')
}

export function scopesOf(fields: Fields): ClientMetadata['scopes'] {
  const value = optional(fields, 'scope')
  if (value === undefined) return null
  const scopes = typeof value === 'string' ? scopesIn(value) : null
  if (!scopes) throw invalidMetadata('scope', 'must be known scopes with spaces between them')
  return scopes.length > 0 ? scopes : null
}
