/** Characters of JSON that one call hands to a model. */
export const answer_characters_max = 40_000

/** Characters that a single text keeps when an answer without rows is too long. */
const text_characters_max = 2_000

/** Room for the envelope of a list beside its rows: a cursor, flags, the total. */
const envelope_characters = 1_000

/**
 * The JSON of an answer as a model reads it: members that are null say nothing there. Taken out of the text, since a copy
 * without them took 150 µs for 20 contracts. No text can look like a member: its quotation marks stand behind backslashes,
 * and behind the one that ends it there is no letter. Names of other characters than ours keep their null.
 */
export function compactJson(json: string): string {
  return json.replaceAll(/,"[a-z0-9_]+":null/g, '').replaceAll(/\{"[a-z0-9_]+":null,?/g, '{')
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
