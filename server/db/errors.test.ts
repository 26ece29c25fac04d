import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DatabaseUnavailable, explain } from './errors.ts'

const failures: [string, string | undefined][] = [
  ['connect ECONNREFUSED 127.0.0.1:5432', 'ECONNREFUSED'],
  ['', 'ECONNREFUSED'],
  ['connect ENOENT /run/postgresql/.s.PGSQL.5432', 'ENOENT'],
  ['read ECONNRESET', 'ECONNRESET'],
  ['Connection terminated unexpectedly', undefined],
  ['timeout exceeded when trying to connect', undefined],
  ['Client has encountered a connection error and is not queryable', undefined],
  ['Client was closed and is not queryable', undefined],
  ['Cannot use a pool after calling end on the pool', undefined],
]

for (const [message, code] of failures) {
  test(`"${message}" ${code ?? ''} is a failure of the database`, () => {
    assert.ok(explain(Object.assign(new Error(message), code && { code })) instanceof DatabaseUnavailable)
  })
}

test('a refusal whose words happen to resemble a failure stays what it is', () => {
  for (const message of ['The contract is terminated; only an active one is amended.', 'The timeout exceeded 30 s.']) {
    const refusal = new Error(message)
    assert.equal(explain(refusal), refusal)
  }
})
