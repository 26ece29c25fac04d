import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createContract } from '#test/factories.ts'
import { startTestService, type TestService } from '#test/service.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

test('a described worker becomes a person, and both events tell it', async () => {
  await service.takeEvents()
  const body = await createContract(service)
  assert.equal(body.status, 'pending')
  const events = await service.takeEvents()
  assert.deepEqual(
    events.map(({ event_type }) => event_type),
    ['person.created', 'contract.created'],
  )
  assert.deepEqual((await service.call('GET', `/contracts/${body.id}`)).body, body)
})
