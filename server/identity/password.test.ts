import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultOfPassword, hashPassword, isOutdated, verifyPassword } from './password.ts'

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
  assert.match(faultOfPassword('a1😀'.repeat(43)) ?? '', /at most 128/)
})

const common = [
  'Password1234',
  'PASSWORD!!!!',
  'qwertyuiop12',
  '123456789012',
  '1q2w3e4r5t6y',
  'abcabcabcabc',
  'aaaaaaaaaaaa',
  'Summer2026!!',
]
for (const password of common) {
  test(`${password} is refused, as everybody tries it`, () =>
    assert.match(faultOfPassword(password) ?? '', /tried first/))
}

test('a sentence is taken', () => {
  for (const password of ['seven quiet herons', 'Password of my late aunt', 'zR7#pQ2!vX9w'])
    assert.equal(faultOfPassword(password), null)
})

test('nobody has a password, and finding that out takes the same work as a wrong one', async () => {
  assert.equal(await verifyPassword('correct horse battery', null), false)
  // The least of five: whatever else the process does comes on top of some of them only.
  const spent = async (phc: string | null) => {
    const rounds: number[] = []
    for (let times = 0; times < 5; times += 1) {
      const before = process.cpuUsage()
      await verifyPassword('wrong', phc)
      rounds.push(process.cpuUsage(before).user)
    }
    return Math.min(...rounds)
  }
  const [somebody, nobody] = [await spent(await hashPassword('correct horse battery')), await spent(null)]
  assert.ok(nobody > somebody / 3 && nobody < somebody * 3, `${nobody} µs against ${somebody} µs`)
})

test('a hash with other parameters is outdated', async () => {
  const hash = await hashPassword('correct horse battery')
  assert.equal(isOutdated(hash), false)
  assert.equal(isOutdated(hash.replace('t=2', 't=1')), true)
})

test('many at once wait for each other and all are answered', async () => {
  const hash = await hashPassword('correct horse battery')
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => verifyPassword(`correct horse batter${n === 7 ? 'y' : n}`, hash)),
  )
  assert.deepEqual(answers.filter(Boolean).length, 1)
})
