import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { cases, serviceOfCases } from '#test/cases.ts'
import { clock_start, contractIn, eachState } from '#test/contract-states.ts'
import { type TestService, useTestService } from '#test/service.ts'

const cancelled = {
  body: { status: 'cancelled' },
  emits: ['contract.cancelled', 'contract.status.updated', 'person.updated'],
}
const over = { answers: '409 invalid_state' } as const

cases('contracts.cancel', {
  ...eachState('the client cancels a contract that is not active yet', {
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
  }),
  'the reason stands on the contract and in the event, and the invitation ends': {
    given: (t) => contractIn(t, 'invited'),
    input: { reason: 'position closed' },
    body: { status_reason: 'position closed', ended_at: clock_start, invitation: null },
    emits: [
      ['contract.cancelled', { status: 'cancelled', reason: 'position closed' }],
      ['contract.status.updated', { previous_status: 'pending' }],
      'person.updated',
    ],
    audit: ({ contract_id }) => ({ subject_id: contract_id, changed_fields: ['reason'] }),
  },
})

let service: TestService
before(async () => {
  service = await serviceOfCases()
  await service.clock.set(clock_start)
})

test('the timer of an invitation ends with the cancelled contract', async (t) => {
  const own = await useTestService(t)
  await own.clock.set(clock_start)
  const { id } = await contractIn(own, 'invited')
  await own.call('POST', `/contracts/${id}/cancel`)
  await own.clock.advance(15 * 86_400_000)
  assert.equal(await own.timers.runDue(), 0)
})

test('of two cancellations at once one is refused and the events are told once', async () => {
  const { id } = await contractIn(service, 'pending')
  await service.takeEvents()
  const answers = await Promise.all([1, 2].map(() => service.call('POST', `/contracts/${id}/cancel`)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
  assert.equal((await service.takeEvents()).length, 3)
})
