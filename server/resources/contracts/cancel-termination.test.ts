import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cases } from '#test/cases.ts'
import { clock_start, contractIn, eachState } from '#test/contract-states.ts'
import { useTestService } from '#test/service.ts'

const over = { answers: '409 invalid_state' } as const

cases('contracts.cancel_termination', {
  ...eachState('a pending termination is withdrawn', {
    terminating: {
      body: { status: 'active' },
      emits: ['contract.termination.cancelled', 'person.updated'],
    },
    pending: over,
    client_signed: over,
    worker_signed: over,
    invited: over,
    active: over,
    completed: over,
    terminated: over,
    cancelled: over,
    rejected: over,
  }),
  'the event tells the termination that was withdrawn, and the worker is active again': {
    given: (t) => contractIn(t, 'terminating'),
    body: { termination: null, last_day: null },
    emits: [
      [
        'contract.termination.cancelled',
        { last_day: null, termination_type: 'resignation', completion_date: '2026-12-01' },
      ],
      ['person.updated', { status: 'active' }],
    ],
  },
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
