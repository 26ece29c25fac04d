import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idPattern, newId } from './id.ts'

test('an id is a lower-case UUIDv7 of its moment', () => {
  const at_ms = Date.parse('2026-03-02T09:00:00.123Z')
  const id = newId(at_ms)
  assert.match(id, new RegExp(idPattern))
  assert.match(id, /^.{14}7.{4}[89ab]/)
  assert.equal(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16), at_ms)
})

test('100,000 ids of few milliseconds are different', () => {
  const ids = new Set(
    Array.from({ length: 100_000 }, (_, index) => newId(1_772_442_000_000 + Math.floor(index / 2_000))),
  )
  assert.equal(ids.size, 100_000)
})

test('ids of one millisecond sort in the order they were made', () => {
  const ids = Array.from({ length: 2_000 }, () => newId(1_772_442_000_000))
  assert.deepEqual(ids.toSorted(), ids)
})
