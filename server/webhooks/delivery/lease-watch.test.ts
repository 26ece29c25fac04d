import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LeaseWatch } from './lease-watch.ts'

test('a lease is stale when it was seen unchanged for 120 seconds; one that was gone in between begins anew', () => {
  const watch = new LeaseWatch()
  assert.deepEqual(watch.stale(['a', 'b'], 0), [])
  assert.deepEqual(watch.stale(['a'], 60_000), [])
  assert.deepEqual(watch.stale(['a', 'b'], 119_999), [])
  assert.deepEqual(watch.stale(['a', 'b'], 120_000), ['a'])
  assert.deepEqual(watch.stale(['b'], 239_999), ['b'])
})
