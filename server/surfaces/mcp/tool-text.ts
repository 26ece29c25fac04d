/** Characters of JSON that one call hands to a model. */
export const answer_characters_max = 40_000

/** Characters that a single text keeps when an answer without rows is too long. */
const text_characters_max = 2_000

/** Room for the envelope of a list beside its rows: a cursor, flags, the total. */
const envelope_characters = 1_000

/** The JSON of an answer as a model reads it: members that are null say nothing there. */
export function compactJson(body: unknown): string {
  return JSON.stringify(withoutNulls(body))
}

function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(withoutNulls)
  const kept: Record<string, unknown> = {}
  for (const name of Object.keys(value)) {
    const member = (value as Record<string, unknown>)[name]
    if (member !== null && member !== undefined) kept[name] = withoutNulls(member)
  }
  return kept
}

/** How many of the first rows fit an answer. */
export function rowsThatFit(rows: readonly unknown[]): number {
  let characters = envelope_characters
  const tooMany = rows.findIndex((row) => {
    characters += JSON.stringify(row).length + 1
    return characters > answer_characters_max
  })
  return tooMany === -1 ? rows.length : tooMany
}

/** The same value with each long text cut. */
export function withShortTexts(value: unknown): unknown {
  if (typeof value === 'string') return shortened(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(withShortTexts)
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withShortTexts(member)]))
}

function shortened(text: string): string {
  return text.length <= text_characters_max
    ? text
    : `${text.slice(0, text_characters_max - 1).replace(/[\ud800-\udbff]$/, '')}…`
}
