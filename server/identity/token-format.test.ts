import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newToken, tokenKindOf } from './token-format.ts'

const vectors = [
  'stint_org_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg0I2ufO',
  'stint_test_org_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg3UUfDr',
]

test('the published check vectors are well formed', () => {
  for (const token of vectors) assert.equal(tokenKindOf(token), 'organization')
})

test('a wrong checksum, kind or length is refused without asking the database', () => {
  const [vector = ''] = vectors
  for (const token of [`${vector.slice(0, -1)}P`, vector.replace('org', 'pat'), `${vector}0`, vector.slice(1), ''])
    assert.equal(tokenKindOf(token), null, token)
})

test('a new secret has its kind, shows a sandbox, and matches the pattern published for secret scanners', () => {
  const scanner = /(?<![0-9A-Za-z_])stint_(?:test_)?(?:org|pat|wkr|oat|ort|oac|ocs)_[0-9A-Za-z]{49}(?![0-9A-Za-z_])/
  for (const kind of ['organization', 'personal', 'worker', 'oauth', 'refresh', 'code', 'client_secret'] as const) {
    for (const is_sandbox of [true, false]) {
      const token = newToken(kind, is_sandbox)
      assert.equal(tokenKindOf(token), kind)
      assert.match(token, scanner)
      assert.equal(token.startsWith('stint_test_'), is_sandbox)
    }
  }
})
