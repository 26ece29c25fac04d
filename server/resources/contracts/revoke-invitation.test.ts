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

const none = { refused: 'no_open_invitation' }

test('an open invitation is taken back; without one there is nothing to take back', (t) =>
  playStates(t, service, ({ id }) => service.call('POST', `/contracts/${id}/revoke-invitation`), {
    invited: { to: 'pending', events: ['contract.invitation.revoked'] },
    pending: none,
    client_signed: none,
    worker_signed: none,
    active: none,
    terminating: none,
    completed: none,
    terminated: none,
    cancelled: none,
    rejected: none,
  }))

test('the link is gone, the timer too, and the event names the address', async (t) => {
  const service = await useTestService(t)
  await service.clock.set(clock_start)
  const { id } = await contractIn(service, 'invited')
  await service.takeEvents()
  const { body } = await service.call('POST', `/contracts/${id}/revoke-invitation`)
  assert.equal(body.invitation, null)
  assert.equal((await service.call('GET', `/contracts/${id}/invitation-link`)).body.code, 'no_open_invitation')
  const [event] = await service.takeEvents()
  assert.equal(event?.resource[0]?.invitation_email, body.worker_email)
  await service.clock.advance(15 * 86_400_000)
  assert.equal(await service.timers.runDue(), 0)
})
