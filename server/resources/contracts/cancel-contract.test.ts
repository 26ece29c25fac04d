import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { clock_start, contractIn, playStates } from '#test/contract-states.ts'
import { startTestService, type TestService, useTestService } from '#test/service.ts'

let service: TestService
before(async () => {
  service = await startTestService()
  await service.clock.set(clock_start)
})
after(() => service.close())

const cancelled = {
  to: 'cancelled',
  events: ['contract.cancelled', 'contract.status.updated', 'person.updated'],
}
const over = { refused: 'invalid_state' }

test('the client cancels a contract that is not active yet', (t) =>
  playStates(t, service, ({ id }) => service.call('POST', `/contracts/${id}/cancel`), {
    pending: cancelled,
    invited: cancelled,
    client_signed: cancelled,
    worker_signed: cancelled,
    active: over,
    terminating: over,
    completed: over,
    terminated: over,
    cancelled: over,
    rejected: over,
  }))

test('the reason stands on the contract and in the event, and the invitation ends with its timer', async (t) => {
  const service = await useTestService(t)
  await service.clock.set(clock_start)
  const { id } = await contractIn(service, 'invited')
  await service.takeEvents()
  const { body } = await service.call('POST', `/contracts/${id}/cancel`, { body: { reason: 'position closed' } })
  assert.partialDeepStrictEqual(body, {
    status_reason: 'position closed',
    ended_at: clock_start,
    invitation: null,
  })
  const [told, status] = (await service.takeEvents()).map(({ resource }) => resource[0])
  assert.partialDeepStrictEqual(told, { status: 'cancelled', reason: 'position closed' })
  assert.partialDeepStrictEqual(status, { previous_status: 'pending' })
  await service.clock.advance(15 * 86_400_000)
  assert.equal(await service.timers.runDue(), 0)
})

test('of two cancellations at once one is refused and the events are told once', async () => {
  const { id } = await contractIn(service, 'pending')
  await service.takeEvents()
  const answers = await Promise.all([1, 2].map(() => service.call('POST', `/contracts/${id}/cancel`)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
  assert.equal((await service.takeEvents()).length, 3)
})
