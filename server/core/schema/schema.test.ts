import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ActorSchema,
  Closed,
  Id,
  MoneyInput,
  MultilineText,
  Nullable,
  PageInput,
  PageOf,
  Percent,
  Sensitive,
  SetOf,
  Text,
  type TSchema,
  Type,
} from './schema.ts'
import { compileInput, compileOutput } from './validate.ts'

const accepts = (schema: TSchema, value: unknown) => compileOutput(schema)(value).length === 0

const forms: [name: string, schema: TSchema, good: unknown[], bad: unknown[]][] = [
  [
    'Id',
    Id,
    ['019cadc6-9a80-70df-929e-750f1228d11d'],
    ['019CADC6-9A80-70DF-929E-750F1228D11D', '019cadc69a8070df929e750f1228d11d', '', 1, null],
  ],
  [
    'MoneyInput',
    MoneyInput,
    ['0', '4200.00', '999999999999.99'],
    ['-1', '1e3', '.5', '5.', '1,00', ' 1', '1000000000000', 1],
  ],
  ['Percent', Percent, ['0', '19', '9.975', '100', '100.0000'], ['101', '100.1', '-1', '1.00001', '', 19]],
  ['Text', Text(2, 4), ['ab', 'abcd', '東京'], ['a', 'abcde', 'a\nb', 'a\u0000b', 'a\u007fb', '\u200b\u200b', 5]],
  ['MultilineText', MultilineText(2, 4), ['ab', 'a\nb'], ['a', 'a\tb', 'a\u202eb', '\u200b\n\u200b', 5]],
  ['Nullable', Nullable(Type.Integer()), [1, null], ['1', undefined]],
  ['SetOf', SetOf(Type.Enum(['a', 'b'])), [['a'], ['a', 'b']], [[], ['c'], 'a', Array.from({ length: 51 }, () => 'a')]],
  ['Closed', Closed({ a: Type.Integer() }), [{ a: 1 }], [{ a: 1, b: 2 }, {}, [], null]],
  [
    'Actor',
    ActorSchema,
    [{ kind: 'system', id: null, name: 'x' }],
    [
      { kind: 'other', id: null, name: 'x' },
      { kind: 'user', name: 'x' },
    ],
  ],
]
for (const [name, schema, good, bad] of forms) {
  test(`${name} takes its values and no others`, () => {
    for (const value of good) assert.ok(accepts(schema, value), JSON.stringify(value))
    for (const value of bad) assert.ok(!accepts(schema, value), JSON.stringify(value))
  })
}

test('a sensitive field may be null and carries its category', () => {
  const schema = Sensitive('compensation', Type.String())
  assert.ok(accepts(schema, null) && accepts(schema, 'x') && !accepts(schema, 1))
  assert.equal((schema as { 'x-sensitive'?: string })['x-sensitive'], 'compensation')
})

test('a page has its four fields', () => {
  const schema = PageOf(Type.Object({ id: Id }))
  assert.ok(accepts(schema, { data: [], cursor: null, has_more: false, total_count: 0 }))
  assert.ok(!accepts(schema, { data: [], has_more: false, total_count: 0 }))
  assert.ok(!accepts(schema, { data: [], cursor: null, has_more: false, total_count: -1 }))
})

test('the inputs of a list have their defaults and bounds', () => {
  const read = compileInput(Closed(PageInput))
  assert.deepEqual(read({}, true), { ok: true, value: { limit: 20 } })
  for (const input of [
    { limit: '0' },
    { limit: '101' },
    { cursor: '' },
    { cursor: 'x'.repeat(513) },
    { updated_after: 'today' },
  ]) {
    assert.equal(read(input, true).ok, false, JSON.stringify(input))
  }
})
