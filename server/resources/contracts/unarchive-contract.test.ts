import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { clock_start, contractIn } from '#test/contract-states.ts'
import { startTestService, type TestService } from '#test/service.ts'

let service: TestService
before(async () => {
  service = await startTestService()
  await service.clock.set(clock_start)
})
after(() => service.close())

for (const state of ['completed', 'terminated', 'cancelled', 'rejected'] as const) {
  test(`an archived contract that is ${state} is taken out of the archive, once`, async () => {
    const { id } = await contractIn(service, state)
    await service.call('POST', `/contracts/${id}/archive`)
    await service.takeEvents()
    const { status, body } = await service.call('POST', `/contracts/${id}/unarchive`)
    assert.equal(status, 200)
    assert.partialDeepStrictEqual(body, { status: state, is_archived: false, archived_at: null })
    const events = await service.takeEvents()
    assert.deepEqual(
      events.map(({ event_type }) => event_type),
      ['contract.unarchived'],
    )
    assert.equal(events[0]?.resource[0]?.archived_at, null)
    const again = await service.call('POST', `/contracts/${id}/unarchive`)
    assert.deepEqual([again.status, again.body.code], [409, 'invalid_state'])
  })
}

for (const state of ['pending', 'active'] as const) {
  test(`a contract that is ${state} is in no archive`, async () => {
    const { id } = await contractIn(service, state)
    const { body } = await service.call('POST', `/contracts/${id}/unarchive`)
    assert.equal(body.code, 'invalid_state')
  })
}
