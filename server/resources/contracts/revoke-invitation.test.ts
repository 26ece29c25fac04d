import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cases } from '#test/cases.ts'
import { clock_start, contractIn, eachState } from '#test/contract-states.ts'
import { useTestService } from '#test/service.ts'

const none = { answers: '409 no_open_invitation' } as const

cases('contracts.revoke_invitation', {
  ...eachState('an open invitation is taken back; without one there is nothing to take back', {
    invited: { body: { status: 'pending' }, emits: ['contract.invitation.revoked'] },
    pending: none,
    client_signed: none,
    worker_signed: none,
    active: none,
    terminating: none,
    completed: none,
    terminated: none,
    cancelled: none,
    rejected: none,
  }),
  'the link is gone, and the event names the address': {
    given: (t) => contractIn(t, 'invited'),
    body: { invitation: null },
    emits: (_, { worker_email }) => [['contract.invitation.revoked', { invitation_email: worker_email }]],
    afterwards: async (t, { given }) => {
      const { body } = await t.call('GET', `/contracts/${given.id}/invitation-link`)
      assert.equal(body.code, 'no_open_invitation')
    },
  },
})

test('the timer of an invitation ends with it', async (t) => {
  const service = await useTestService(t)
  await service.clock.set(clock_start)
  const { id } = await contractIn(service, 'invited')
  await service.call('POST', `/contracts/${id}/revoke-invitation`)
  await service.clock.advance(15 * 86_400_000)
  assert.equal(await service.timers.runDue(), 0)
})
