import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { clock_start, contractIn, playStates } from '#test/contract-states.ts'
import { startTestService, type TestService } from '#test/service.ts'

let service: TestService
before(async () => {
  service = await startTestService()
  await service.clock.set(clock_start)
})
after(() => service.close())

const over = { refused: 'invalid_state' }
const archived = (to: string) => ({ to, events: ['contract.archived'] })

test('an ended contract is archived, whatever way it ended', (t) =>
  playStates(t, service, ({ id }) => service.call('POST', `/contracts/${id}/archive`), {
    completed: archived('completed'),
    terminated: archived('terminated'),
    cancelled: archived('cancelled'),
    rejected: archived('rejected'),
    pending: over,
    client_signed: over,
    worker_signed: over,
    invited: over,
    active: over,
    terminating: over,
  }))

test('archiving has its time, and is done once', async () => {
  const { id } = await contractIn(service, 'cancelled')
  await service.takeEvents()
  const { body } = await service.call('POST', `/contracts/${id}/archive`)
  assert.partialDeepStrictEqual(body, { is_archived: true, archived_at: clock_start })
  const [event] = await service.takeEvents()
  assert.equal(event?.resource[0]?.archived_at, clock_start)
  const again = await service.call('POST', `/contracts/${id}/archive`)
  assert.deepEqual([again.status, again.body.code], [409, 'invalid_state'])
})
