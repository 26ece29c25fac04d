import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createComponents, type Json, pascalCase } from './components.ts'

const money = (name: string): Json => ({
  type: 'object',
  required: ['amount', 'currency'],
  properties: Object.fromEntries(
    ['amount', 'currency', 'scale', 'frequency'].map((field) => [
      field,
      { type: 'string', description: `${name}: ${field}` },
    ]),
  ),
})
const holder = (field: string, child: Json): Json => ({ type: 'object', properties: { [field]: child } })
const root = (name: string, schema: Json) => ({ names: [name], schema })

test('a schema met twice is one component, named after the field it was first met under', () => {
  const [first, second] = [holder('unit_price', money('a')), holder('fee', money('a'))]
  const { schemas, place } = createComponents([root('Invoice', first), root('Payment', second)])
  assert.deepEqual(Object.keys(schemas), ['UnitPrice'])
  assert.deepEqual(place(second), holder('fee', { $ref: '#/components/schemas/UnitPrice' }))
})

test('a schema met once stays where it is', () => {
  const schema = holder('unit_price', money('a'))
  const { schemas, place } = createComponents([root('Invoice', schema)])
  assert.deepEqual(schemas, {})
  assert.deepEqual(place(schema), schema)
})

test('two shapes under one field name get two component names', () => {
  const [a, b] = [holder('price', money('a')), holder('price', money('b'))]
  const roots = [root('Invoice', a), root('Draft', a), root('Payment', b), root('Refund', b)]
  const { schemas } = createComponents(roots.map((one) => ({ ...one, schema: holder('lines', one.schema) })))
  assert.equal(
    new Set(Object.values(schemas).map((schema) => JSON.stringify(schema))).size,
    Object.keys(schemas).length,
  )
  assert.equal(Object.keys(schemas).length, 2)
})

test('a title names its component, and other words stand beside the reference', () => {
  const id: Json = { title: 'Id', type: 'string', description: 'Lower-case UUID.' }
  const schema: Json = { type: 'object', properties: { id, parent_id: { ...id, description: 'The parent.' } } }
  const { schemas, place } = createComponents([root('Team', schema)])
  assert.deepEqual(Object.keys(schemas), ['Id'])
  assert.deepEqual((place(schema).properties as Json).parent_id, {
    $ref: '#/components/schemas/Id',
    description: 'The parent.',
  })
})

test('keywords of our own normaliser stay inside', () => {
  const { place } = createComponents([])
  assert.deepEqual(place({ type: 'string', trim: true }), { type: 'string' })
  assert.deepEqual(place({ type: 'array', set: true, items: { enum: ['a'] } }), {
    type: 'array',
    items: { type: 'string', enum: ['a'] },
  })
})

test('names become Pascal case whatever separates their words', () => {
  assert.deepEqual(['time_off_policy', 'time-off.created', 'id'].map(pascalCase), [
    'TimeOffPolicy',
    'TimeOffCreated',
    'Id',
  ])
})
