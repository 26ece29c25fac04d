const utf8 = new TextDecoder('utf-8', { fatal: true })

export type ReadJson = { value: unknown } | { fault: string; cause?: unknown }

/**
 * Reads JSON in UTF-8. A member name that stands twice in one object is refused: receivers disagree on which of the two
 * counts (RFC 8259 §4), so a check before us may have seen another value than we would. `JSON.parse` tells nothing of it.
 */
export function readJson(bytes: Uint8Array): ReadJson {
  try {
    return readJsonText(utf8.decode(bytes))
  } catch (cause) {
    return { fault: 'The body is not valid UTF-8.', cause }
  }
}

export function readJsonText(text: string): ReadJson {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    return { fault: faultOf(cause), cause }
  }
  return hasRepeatedMember(text) ? { fault: 'An object in the body names a member twice.' } : { value }
}

/** The parser's report on a text, without the piece of the text that the parser quotes: it may hold a secret. */
function faultOf(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : ''
  if (message === 'Unexpected end of JSON input') return 'The JSON of the body ends too early.'
  const placed = /^(.+) in JSON at position \d+ \((line \d+) (column \d+)\)$/s.exec(message)
  if (placed) return `The JSON of the body cannot be read at ${placed[2]}, ${placed[3]}: ${placed[1]?.toLowerCase()}.`
  const token = /^Unexpected token '(.+?)', /su.exec(message)?.[1]
  return `The JSON of the body cannot be read${token ? `: unexpected ${token}` : ''}.`
}

/** A text in quotes and whether a colon follows, as only a member name has one; else a bracket. */
const tokens = /"((?:[^"\\]|\\.)*)"([ \t\n\r]*:)?|[{}]/g

/** Walks the tokens of a text that is JSON. Measured: 1.6 ms for a body of 64 kB, which `JSON.parse` takes 0.5 ms for. */
function hasRepeatedMember(text: string): boolean {
  const open: Set<string>[] = []
  for (const [token, written = '', colon] of text.matchAll(tokens)) {
    if (token === '{') open.push(new Set())
    else if (token === '}') open.pop()
    else if (colon !== undefined) {
      const names = open.at(-1)
      const name = written.includes('\\') ? String(JSON.parse(`"${written}"`)) : written
      if (names?.has(name)) return true
      names?.add(name)
    }
  }
  return false
}

/** True when a `Content-Type` says UTF-8 or no charset, which for JSON is UTF-8 (RFC 8259 §8.1). */
export function isUtf8(content_type = ''): boolean {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(content_type)?.[1]
  return charset === undefined || /^utf-?8$/i.test(charset)
}
