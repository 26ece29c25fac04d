import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Problem } from '#core/problems.ts'
import { createCredentialLookUps } from './credential-look-ups.ts'

/** Look-ups that are answered when the test says so. */
function asked() {
  const pending: (() => void)[] = []
  const ask = (row: object | undefined) => () =>
    new Promise<object | undefined>((resolve) => void pending.push(() => resolve(row)))
  return { pending, ask }
}

test('credentials that were never met are looked up two at a time, in order; one that was good does not wait', async () => {
  const lookUps = createCredentialLookUps()
  await lookUps.find('known', async () => ({}))
  const { pending, ask } = asked()
  const invented = Array.from({ length: 50 }, (_, n) => lookUps.find(`invented ${n}`, ask(undefined)))
  await nextTurn()
  assert.equal(pending.length, 2)
  const known = lookUps.find('known', ask({ id: 1 }))
  assert.equal(pending.length, 3)
  pending[2]?.()
  assert.deepEqual(await known, { id: 1 })
  const fresh = lookUps.find('fresh', async () => ({ id: 2 }))
  pending.splice(2, 1)
  for (let turns = 0; pending.length > 0 && turns < 100; turns += 1) {
    pending.shift()?.()
    await nextTurn()
  }
  assert.deepEqual(new Set(await Promise.all(invented)), new Set([undefined]))
  assert.deepEqual(await fresh, { id: 2 })
})

test('a credential is asked for each time, and waits like any other after it was refused once', async () => {
  const lookUps = createCredentialLookUps()
  await lookUps.find('token', async () => ({}))
  assert.equal(await lookUps.find('token', async () => undefined), undefined)
  const { pending, ask } = asked()
  void lookUps.find('a', ask(undefined))
  void lookUps.find('b', ask(undefined))
  const again = lookUps.find('token', ask({}))
  await nextTurn()
  assert.equal(pending.length, 2)
  pending[0]?.()
  await nextTurn()
  pending[2]?.()
  assert.deepEqual(await again, {})
})

test('a look-up that fails gives its place to the next, and beyond 10,000 waiting ones the answer is 503', async () => {
  const lookUps = createCredentialLookUps()
  for (let turn = 0; turn < 5; turn += 1) {
    await assert.rejects(
      lookUps.find('x', () => Promise.reject(new Error('away'))),
      /away/,
    )
  }
  const { ask } = asked()
  for (let turn = 0; turn < 10_002; turn += 1) void lookUps.find(String(turn), ask(undefined))
  await assert.rejects(
    lookUps.find('one more', ask({})),
    (error) => error instanceof Problem && error.definition.status === 503,
  )
})
