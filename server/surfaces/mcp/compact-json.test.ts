import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { compactJson } from './tool-server.ts'

/** Texts that look like members, and like the ends of texts. */
const texts = fc.oneof(
  fc.string(),
  fc.constantFrom(
    '","a":null,"',
    ',',
    '{',
    ':null',
    '\\',
    '{"a":null}',
    ',"a":null',
    '":null',
    'a":null',
    '\\","a":null',
  ),
)
const names = fc.constantFrom('a', 'b_1', 'amount')
const values = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, fc.constant(null), texts, fc.integer(), fc.boolean(), tie('list'), tie('object')),
  list: fc.array(tie('value'), { maxLength: 4 }),
  object: fc.dictionary(names, tie('value'), { maxKeys: 3, noNullPrototype: true }),
})).object

test('what is taken out are the members that are null, and nothing of any text', () => {
  fc.assert(
    fc.property(values, (body) => {
      assert.deepEqual(JSON.parse(compactJson(JSON.stringify(body))), withoutNulls(body))
    }),
    { numRuns: 2_000 },
  )
})

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([, member]) => member !== null)
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNulls(member)]))
}
