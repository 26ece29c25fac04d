import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SensitiveCategory } from '../caller.ts'
import { compileWithholding } from './fields.ts'
import { LabelledValues } from './labels.ts'
import { Nullable, Sensitive, Type } from './schema.ts'

const pay: SensitiveCategory = 'compensation'
const home: SensitiveCategory = 'home_address'

const schema = Type.Object({
  id: Type.String(),
  amount: Sensitive(pay, Type.String()),
  address: Sensitive(home, Type.Object({ city: Type.String() })),
  inner: Nullable(Type.Object({ rate: Sensitive(pay, Type.Number()), unit: Type.String() })),
  lines: Type.Array(Type.Object({ total: Sensitive(pay, Type.String()), text: Type.String() })),
  changes: Type.Array(
    Type.Object({
      field: Type.String(),
      to: Sensitive(pay, Type.String(), { field: 'field', is: 'amount' }),
    }),
  ),
})
const value = {
  id: 'a',
  amount: '10.00',
  address: { city: 'Kiel' },
  inner: { rate: 5, unit: 'hour' },
  lines: [{ total: '1.00', text: 'x' }],
  changes: [
    { field: 'amount', to: '11.00' },
    { field: 'title', to: 'Lead' },
  ],
}
const { withhold, withheld, categories } = compileWithholding(schema)

test('every category of the schema is known, sorted', () => assert.deepEqual(categories, [pay, home]))

test('with every category the value is the value', () => {
  const granted = new Set([pay, home])
  assert.equal(withhold(value, granted), value)
  assert.deepEqual(withheld(granted), [])
})

test('without a category its fields are null wherever they stand, present and not absent', () => {
  assert.deepEqual(withhold(value, new Set()), {
    id: 'a',
    amount: null,
    address: null,
    inner: { rate: null, unit: 'hour' },
    lines: [{ total: null, text: 'x' }],
    changes: [
      { field: 'amount', to: null },
      { field: 'title', to: 'Lead' },
    ],
  })
  assert.deepEqual(withheld(new Set()), [pay, home])
})

test('what shows no withheld value is not copied: a long list would pay for it', () => {
  const labelled = compileWithholding(Type.Object({ values: LabelledValues }))
  const plain = { values: { team: 'red' } }
  assert.equal(labelled.open(plain, new Set()).value, plain)
  const { value: opened, withheld } = labelled.open({ values: { rate: { category: pay, value: 5 } } }, new Set())
  assert.deepEqual([opened, withheld], [{ values: { rate: 5 } }, [pay]])
  assert.equal(withhold(value, new Set([home])).address, value.address)
})

test('one category shows its own fields only', () => {
  const shown = withhold(value, new Set([home]))
  assert.deepEqual([shown.amount, shown.address], [null, { city: 'Kiel' }])
})

test('the given value is not changed', () => {
  const before = structuredClone(value)
  withhold(value, new Set())
  assert.deepEqual(value, before)
})

test('null and absent places stay as they are', () => {
  const sparse = { id: 'a', amount: null, inner: null, lines: [] }
  assert.deepEqual(withhold(sparse, new Set()), sparse)
})

test('two alternatives with sensitive fields stop the boot: the fields of the second would be shown', () => {
  const alternative = Type.Object({ amount: Sensitive(pay, Type.String()) })
  assert.throws(() => compileWithholding(Type.Union([alternative, alternative])), /only one alternative/)
})
