import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { canonicalJson, sha256 } from './canonical.ts'

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
