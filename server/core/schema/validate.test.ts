import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  CalendarDate,
  Closed,
  Country,
  CurrencyCode,
  Email,
  Id,
  MultilineText,
  Nullable,
  PageInput,
  Percent,
  SetOf,
  Text,
  Timestamp,
  Type,
} from './schema.ts'
import { compileInput, compileOutput } from './validate.ts'

const schema = Closed({
  name: Type.Optional(Text(1, 5)),
  lines: Type.Optional(MultilineText(0, 9)),
  note: Type.Optional(Type.String({ maxLength: 10 })),
  born: Type.Optional(CalendarDate),
  at: Type.Optional(Timestamp),
  email: Type.Optional(Email),
  id: Type.Optional(Id),
  count: Type.Optional(Type.Integer({ minimum: 0, maximum: 10 })),
  tags: Type.Optional(SetOf(Type.Enum(['a', 'b']))),
  nested: Type.Optional(Closed({ inner: Text(1, 3) })),
  free: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  cleared: Type.Optional(Nullable(Text(1, 5))),
  rate: Type.Optional(Nullable(Percent)),
})
const validate = compileInput(schema)

const accepted: [what: string, input: object, value: object][] = [
  ['text is trimmed', { name: '  abc ' }, { name: 'abc' }],
  ['a character outside the basic plane counts once', { name: '😀😀😀😀😀' }, { name: '😀😀😀😀😀' }],
  ['line feeds are text where several lines are', { lines: 'a\r\nb' }, { lines: 'a\nb' }],
  ['any offset becomes UTC with milliseconds', { at: '2026-03-02T10:00:00+01:00' }, { at: '2026-03-02T09:00:00.000Z' }],
  ['a leap day is a date', { born: '2024-02-29' }, { born: '2024-02-29' }],
  ['null clears a nullable field', { cleared: null }, { cleared: null }],
  ['a set drops duplicates', { tags: ['a', 'b', 'a'] }, { tags: ['a', 'b'] }],
  ['free fields hold what they like', { free: { a: [1, { b: null }] } }, { free: { a: [1, { b: null }] } }],
]
for (const [what, input, value] of accepted) {
  test(`accepted: ${what}`, () => assert.deepEqual(validate(input, false), { ok: true, value }))
}

const refused: [what: string, input: unknown, pointer: string, message?: RegExp][] = [
  ['an unknown field', { other: 1 }, '/other', /not a known field/],
  ['an unknown nested field', { nested: { inner: 'a', other: 1 } }, '/nested/other', /not a known field/],
  ['a missing nested field', { nested: {} }, '/nested/inner', /is required/],
  ['a field called __proto__', JSON.parse('{"__proto__":{"name":"x"}}'), '/__proto__', /not a known field/],
  ['a field called constructor', { constructor: 1 }, '/constructor', /not a known field/],
  ['a pointer with its own signs', { 'a/b~c': 1 }, '/a~1b~0c'],
  ['a form of its own, by its description', { rate: '101' }, '/rate', /from 0 to 100 with at most 4 decimals/],
  ['a number for a rate, by the form of rates', { rate: 19 }, '/rate', /Decimal string from 0 to 100/],
  ['text of blanks', { name: '   ' }, '/name'],
  ['text that is too long after trimming', { name: 'abcdef' }, '/name'],
  ['a control character', { name: 'a\u0001' }, '/name', /one line/],
  ['a line break where one line is', { name: 'a\nb' }, '/name', /one line/],
  ['a tab, also where several lines are', { lines: 'a\tb' }, '/lines', /tabs/],
  ['nothing that can be seen', { name: '\u200b' }, '/name', /visible/],
  ['a quoted e-mail address', { email: '"a b"@c.example' }, '/email', /without quotes/],
  ['a NUL character where any text may stand', { note: 'a\0' }, '/note', /characters/],
  ['half a surrogate pair', { name: 'a\ud800' }, '/name', /characters/],
  ['half a surrogate pair in a list', { tags: ['\udc00'] }, '/tags/0'],
  ['NUL in a free field', { free: { a: ['x\0'] } }, '/free/a/0', /characters/],
  ['NUL in the name of a free field', { free: { 'x\0': 1 } }, '/free', /name/],
  ['null where a field cannot be cleared', { name: null }, '/name'],
  ['a number for a text', { name: 5 }, '/name', /must be a string/],
  ['a text for a number', { count: '5' }, '/count', /must be an integer/],
  ['a broken number', { count: 1.5 }, '/count'],
  ['a number out of bounds', { count: 11 }, '/count'],
  ['a date that no calendar has', { born: '2026-02-30' }, '/born', /YYYY-MM-DD/],
  ['the year 0000', { born: '0000-01-01' }, '/born'],
  ['a time of the year 0000', { at: '0000-06-01T00:00:00Z' }, '/at', /RFC 3339/],
  ['a time after the year 9999', { at: '9999-12-31T23:59:59-23:00' }, '/at'],
  ['a leap second', { at: '2026-12-31T23:59:60Z' }, '/at'],
  ['a leap second with milliseconds', { at: '2026-12-31T23:59:60.000Z' }, '/at'],
  ['a time on a date that no calendar has', { at: '2026-02-30T00:00:00Z' }, '/at', /RFC 3339/],
  ['the same in the form of an answer', { at: '2026-02-30T00:00:00.000Z' }, '/at', /RFC 3339/],
  ['the hour 24', { at: '2026-01-12T24:00:00Z' }, '/at', /RFC 3339/],
  ['the hour 25 in the form of an answer', { at: '2026-01-12T25:00:00.000Z' }, '/at', /RFC 3339/],
  ['a time that UTC puts into the year 0000', { at: '0001-01-01T00:00:00+01:00' }, '/at'],
  ['a time without offset', { at: '2026-03-02T10:00:00' }, '/at'],
  ['an upper-case id', { id: '019CADC6-9A80-70DF-929E-750F1228D11D' }, '/id'],
  ['an address without @', { email: 'someone' }, '/email', /e-mail/],
  ['an empty set', { tags: [] }, '/tags'],
  ['a word outside the enumeration', { tags: ['c'] }, '/tags/0', /one of a, b/],
  ['a list for an object', { nested: [] }, '/nested'],
  ['no object at all', [], ''],
]
for (const [what, input, pointer, message] of refused) {
  test(`refused: ${what}`, () => {
    const result = validate(input, false)
    assert.ok(!result.ok)
    const error = result.errors.find((each) => each.pointer === pointer)
    assert.ok(error, JSON.stringify(result.errors))
    if (message) assert.match(error.message, message)
  })
}

for (const [levels, message] of [
  [20, /levels deep/],
  [9_000, /levels deep/],
  [100_000, /levels deep/],
] as const) {
  test(`a value nested ${levels} levels deep is refused without ending the process`, () => {
    const deep = JSON.parse(`{"free":{"a":${'['.repeat(levels)}${']'.repeat(levels)}}}`)
    const result = validate(deep, false)
    assert.ok(!result.ok)
    assert.match(result.errors[0]?.message ?? '', message)
  })
}

test('a refusal names at most 20 places', () => {
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`f${index}`, '\0']))
  const result = validate(many, false)
  assert.equal(result.ok || result.errors.length, 20)
})

test('an input of more values than any schema has is refused before it is looked at', () => {
  const rows = (count: number) => Array.from({ length: count }, () => ({ a: 1 }))
  const tooMany = { ok: false, errors: [{ pointer: '', message: 'has more than 10000 values' }] }
  assert.deepEqual(validate({ free: { rows: rows(5_000) } }, false), tooMany)
  assert.equal(validate({ free: { rows: rows(4_900) } }, false).ok, true)
  assert.deepEqual(validate(Object.fromEntries(rows(10_001).map((_, index) => [`f${index}`, 1])), false), tooMany)
})

test('query texts are read by their declared type', () => {
  const list = compileInput(
    Closed({ ...PageInput, flag: Type.Optional(Type.Boolean()), tags: Type.Optional(SetOf(Text(1, 9))) }),
  )
  assert.deepEqual(list({ limit: '5', flag: 'true', tags: ['a,b', 'b', 'c'] }, true), {
    ok: true,
    value: { limit: 5, flag: true, tags: ['a', 'b', 'c'] },
  })
  assert.deepEqual(list({}, true), { ok: true, value: { limit: 20 } })
  for (const limit of ['x', '', '0x5', '1e1', ' 5', '5.5', '101', '0', ['1', '2']]) {
    assert.equal(list({ limit }, true).ok, false, String(limit))
  }
  assert.equal(list({ flag: 'yes' }, true).ok, false)
})

test('regression: an answer with a field that its schema does not name is a mistake', () => {
  const check = compileOutput(Type.Object({ rows: Type.Array(Nullable(Type.Object({ id: Type.String() }))) }))
  assert.deepEqual(check({ rows: [{ id: 'a' }, null] }), [])
  assert.deepEqual(
    check({ rows: [{ id: 'a', cursor_keys: [] }] }).map(({ pointer }) => pointer),
    ['/rows/0/cursor_keys'],
  )
})

test('a code that is not of its list is told once', () => {
  const codes = compileInput(Closed({ country: Country, currency: CurrencyCode }))
  for (const [country, currency] of [
    ['DEU', 'EURO'],
    ['', ''],
    ['XX', 'XXQ'],
  ]) {
    const result = codes({ country, currency }, false)
    assert.deepEqual(
      result.ok || result.errors.map(({ pointer, message }) => `${pointer} ${/ISO \d+/.exec(message)}`),
      ['/country ISO 3166', '/currency ISO 4217'],
    )
  }
})
