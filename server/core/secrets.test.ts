import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { derivedMacs, equalBytes, type Secrets, seal, unseal } from './secrets.ts'

const key = (id: string) => ({ id, key: randomBytes(32) })
const old = key('old')
const secrets: Secrets = { sealing_keys: [key('new'), old] }
const text = Buffer.from('a signing key')

test('what is sealed can be opened with the same context, and only with it', () => {
  const sealed = seal(secrets, text, 'row 1')
  assert.deepEqual(unseal(secrets, sealed, 'row 1'), text)
  assert.throws(() => unseal(secrets, sealed, 'row 2'))
})

test('a sealed value does not show its text, and two of them differ', () => {
  const [a, b] = [seal(secrets, text, ''), seal(secrets, text, '')]
  assert.ok(!a.includes(text))
  assert.notDeepEqual(a, b)
})

test('any altered byte is found', () => {
  const sealed = seal(secrets, text, '')
  for (let index = 0; index < sealed.length; index += 1) {
    const altered = Buffer.from(sealed)
    altered[index] = (altered[index] ?? 0) ^ 1
    assert.throws(() => unseal(secrets, altered, ''), `byte ${index}`)
  }
})

test('an older key still opens, a missing one is named', () => {
  const sealed = seal({ sealing_keys: [old] }, text, '')
  assert.deepEqual(unseal(secrets, sealed, ''), text)
  assert.throws(() => unseal({ sealing_keys: [key('new')] }, sealed, ''), /sealing key old/)
})

test('an empty text can be sealed', () => {
  assert.deepEqual(unseal(secrets, seal(secrets, Buffer.alloc(0), ''), ''), Buffer.alloc(0))
})

test('each purpose has its own key, each sealing key its own digest', () => {
  const [newest, older] = derivedMacs(secrets, 'a').map((mac) => mac('text'))
  const [other] = derivedMacs(secrets, 'b').map((mac) => mac('text'))
  assert.ok(newest && older && other)
  assert.equal(newest.length, 32)
  assert.ok(!equalBytes(newest, older) && !equalBytes(newest, other))
})

test('texts of different length are never equal', () => {
  assert.equal(equalBytes(Buffer.from('a'), Buffer.from('ab')), false)
})
