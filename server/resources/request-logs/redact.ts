import type { IncomingHttpHeaders } from 'node:http'
import type { Registry } from '#core/registry.ts'

/** Stands where a value was. */
export const redacted = '[redacted]'

/** Secrets of ours by their prefixes, tokens of others by their form, and whatever follows the name of a scheme. */
const secrets =
  /stint_(?:test_)?[a-z]{3}_[\w-]+|whsec_[\w+/=-]+|\beyJ[\w-]{6,}(?:\.[\w-]*)+|(?<=\b(?:bearer|basic) )[\w.~+/=-]{8,}/gi

/** Names under which people send secrets; an id of one is none. */
const names_of_secrets = /(?:secret|token|password|passphrase|signature|private_key|api_key|authorization|cookie)/i
const names_of_ids = /_ids?$/

/** A text without secrets, cut, and in such a form that JSON can hold it. */
export function withoutSecrets(text: string, characters_max: number): string {
  return text.replace(secrets, redacted).slice(0, characters_max).toWellFormed()
}

/** Headers that tell something of a request; of all others stands only that they came. */
const shown_headers = new Set([
  ...['accept', 'accept-encoding', 'accept-language', 'content-length', 'content-type', 'expect', 'host', 'origin'],
  ...['if-match', 'if-none-match', 'last-event-id', 'request-id', 'stint-dry-run', 'traceparent', 'user-agent'],
  ...['mcp-protocol-version', 'mcp-method', 'mcp-name'],
])
const headers_max = 40
const header_characters_max = 300

/** The headers of a request by name, in the order of the names. */
export function shownHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const shown = Object.entries(headers)
    .filter(([name, value]) => value !== undefined && !name.startsWith(':'))
    .map(([name, value]): [string, string] => [
      withoutSecrets(name, header_characters_max),
      shown_headers.has(name) ? withoutSecrets(String(value), header_characters_max) : redacted,
    ])
  return Object.fromEntries(shown.sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, headers_max))
}

type Json = Record<string, unknown>

/**
 * Collects the names of fields that have a category of sensitive data anywhere in the interface, and of those that only ever
 * stand inside of one: a bank account is also sent by itself, where nothing around it says what it is.
 */
export function sensitiveNames({ operations, events }: Registry): ReadonlySet<string> {
  const [marked, inside, plain] = [new Set<string>(), new Set<string>(), new Set<string>()]
  const walk = (schema: Json, name: string, is_inside: boolean): void => {
    const is_marked = 'x-sensitive' in schema || 'x-labelled' in schema
    if (name !== '') (is_marked ? marked : is_inside ? inside : plain).add(name)
    // The casts hold because a schema of ours is JSON Schema as it stands.
    for (const branch of (schema.anyOf ?? []) as Json[]) walk(branch, '', is_inside || is_marked)
    if (schema.items) walk(schema.items as Json, '', is_inside || is_marked)
    for (const [field, child] of Object.entries((schema.properties ?? {}) as Record<string, Json>))
      walk(child, field, is_inside || is_marked)
  }
  for (const { definition } of operations) walk(definition.output as unknown as Json, '', false)
  for (const { type } of events.values()) walk(type.entry as unknown as Json, '', false)
  return marked.union(inside.difference(plain))
}

/** The fields of an input with what is sensitive, secret or not declared hidden; names stay, so that one sees what was sent. */
export function shownInput(input: Json, declared: ReadonlySet<string>, sensitive: ReadonlySet<string>): Json {
  const isHidden = (name: string) => sensitive.has(name) || (names_of_secrets.test(name) && !names_of_ids.test(name))
  const shown = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shown)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, isHidden(name) ? redacted : shown(inner)]),
    )
  }
  const fields = Object.entries(input).map(([name, value]) => [
    name,
    declared.has(name) && !isHidden(name) ? shown(value) : redacted,
  ])
  return Object.fromEntries(fields)
}

const filter_tokens = /"(?:[^"\\]|\\.)*"?|[^\s()[\]"]+/gsu
const filter_words = /^(?:eq|ne|co|sw|ew|gt|ge|lt|le|pr|and|or|not|true|false|null)$/i
const filter_names = /^(?:id|userName|displayName|externalId|active|title|name|emails|meta|members)(?:\.\w+)?$/i
const filter_times = /^"?\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?"?$/
const before_test = /^(?:\s+(?:eq|ne|co|sw|ew|gt|ge|lt|le|pr)\b|\[)/i

/** A filter of SCIM by its form: names of attributes, operators and times stay, every other value is somebody's. */
export function shownFilter(filter: string): string {
  return filter.replace(filter_tokens, (token, at: number) => {
    const is_tested = /^\.?[A-Za-z][\w:.$-]*$/.test(token) && before_test.test(filter.slice(at + token.length))
    const is_shown = is_tested || [filter_words, filter_names, filter_times].some((form) => form.test(token))
    if (is_shown) return token
    return token.startsWith('"') ? `"${redacted}"` : redacted
  })
}
