import { Type } from './schema.ts'

/**
 * A value with the category that its definition, a row, gives it: the schema cannot. It stays beside the value on all
 * ways within the service, kept answers included, so that nobody has to look it up in order to withhold.
 */
export interface Labelled {
  category: string
  value: unknown
}

/** Values by key, of which each may be `Labelled`; answers show plain ones, null where the category is not granted. */
export const LabelledValues = Type.Record(Type.String(), Type.Unknown(), {
  'x-labelled': true,
  description: 'By key; null where there is no value, and where its category is not granted.',
})

/** Values are texts, numbers, booleans and lists of texts: an object is a label. */
export function isLabelled(value: unknown): value is Labelled {
  return typeof value === 'object' && value !== null && 'category' in value
}

/** True when one of the given values is to be stored under a category that the caller has not. */
export function writesWithheld(shown: unknown, given: unknown, granted: ReadonlySet<string>): boolean {
  return Object.keys(Object(given)).some((key) => {
    // The cast holds for every object.
    const label = (Object(shown) as Record<string, unknown>)[key]
    return isLabelled(label) && !granted.has(label.category)
  })
}
