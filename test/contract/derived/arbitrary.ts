import fc from 'fast-check'
import { countries, currencies, isEmptyOrVisible, tidy } from '#core/values.ts'
import type { Schema } from './every-operation.ts'

type Values = fc.Arbitrary<unknown>

/** Characters that texts of all languages hold, the awkward ones among them. */
const letters = [...'abcXYZ 019-_.\'"<>&%\\/:;,', 'é', 'ß', 'İ', '東', 'ａ', '\u0301', '\u200d', '\ufeff', '😀']

/** Values that a schema accepts; an id is one of `ids` most of the time, so that calls reach real rows. */
export function valuesOf(schema: Schema, ids: readonly string[] = []): Values {
  if ('const' in schema) return fc.constant(schema.const)
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum)
  if (Array.isArray(schema.anyOf)) return fc.oneof(...schema.anyOf.map((each) => valuesOf(each as Schema, ids)))
  if (schema.type === 'array') return listsOf(schema, ids)
  if (schema.type === 'object') return objectsOf(schema, ids)
  if (schema.type === 'integer') return fc.integer(boundsOf(schema))
  if (schema.type === 'number') return fc.double({ ...boundsOf(schema), noNaN: true })
  if (schema.type === 'boolean') return fc.boolean()
  if (schema.type === 'null') return fc.constant(null)
  if (schema.type === 'string') return textsOf(schema, ids)
  return fc.jsonValue({ maxDepth: 2 })
}

function boundsOf({ minimum, maximum }: Schema): { min: number; max: number } {
  return { min: Number(minimum ?? -1_000), max: Number(maximum ?? 1_000_000) }
}

function listsOf({ items, minItems, maxItems }: Schema, ids: readonly string[]): Values {
  const minLength = Number(minItems ?? 0)
  return fc.array(valuesOf(items as Schema, ids), {
    minLength,
    maxLength: Math.max(minLength, Math.min(Number(maxItems ?? 3), 3)),
  })
}

function objectsOf({ properties, required }: Schema, ids: readonly string[]): Values {
  if (!properties)
    return fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 2 }), {
      maxKeys: 3,
      noNullPrototype: true,
    })
  const fields = Object.entries(properties as Record<string, Schema>)
  const model = Object.fromEntries(fields.map(([name, child]) => [name, valuesOf(child, ids)]))
  return fc.record(model, { requiredKeys: (required ?? []) as string[], noNullPrototype: true })
}

const ofFormat: Record<string, Values> = {
  date: fc
    .date({ min: new Date('2025-06-01'), max: new Date('2028-06-01'), noInvalidDate: true })
    .map((at) => at.toISOString().slice(0, 10)),
  'date-time': fc
    .date({ min: new Date('2020-01-01'), max: new Date('2030-01-01'), noInvalidDate: true })
    .map((at) => at.toISOString()),
  email: fc.integer({ min: 0, max: 50 }).map((number) => `someone-${number}@harbour.example`),
  country: fc.constantFrom(...countries),
  currency: fc.constantFrom(...currencies),
  'time-zone': fc.constantFrom('Europe/Berlin', 'America/New_York', 'Pacific/Kiritimati', 'UTC'),
  locale: fc.constantFrom('en', 'de', 'pt-BR'),
}

function textsOf({ title, format, pattern, trim, minLength, maxLength }: Schema, ids: readonly string[]): Values {
  const min = Number(minLength ?? 0)
  const max = Math.min(Number(maxLength ?? 40), 40)
  if (title === 'Id')
    return ids.length > 0 ? fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...ids) }, fc.uuid()) : fc.uuid()
  if (typeof format === 'string' && ofFormat[format]) return ofFormat[format]
  if (typeof pattern !== 'string' || trim) {
    const words = fc
      .array(fc.constantFrom(...letters), { minLength: min, maxLength: max })
      .map((parts) => tidy(parts.join('')))
    return words.map((text) => (isEmptyOrVisible(text) ? text : 'x').padEnd(min, 'x').slice(0, max))
  }
  return fc
    .stringMatching(new RegExp(pattern))
    .filter((text) => text.length >= min && text.length <= Number(maxLength ?? 200))
}

/** Values that no schema has in mind. */
const hostile: readonly unknown[] = [
  '',
  ' ',
  'a\0b',
  '\ud800',
  '\udfff\ud800',
  '\u202eevil\u202c',
  '\u200b',
  'x'.repeat(100_000),
  '😀'.repeat(5_000),
  "'; drop table organizations; --",
  '$1',
  '{{7*7}}',
  '<script>alert(1)</script>',
  '%00',
  '../../etc/passwd',
  '\\',
  '"',
  'null',
  'ａｄｍｉｎ',
  'ı',
  '١٢٣',
  '1e999',
  '-5.00',
  '0',
  '00000000000000000001',
  '4200.0000000000000000001',
  '999999999999.999',
  '9999-12-31',
  '0001-01-01',
  '2026-02-30',
  '2026-12-31T23:59:60Z',
  '0000-01-01T00:00:00Z',
  '+275760-09-13T00:00:00Z',
  -1,
  0,
  -0,
  1,
  1.5,
  1e308,
  -1e308,
  2 ** 31,
  2 ** 53,
  2 ** 63,
  1e-300,
  true,
  false,
  null,
  [],
  [[]],
  [[[[[[]]]]]],
  [null],
  ['a\0'],
  Array.from({ length: 1_000 }, () => 'x'),
  {},
  { a: { b: { c: {} } } },
  JSON.parse('{"__proto__":{"admin":true}}'),
  { constructor: { prototype: {} } },
  { toString: 1 },
  { '': 1 },
  { 'a\0': 1 },
  { $ref: '#' },
]

export const hostileValues: Values = fc.oneof(
  fc.constantFrom(...hostile),
  fc.jsonValue({ maxDepth: 3 }),
  fc.string({ unit: 'binary', maxLength: 300 }),
)

const fieldNames = [
  'no_such_field',
  '__proto__',
  'constructor',
  'prototype',
  'id',
  'organization_id',
  'status',
  'created_at',
  'a\0',
  '\ud800',
  '',
]

type Fields = Record<string, unknown>

/**
 * Inputs of an object schema: `sample`, which the rules accept, as it is and with a mistake in any place of it; valid
 * ones by the schema; and ones that are hostile altogether.
 */
export function inputsOf(schema: Schema, ids: readonly string[], sample: () => Fields): fc.Arbitrary<Fields> {
  const valid = objectsOf(schema, ids) as fc.Arbitrary<Fields>
  const accepted = fc.constant(null).map(sample)
  const names = Object.keys((schema.properties ?? {}) as Fields)
  const name = fc.constantFrom(...names, ...fieldNames)
  const changes = fc.array(fc.tuple(name, hostileValues), { minLength: 1, maxLength: 2 })
  const place = fc.nat()
  return fc.oneof(
    { weight: 1, arbitrary: accepted },
    { weight: 2, arbitrary: valid },
    { weight: 2, arbitrary: fc.tuple(accepted, valid, name).map(([base, other, field]) => mixed(base, other, field)) },
    {
      weight: 3,
      arbitrary: fc.tuple(accepted, place, hostileValues).map(([base, at, value]) => changedInside(base, at, value)),
    },
    { weight: 2, arbitrary: fc.tuple(fc.oneof(accepted, valid), changes).map(([base, made]) => changed(base, made)) },
    { weight: 1, arbitrary: fc.tuple(accepted, name).map(([base, gone]) => without(base, gone)) },
    { weight: 1, arbitrary: changes.map((made) => changed({}, made)) },
  )
}

/** The base with one field of another valid input. */
function mixed(base: Fields, other: Fields, field: string): Fields {
  return Object.hasOwn(other, field) ? { ...base, [field]: other[field] } : base
}

/** The base with one value, at any depth, replaced. */
function changedInside(base: Fields, place: number, value: unknown): Fields {
  const places = placesOf(base, [])
  const path = places[place % Math.max(1, places.length)]
  return path ? (replaced(base, path, value) as Fields) : base
}

function placesOf(value: unknown, path: string[]): string[][] {
  if (typeof value !== 'object' || value === null) return [path]
  const inside = Object.entries(value).flatMap(([name, child]) => placesOf(child, [...path, name]))
  return path.length > 0 ? [path, ...inside] : inside
}

function replaced(value: unknown, [name, ...rest]: readonly string[], by: unknown): unknown {
  if (name === undefined) return by
  const entries = Object.entries(value as Fields).map(([key, child]) => [
    key,
    key === name ? replaced(child, rest, by) : child,
  ])
  return Array.isArray(value) ? entries.map(([, child]) => child) : Object.fromEntries(entries)
}

/** Through entries, so that a field called __proto__ is a field. */
function changed(fields: Fields, changes: readonly [string, unknown][]): Fields {
  return Object.fromEntries([...Object.entries(fields), ...changes])
}

function without(fields: Fields, gone: string): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => name !== gone))
}
