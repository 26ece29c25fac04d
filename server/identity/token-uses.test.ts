import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openDatabase } from '#db/database.ts'
import { startTestService, type TestService } from '#test/service.ts'
import { createTokenUses } from './token-uses.ts'

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
