import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Problem } from '#core/problems.ts'
import { openDatabase } from '#db/database.ts'
import { startTestService, type TestService } from '#test/service.ts'
import { createCredentialLookUps, createTokenUses } from './resolve-caller.ts'

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

let service: TestService
let id: string
before(async () => {
  service = await startTestService()
  // Not the token of the calls, whose uses the service itself notes.
  id = (await service.call('POST', '/api-tokens', { body: { name: 'x', scopes: ['contracts:read'] } })).body.id
})
after(() => service.close())

const used = async () => {
  const { last_used_at, last_used_address } = (await service.call('GET', `/api-tokens/${id}`)).body
  return [last_used_at, last_used_address]
}

test('a use is written when it is flushed, with time and address, and at most once a minute', async () => {
  const uses = createTokenUses(service.database.database, service.runtime.log)
  uses.note(service.organization.id, id, '192.0.2.1')
  await uses.flush()
  const first = new Date(service.clock.now()).toISOString()
  assert.deepEqual(await used(), [first, '192.0.2.1'])
  await service.clock.advance(30_000)
  uses.note(service.organization.id, id, '192.0.2.2')
  await uses.flush()
  assert.deepEqual(await used(), [first, '192.0.2.1'])
  await service.clock.advance(31_000)
  uses.note(service.organization.id, id, '192.0.2.2')
  await uses.flush()
  assert.deepEqual(await used(), [new Date(service.clock.now()).toISOString(), '192.0.2.2'])
})

test('a use that cannot be written is a line of the log and no failure', async () => {
  const uses = createTokenUses(service.database.database, service.runtime.log)
  uses.note('not an organization', id, null)
  await uses.flush()
  assert.ok(service.logged.some((line) => line.includes('token_use_lost')))
})

test('a flush waits for the writes of the one before, and a database that is away costs one try, not one per token', async (t) => {
  const uses = createTokenUses(service.database.database, service.runtime.log)
  await service.clock.advance(61_000)
  uses.note(service.organization.id, id, '192.0.2.3')
  void uses.flush()
  await uses.flush()
  assert.equal((await used())[1], '192.0.2.3')

  let tries = 0
  const away = openDatabase({ host: '/nonexistent' }, { connections_max: 1 })
  t.after(() => away.close())
  const transaction: typeof away.transaction = (options, work) => {
    tries += 1
    return away.transaction(options, work)
  }
  const lost = createTokenUses({ ...away, transaction }, service.runtime.log)
  for (let tokens = 0; tokens < 10; tokens += 1) lost.note(service.organization.id, String(tokens), null)
  await lost.flush()
  assert.equal(tries, 1)
})
