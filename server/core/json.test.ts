import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { canonicalJson, isUtf8, readJson, readJsonText, sha256 } from './json.ts'

const twice = { fault: 'An object in the body names a member twice.' }

for (const [what, text] of [
  ['at the top', '{"a":1,"b":2,"a":1}'],
  ['deep inside', '{"a":[{"b":{"c":1}},{"b":{"c":1,"d":[{}],"c":2}}]}'],
  ['in other spelling', '{"ab":1,"\\u0061b":2}'],
  ['with blanks before the colon', '{"a" :1,"a"\n\t:2}'],
  ['after a value with brackets and quotes', '{"a":"}{\\"a\\":","a":1}'],
  ['the empty name', '{"":1,"":2}'],
  ['__proto__', '{"__proto__":1,"__proto__":2}'],
] as const) {
  test(`a member name twice is seen: ${what}`, () => assert.deepEqual(readJsonText(text), twice))
}

for (const text of [
  '{"a":{"a":{"a":1}},"b":[{"a":1},{"a":1}]}',
  '["a","a",{"a":"a"}]',
  '{"a":"a\\",\\"a\\":","b":"a"}',
  '{"a\\\\":1,"a":2}',
  '{"1":1,"01":2}',
]) {
  test(`no member stands twice in ${text}`, () => assert.deepEqual(readJsonText(text), { value: JSON.parse(text) }))
}

test('whatever JSON.stringify writes is read as JSON.parse reads it', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(2), (text, indent) => {
      const written = JSON.stringify(JSON.parse(text), null, indent)
      assert.deepEqual(readJsonText(written), { value: JSON.parse(written) })
    }),
  )
})

test('a member written twice is seen whatever its name and place', () => {
  fc.assert(
    fc.property(fc.string(), fc.json(), fc.json(), (name, first, between) => {
      const member = `${JSON.stringify(name)}:${first}`
      assert.deepEqual(readJsonText(`[${between},{${member},"x${name.length}":${between},${member}}]`), twice)
    }),
  )
})

test('bytes that are no UTF-8 and texts that are no JSON are told apart', () => {
  assert.match(faultOf(readJson(Buffer.from([0x22, 0xc3, 0x28, 0x22]))), /UTF-8/)
  assert.match(faultOf(readJson(Buffer.from('{'))), /JSON/)
  assert.deepEqual(readJson(Buffer.from('{"é":1}')), { value: { é: 1 } })
})

for (const [type, is] of [
  [undefined, true],
  ['application/json', true],
  ['application/json; charset=utf-8', true],
  ['application/json;charset="UTF-8"', true],
  ['application/json; charset=latin1', false],
  ['application/json; charset=utf-16', false],
] as const) {
  test(`${type} ${is ? 'is' : 'is not'} UTF-8`, () => assert.equal(isUtf8(type), is))
}

for (const [text, fault] of [
  ['{x', "The JSON of the body cannot be read at line 1, column 2: expected property name or '}'."],
  ['{"a":1\n,}', 'The JSON of the body cannot be read at line 2, column 2: expected double-quoted property name.'],
  ['{"a":tru}', 'The JSON of the body cannot be read: unexpected }.'],
  ['[1,,"secret, x"]', 'The JSON of the body cannot be read: unexpected ,.'],
  ['{"a":1', "The JSON of the body cannot be read at line 1, column 7: expected ',' or '}' after property value."],
  ['', 'The JSON of the body ends too early.'],
] as const) {
  test(`the fault of ${JSON.stringify(text)} tells where or what it is, and quotes no value`, () =>
    assert.equal(faultOf(readJsonText(text)), fault))
}

const faultOf = (read: object) => ('fault' in read ? String(read.fault) : 'none')

test('the order of fields does not matter, at any depth; the order of a list does', () => {
  assert.equal(canonicalJson({ b: 1, a: { d: 2, c: [{ f: 1, e: 2 }] } }), '{"a":{"c":[{"e":2,"f":1}],"d":2},"b":1}')
  assert.notEqual(canonicalJson([1, 2]), canonicalJson([2, 1]))
})

test('equal values and only those have equal texts', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      assert.equal(canonicalJson(structuredClone(a)), canonicalJson(a))
      const same = canonicalJson(a) === canonicalJson(b)
      if (same) assert.deepEqual(JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b)))
    }),
  )
})

test('a field called __proto__ is part of the text', () => {
  assert.equal(canonicalJson(JSON.parse('{"__proto__":1}')), '{"__proto__":1}')
})

test('parts of a digest do not run into each other', () => {
  assert.notDeepEqual(sha256('ab', 'c'), sha256('a', 'bc'))
  assert.notDeepEqual(sha256('ab'), sha256('ab', ''))
})
