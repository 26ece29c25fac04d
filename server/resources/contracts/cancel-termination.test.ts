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

const over = { refused: 'invalid_state' }

test('a pending termination is withdrawn', (t) =>
  playStates(t, service, ({ id }) => service.call('POST', `/contracts/${id}/cancel-termination`), {
    terminating: { to: 'active', events: ['contract.termination.cancelled', 'person.updated'] },
    pending: over,
    client_signed: over,
    worker_signed: over,
    invited: over,
    active: over,
    completed: over,
    terminated: over,
    cancelled: over,
    rejected: over,
  }))

test('the event tells the termination that was withdrawn, and the worker is active again', async () => {
  const { id } = await contractIn(service, 'terminating')
  await service.takeEvents()
  const { body } = await service.call('POST', `/contracts/${id}/cancel-termination`)
  assert.partialDeepStrictEqual(body, { termination: null, last_day: null })
  const [cancelled, person] = (await service.takeEvents()).map(({ resource }) => resource[0])
  assert.partialDeepStrictEqual(cancelled, {
    last_day: null,
    termination_type: 'resignation',
    completion_date: '2026-12-01',
  })
  assert.equal(person?.status, 'active')
})

test('the contract then ends on its end date, or not at all', async (t) => {
  const own = await useTestService(t)
  await own.clock.set(clock_start)
  const open = await contractIn(own, 'terminating')
  const limited = await contractIn(own, 'terminating', { end_date: '2026-12-31' })
  for (const { id } of [open, limited]) await own.call('POST', `/contracts/${id}/cancel-termination`)
  const statusOf = async ({ id }: { id: string }) => (await own.call('GET', `/contracts/${id}`)).body.status
  await own.clock.set('2026-12-02T12:00:00.000Z')
  await own.timers.runDue()
  assert.deepEqual([await statusOf(open), await statusOf(limited)], ['active', 'active'])
  await own.clock.set('2027-01-01T12:00:00.000Z')
  await own.timers.runDue()
  assert.deepEqual([await statusOf(open), await statusOf(limited)], ['active', 'completed'])
})
