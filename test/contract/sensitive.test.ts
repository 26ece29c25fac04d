import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { compileWithholding } from '#core/schema/fields.ts'
import type { TSchema } from '#core/schema/schema.ts'
import { sensitiveCategories } from '#identity/scopes.ts'
import { valuesOf } from './derived/arbitrary.ts'
import { everyOperation, holdsFor, plain, registered, registry, type Schema } from './derived/every-operation.ts'
import { nulled, placesOf } from './derived/sensitive-fields.ts'

const sensitive = everyOperation.filter((operation) => registered(operation).sensitive.categories.length > 0)

/** For any value of the schema: without a category its fields are null, and nothing else changes. */
function assertWithheld(schema: TSchema): void {
  const { withhold, categories } = compileWithholding(schema)
  const value = valuesOf(plain(schema))
  const granted = fc.subarray([...categories])
  fc.assert(
    fc.property(value, granted, (complete, given) => {
      const places = placesOf(plain(schema), complete)
      const hidden = places.filter(({ category }) => !given.includes(category))
      assert.deepEqual(withhold(complete, new Set(given)), nulled(complete, hidden))
    }),
    { numRuns: 25 },
  )
}

test('in any answer of any operation the fields of a category that was not granted are null, and only those', () =>
  holdsFor(sensitive, ({ output }) => assertWithheld(output)))

test('in any event the fields of a category that was not granted are null, and only those', () => {
  const events = [...registry.events.values()].filter((event) => event.sensitive.categories.length > 0)
  assert.ok(events.length > 0)
  for (const { type } of events) assertWithheld(type.entry)
})

test('every sensitive mark names a category that exists', () => {
  const named = [...registry.operations, ...registry.events.values()].flatMap((each) => each.sensitive.categories)
  for (const category of named) assert.ok((sensitiveCategories as readonly string[]).includes(category), category)
})

test('every sensitive field may be null by its schema', () =>
  holdsFor(sensitive, ({ output }) => {
    for (const schema of marksOf(plain(output))) {
      assert.ok((schema.anyOf as Schema[] | undefined)?.some(({ type }) => type === 'null'))
    }
  }))

function marksOf(schema: Schema): Schema[] {
  const children = [
    ...Object.values((schema.properties ?? {}) as Record<string, Schema>),
    ...((schema.anyOf ?? []) as Schema[]),
    ...(schema.items ? [schema.items as Schema] : []),
  ]
  return [...('x-sensitive' in schema ? [schema] : []), ...children.flatMap(marksOf)]
}
