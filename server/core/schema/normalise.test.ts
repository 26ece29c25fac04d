import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Closed, Locale, Nullable, SetOf, Text, Timestamp, Type } from './schema.ts'
import { normalise } from './validate.ts'

const schema = Closed({
  name: Text(1, 9),
  kind: Type.Enum(['a', 'b'], { default: 'a' }),
  at: Type.Optional(Nullable(Timestamp)),
  locale: Type.Optional(Nullable(Locale)),
  list: Type.Optional(SetOf(Type.Integer())),
  inner: Type.Optional(Closed({ name: Text(1, 9), settings: Type.Array(Type.String(), { default: [] }) })),
})

const cases: [what: string, input: unknown, from_text: boolean, value: unknown][] = [
  ['trims and fills defaults', { name: ' x ' }, false, { name: 'x', kind: 'a' }],
  [
    'fills defaults of nested objects',
    { inner: { name: ' y' } },
    false,
    { kind: 'a', inner: { name: 'y', settings: [] } },
  ],
  ['leaves unknown fields for the check to refuse', { other: 1 }, false, { other: 1, kind: 'a' }],
  ['leaves null as it is', { at: null }, false, { at: null, kind: 'a' }],
  ['brings times to UTC', { at: '2026-01-01T00:00:00.5-02:00' }, false, { at: '2026-01-01T02:00:00.500Z', kind: 'a' }],
  ['leaves what is no time', { at: '2026-02-30T00:00:00Z' }, false, { at: '2026-02-30T00:00:00Z', kind: 'a' }],
  ['spells language tags as they are registered', { locale: 'en-us' }, false, { locale: 'en-US', kind: 'a' }],
  ['leaves what is no language tag', { locale: 'en_us' }, false, { locale: 'en_us', kind: 'a' }],
  ['does not read numbers out of JSON texts', { list: ['1'] }, false, { list: ['1'], kind: 'a' }],
  ['reads sets from repeated and separated texts', { list: ['1,2', '2'] }, true, { list: [1, 2], kind: 'a' }],
  ['reads one text as a set of one', { list: '3' }, true, { list: [3], kind: 'a' }],
  ['leaves what is no object', 'text', false, 'text'],
]
for (const [what, input, fromText, value] of cases) {
  test(what, () => assert.deepEqual(normalise(schema, input, fromText), value))
}

test('the input itself is not changed, and defaults are not shared between calls', () => {
  const input = Object.freeze({ name: ' x ', inner: Object.freeze({ name: 'y' }) })
  const first = normalise(schema, input, false) as { inner: { settings: string[] } }
  first.inner.settings.push('mine')
  assert.deepEqual(normalise(schema, input, false), { name: 'x', kind: 'a', inner: { name: 'y', settings: [] } })
})

test('a field inherited from a prototype is not an input', () => {
  const input = Object.create({ name: 'inherited' })
  assert.deepEqual(normalise(schema, input, false), { kind: 'a' })
})
