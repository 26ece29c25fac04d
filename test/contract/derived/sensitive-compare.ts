import assert from 'node:assert/strict'
import type { SensitiveCategory } from '#core/caller.ts'
import { sensitiveCategories } from '#identity/scopes.ts'
import type { Body } from '#test/factories.ts'
import { at, nulled, type Place, placesOf } from './sensitive-fields.ts'
import { labels } from './sensitive-story.ts'
import { nameOf, type Shown, type Surface } from './sensitive-surfaces.ts'

/** A caller with every category, or with all but one. */
export type Without = SensitiveCategory | null
export const callers: readonly Without[] = [null, ...sensitiveCategories]

/** The answers to one call by each caller. */
export async function byAll<Answer>(ask: (without: Without) => Promise<Answer>): Promise<(without: Without) => Answer> {
  const answers = new Map<Without, Answer>()
  for (const without of callers) answers.set(without, await ask(without))
  // The cast holds because every caller has asked.
  return (without) => answers.get(without) as Answer
}

export const placeOf = ({ path }: Place) =>
  path.reduce<string>((text, key) => (typeof key === 'number' ? `${text}[]` : text ? `${text}.${key}` : key), '')

/** Cells in which the value was there with the category, and was not without it. */
export const withheld = new Set<string>()
/** All that callers without a category were told, and the values of each category. */
export const words: { surface: Surface; without: SensitiveCategory; text: string }[] = []
export const values = new Map<SensitiveCategory, Set<string>>(
  sensitiveCategories.map((category) => [category, new Set()]),
)

export interface Seen {
  body: Body
  /** The whole of the answer, byte by byte. */
  text?: string
}

/** Compares what every caller sees of the same: all but the one category of a caller are there. */
export async function compare(
  surface: Surface,
  { by, schema }: Shown,
  see: (without: Without) => Promise<Seen | null> | Seen | null,
  /** Each call made the thing anew: ids and times differ, and only sensitive places are compared. */
  is_made_anew = false,
) {
  const complete = await see(null)
  if (!complete) return
  const found = placesOf(schema, complete.body, labels).filter(({ path }) => at(complete.body, path) !== null)
  for (const category of new Set(found.map((place) => place.category as SensitiveCategory))) {
    const hidden = found.filter((place) => place.category === category)
    const seen = await see(category)
    if (seen) {
      const expected: Body = nulled(complete.body, hidden)
      const [shown, wanted]: unknown[] = is_made_anew
        ? [seen.body, expected].map((body) =>
            placesOf(schema, body, labels).map((place) => [placeOf(place), at(body, place.path) === null]),
          )
        : [withoutCursor(seen.body), withoutCursor(expected)]
      assert.deepEqual(shown, wanted, `${by} without ${category}`)
      words.push({ surface, without: category, text: seen.text ?? JSON.stringify(seen.body) })
    }
    for (const place of hidden) {
      const { schema: mark, path } = place
      if (seen) withheld.add(`${surface}: ${nameOf(mark, by, placeOf(place))}`)
      for (const value of textsOf(at(complete.body, path))) values.get(category)?.add(value)
    }
  }
}

/** A cursor is sealed anew each time. */
function withoutCursor(body: Body): Body {
  return body && typeof body === 'object' && 'cursor' in body ? { ...body, cursor: body.cursor !== null } : body
}

/** Texts that nothing else says: no ids, no enumerations, and no short numbers, which may be anything. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) {
    return 'id' in value && 'name' in value ? [] : Object.values(value).flatMap(textsOf)
  }
  const isOwn = typeof value === 'string' && value.length > 5 && /[^a-z_]/.test(value) && !/^0+(\.0+)?$/.test(value)
  return isOwn ? [value] : []
}
