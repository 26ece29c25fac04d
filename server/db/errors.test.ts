import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DatabaseUnavailable, explain } from './errors.ts'

test('a broken connection is told as an unavailable database', () => {
  for (const cause of [
    new Error('Connection terminated unexpectedly'),
    Object.assign(new Error('connect failed'), { code: 'ECONNREFUSED' }),
    new AggregateError([], 'connect ECONNREFUSED 127.0.0.1:5432'),
  ]) {
    assert.ok(explain(cause) instanceof DatabaseUnavailable, cause.message)
  }
})

test('an error of the service stays what it is, whatever its words say', () => {
  const refusal = Object.assign(new Error('The contract is terminated. Connection terminated.'), { name: 'Problem' })
  assert.equal(explain(refusal), refusal)
})
