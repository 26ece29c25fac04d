import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultOfPassword, hashPassword, verifyPassword } from './password.ts'

test('a password verifies against its own hash only, and the hash tells its parameters', async () => {
  const hash = await hashPassword('correct horse battery')
  assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  assert.equal(await verifyPassword('correct horse battery', hash), true)
  assert.equal(await verifyPassword('correct horse batterx', hash), false)
  assert.equal(await verifyPassword('correct horse battery', 'not a hash'), false)
})

test('12 to 128 characters are accepted, counted as people count them', () => {
  assert.equal(faultOfPassword('😀'.repeat(12)), null)
  assert.match(faultOfPassword('a'.repeat(11)) ?? '', /at least 12/)
  assert.match(faultOfPassword('a'.repeat(129)) ?? '', /at most 128/)
})
