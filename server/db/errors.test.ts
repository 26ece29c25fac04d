import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
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

const ofServer = (code: string, message: string) => Object.assign(new pg.DatabaseError(message, 1, 'error'), { code })

test('what a pooler says of its server is a failure of the database, a statement without its values is not', () => {
  assert.ok(explain(ofServer('08P01', 'pgbouncer cannot connect to server')) instanceof DatabaseUnavailable)
  const own = ofServer('08P01', 'bind message supplies 1 parameters, but prepared statement "s1" requires 2')
  assert.equal(explain(own), own)
})

test('a disk that is full, read-only or broken is a failure of the database, a right that is missing is not', () => {
  for (const [code, message] of [
    ['53100', 'could not extend file "base/1/2": No space left on device'],
    ['42501', 'could not open file "base/1/2": Read-only file system'],
    ['58030', 'could not read block 7 in file "base/1/2": Input/output error'],
  ] as const)
    assert.ok(explain(ofServer(code, message)) instanceof DatabaseUnavailable, message)
  const refusal = ofServer('42501', 'permission denied for table users')
  assert.equal(explain(refusal), refusal)
})

test('a refusal whose words happen to resemble a failure stays what it is', () => {
  for (const message of ['The contract is terminated; only an active one is amended.', 'The timeout exceeded 30 s.']) {
    const refusal = new Error(message)
    assert.equal(explain(refusal), refusal)
  }
})
