import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { compileWithholding } from '#core/schema/fields.ts'
import type { TSchema } from '#core/schema/schema.ts'
import { sensitiveCategories } from '#identity/scopes.ts'
import { verifies } from '#test/verifies.ts'
import { valuesOf } from './derived/arbitrary.ts'
import { contractService } from './derived/contract-service.ts'
import {
  everyOperation,
  hasBody,
  holdsFor,
  isWorkers,
  plain,
  registered,
  registry,
  type Schema,
} from './derived/every-operation.ts'
import { realPath, referredRow } from './derived/rows.ts'
import { sampleInput } from './derived/sample-input.ts'

const { service, ours } = await contractService()
const ungranted = await service.createToken(ours.id, { sensitive_data: [], is_sandbox: true })

const sensitive = everyOperation.filter((operation) => registered(operation).sensitive.categories.length > 0)

interface Place {
  path: (string | number)[]
  category: string
}

/** Finds the sensitive fields of a value by its schema: found here anew, apart from the code that withholds them. */
function placesOf(schema: Schema, value: unknown, path: Place['path'] = [], within: unknown = undefined): Place[] {
  const category = schema['x-sensitive']
  if (typeof category === 'string') {
    const when = schema['x-sensitive-when'] as { field: string; is: string } | undefined
    const applies = !when || (within as Record<string, unknown>)[when.field] === when.is
    return applies ? [{ path, category }] : []
  }
  if (value === null || value === undefined) return []
  if (Array.isArray(schema.anyOf)) {
    const branches = (schema.anyOf as Schema[]).filter(({ type }) => type !== 'null')
    return branches.flatMap((branch) => placesOf(branch, value, path, within))
  }
  if (Array.isArray(value)) {
    return schema.items ? value.flatMap((item, index) => placesOf(schema.items as Schema, item, [...path, index])) : []
  }
  const fields = Object.entries((schema.properties ?? {}) as Record<string, Schema>)
  return fields
    .filter(([name]) => Object.hasOwn(value, name))
    .flatMap(([name, child]) => placesOf(child, (value as Record<string, unknown>)[name], [...path, name], value))
}

function at(value: unknown, path: Place['path']): unknown {
  return path.reduce((inner, key) => (inner as Record<string, unknown>)[String(key)], value)
}

/** A copy with null at these places and every other value as it was. */
function nulled<Value>(value: Value, places: readonly Place[]): Value {
  const copy = structuredClone(value)
  for (const { path } of places) {
    const holder = at(copy, path.slice(0, -1)) as Record<string, unknown>
    holder[String(path.at(-1))] = null
  }
  return copy
}

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

test('a token without categories reads null where another reads the value, and the header names what was withheld', async () => {
  let shown = 0
  await holdsFor(
    // Files have tests of their own, since they are not JSON.
    sensitive.filter(({ file, ...operation }) => operation.method === 'GET' && !file && !isWorkers(operation)),
    async (operation) => {
      const path = await realPath(service, ours, operation)
      const complete = await service.call('GET', path, { token: ours.token })
      const withheld = await service.call('GET', path, { token: ungranted })
      assert.equal(withheld.status, complete.status)
      // No row is there for this caller: whoever asks for itself and is no person.
      if (complete.status === 404) return
      const places = placesOf(plain(operation.output), complete.body)
      verifies('5.1.token-sensitive-data').deepEqual(withheld.body, nulled(complete.body, places))
      assert.equal(complete.headers['sensitive-data-withheld'], undefined)
      assert.equal(withheld.headers['sensitive-data-withheld'], registered(operation).sensitive.categories.join(', '))
      shown += places.filter((place) => at(complete.body, place.path) !== null).length
    },
  )
  assert.ok(shown > 0, 'no sensitive value was to be seen at all')
})

test('the answer to a change withholds what its caller may not read', () =>
  holdsFor(
    sensitive.filter((operation) => operation.method !== 'GET' && !isWorkers(operation)),
    async (operation) => {
      const path = await realPath(service, ours, operation)
      const body = hasBody(operation)
        ? await sampleInput(service, operation, (field) => referredRow(service, ours, field))
        : undefined
      const answer = await service.call(operation.method, path, { token: ungranted, body })
      if (answer.status >= 400) return
      const places = placesOf(plain(operation.output), answer.body)
      assert.deepEqual(answer.body, nulled(answer.body, places))
    },
  ))

function marksOf(schema: Schema): Schema[] {
  const children = [
    ...Object.values((schema.properties ?? {}) as Record<string, Schema>),
    ...((schema.anyOf ?? []) as Schema[]),
    ...(schema.items ? [schema.items as Schema] : []),
  ]
  return [...('x-sensitive' in schema ? [schema] : []), ...children.flatMap(marksOf)]
}
