import fc from 'fast-check'
import { enterprise_schema, user_type } from '#scim/schema.ts'

/** Filters and bodies of PATCH as clients could send them: well formed, nearly so, and not at all. */

const enterprise = enterprise_schema.id

/** Texts that would do harm if they ever came into a statement, or into a pattern. */
export const hostile = [
  ...["' or '1'='1", "'; drop table people; --", '$1', '%', '_', '\\', '\\\\', '"', "''", '--', '/*', '*/'],
  ...['\0', '\u{1f600}', '\ud800', '\u202e', 'İ', 'ß', 'null', 'true', '0', '', ' ', '\t\n', '[type eq "x"]', '(('],
]
const text = fc.oneof(
  fc.constantFrom(...hostile),
  fc.constantFrom('work', 'home', 'True', 'false', 'ana@x.example', '019b8d64-4f40-7d13-8e20-44b1c7f9a035'),
  fc.string({ unit: 'binary', maxLength: 30 }),
)
const time = fc.oneof(
  fc.date({ noInvalidDate: true }).map((at) => at.toISOString()),
  fc.constantFrom(
    '9999-12-31T23:59:59-23:59',
    '0001-01-01T00:00:00+23:59',
    '2026-02-30T00:00:00Z',
    '2026-01-01T24:00:00',
  ),
  fc.constantFrom('2026-01-01T00:00:00.1234567890123456789Z', '+010000-01-01T00:00:00Z', '2026-13-01T00:00:00Z'),
)

/** Every path of the schemas with its type. */
const places = user_type.places
  .flatMap((place) => [place, ...place.parts])
  .map(({ key: path, own: { type } }) => ({ path, type }))
const names = places.map(({ path }) => path)
const odd_names = [
  ...['shoe', '', '.', 'emails.', '.value', '__proto__', 'constructor', 'emails.__proto__', 'toString', 'name.name'],
  ...[
    enterprise,
    `${enterprise}:`,
    `${enterprise}.manager`,
    `${user_type.schema.id}:userName`,
    'members',
    'urn:',
    'a.b.c.d',
  ],
]
const anyCase = (path: string) => fc.constantFrom(path, path, path.toUpperCase(), path.toLowerCase())
const name = fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...names) }, fc.constantFrom(...odd_names)).chain(anyCase)
const part = fc.constantFrom('value', 'type', 'primary', 'display', 'locality', '$ref', 'shoe')

const operator = fc.constantFrom('eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le', 'EQ', 'pr', 'like', '=')
const literal = fc.oneof(
  text.map((one) => JSON.stringify(one)),
  time.map((one) => JSON.stringify(one)),
  fc.constantFrom(
    'true',
    'False',
    'null',
    '12',
    '-1e9',
    'bare-word',
    '2026-01-01T00:00:00Z',
    '"\\u0000"',
    '"\\x"',
    '"',
  ),
)
const ofType = (wanted: RegExp) => anyOf(places.filter(({ type }) => wanted.test(type)).map(({ path }) => path))
const anyOf = (paths: readonly string[]) => fc.constantFrom(...paths).chain(anyCase)
const join = (...parts: [fc.Arbitrary<string>, ...fc.Arbitrary<string>[]]) =>
  fc.tuple(...parts).map((words) => words.join(' '))
/** Tests as they should be. */
const fitting = fc.oneof(
  join(
    ofType(/string|reference/),
    fc.constantFrom('eq', 'ne', 'co', 'sw', 'ew', 'gt', 'le'),
    text.map((one) => JSON.stringify(one)),
  ),
  join(ofType(/boolean/), fc.constantFrom('eq', 'ne'), fc.constantFrom('true', '"False"', 'null')),
  join(
    ofType(/dateTime/),
    fc.constantFrom('eq', 'ne', 'gt', 'le'),
    time.map((one) => JSON.stringify(one)),
  ),
  anyOf(names).map((one) => `${one} pr`),
)
const test = (of: fc.Arbitrary<string>) =>
  fc.oneof(
    { weight: 5, arbitrary: fc.tuple(of, operator, literal).map((words) => words.join(' ')) },
    of.map((one) => `${one} pr`),
  )
const { filter, inner } = fc.letrec<{ filter: string; inner: string }>((tie) => ({
  inner: fc.oneof(
    { maxDepth: 2 },
    test(part),
    fc.tuple(tie('inner'), fc.constantFrom('and', 'or'), tie('inner')).map((words) => words.join(' ')),
    tie('inner').map((one) => `not (${one})`),
  ),
  filter: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    { weight: 6, arbitrary: fitting },
    test(name),
    fc.tuple(name, tie('inner')).map(([of, one]) => `${of}[${one}]`),
    fc
      .tuple(name, tie('inner'), part, operator, literal)
      .map(([of, one, sub, ...rest]) => `${of}[${one}].${sub} ${rest.join(' ')}`),
    fc.tuple(tie('filter'), fc.constantFrom('and', 'or', 'OR', 'And'), tie('filter')).map((words) => words.join(' ')),
    tie('filter').map((one) => `(${one})`),
    tie('filter').map((one) => `not(${one})`),
  ),
}))

/** A text with a piece taken out, doubled or put in. */
const mutated = (whole: fc.Arbitrary<string>) =>
  fc
    .tuple(
      whole,
      fc.nat(),
      fc.nat({ max: 6 }),
      fc.constantFrom('', '(', ')', '[', ']', '"', '\\', ' ', '.', 'not ', ' and '),
    )
    .map(([one, at, length, piece]) => {
      const place = one.length === 0 ? 0 : at % one.length
      return one.slice(0, place) + piece + one.slice(place + length)
    })

export const filters: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: filter },
  { weight: 3, arbitrary: mutated(filter) },
  fc.string({ unit: 'binary', maxLength: 200 }),
)

const path = fc.oneof(
  { weight: 4, arbitrary: name },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom('emails', 'phoneNumbers', 'addresses', 'roles', 'name', 'members'), inner)
      .map(([of, one]) => `${of}[${one}]`),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom('emails', 'addresses', 'roles', 'Emails'), inner, part)
      .map(([of, one, sub]) => `${of}[${one}].${sub}`),
  },
  mutated(filter),
)
const element = fc.record(
  {
    value: text,
    type: fc.constantFrom('work', 'home', 7, null),
    primary: fc.constantFrom(true, false, 'True', 'x'),
    display: text,
  },
  { requiredKeys: [] },
)
const value = fc.oneof(
  text,
  fc.boolean(),
  fc.constantFrom(null, 'True', 7, [], {}, ''),
  element,
  fc.array(element, { maxLength: 3 }),
  fc.dictionary(path, fc.oneof(text, element, fc.boolean(), fc.jsonValue({ maxDepth: 2 })), { maxKeys: 3 }),
  fc.jsonValue({ maxDepth: 3 }),
)
const operation = fc.record(
  {
    op: fc.constantFrom('add', 'Replace', 'REMOVE', 'remove', 'replace', 'move', 7),
    path: fc.oneof({ weight: 6, arbitrary: path }, fc.constantFrom(null, '', 7)),
    value,
  },
  { requiredKeys: ['op'] },
)

const word = fc.constantFrom('Lead', 'ana@x.example', 'ß', "o'hara", '%')
const entry = fc.record(
  { value: word, type: fc.constantFrom('work', 'home'), primary: fc.boolean() },
  { requiredKeys: ['value'] },
)
/** Operations as they should be. */
const fittingOperation = fc.oneof(
  fc.record({
    op: fc.constantFrom('add', 'Replace'),
    path: fc.constantFrom('title', 'name.givenName', `${enterprise}:costCenter`),
    value: word,
  }),
  fc.record({
    op: fc.constantFrom('add', 'replace'),
    path: fc.constantFrom('emails', 'roles'),
    value: fc.array(entry, { maxLength: 3 }),
  }),
  fc.record({
    op: fc.constantFrom('add', 'replace', 'remove'),
    path: inner.map((one) => `emails[${one}]`),
    value: entry,
  }),
  fc.record({
    op: fc.constantFrom('add', 'Replace', 'remove'),
    path: fc
      .tuple(fc.constantFrom('emails', 'roles'), fc.constantFrom('type eq "work"', 'value pr', 'not (primary eq true)'))
      .map(([of, one]) => `${of}[${one}].display`),
    value: word,
  }),
  fc.record({
    op: fc.constant('replace'),
    value: fc.record({ active: fc.boolean(), nickName: word, 'name.familyName': word }, { requiredKeys: [] }),
  }),
  fc.record({
    op: fc.constant('remove'),
    path: fc.constantFrom('title', 'emails', 'name', enterprise.concat(':manager')),
  }),
)

/** Bodies of PATCH, parsed: what a client can send is what JSON holds. */
export const patches: fc.Arbitrary<object> = fc
  .oneof(
    { weight: 5, arbitrary: fc.record({ Operations: fc.array(fittingOperation, { minLength: 1, maxLength: 4 }) }) },
    { weight: 5, arbitrary: fc.record({ Operations: fc.array(operation, { maxLength: 4 }) }) },
    fc.record(
      { operations: fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 3 }), schemas: fc.jsonValue() },
      { requiredKeys: [] },
    ),
  )
  .map((body) => JSON.parse(JSON.stringify(body)))
