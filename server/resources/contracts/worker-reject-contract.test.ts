import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { clock_start, contractIn, playStates } from '#test/contract-states.ts'
import { workerToken } from '#test/factories.ts'
import { startTestService, type TestService } from '#test/service.ts'

let service: TestService
before(async () => {
  service = await startTestService()
  await service.clock.set(clock_start)
})
after(() => service.close())

const rejected = {
  to: 'rejected',
  events: ['contract.rejected', 'contract.status.updated', 'person.updated'],
}
const over = { refused: 'invalid_state' }

test('the worker rejects a pending contract it has not signed', (t) =>
  playStates(
    t,
    service,
    ({ id, worker: token }) => service.call('POST', `/worker/contracts/${id}/reject`, { token, body: {} }),
    {
      pending: rejected,
      invited: rejected,
      client_signed: rejected,
      worker_signed: { refused: 'already_signed' },
      active: over,
      terminating: over,
      completed: over,
      terminated: over,
      cancelled: over,
      rejected: over,
    },
  ))

test('the reason stands on the contract and in the event; the worker is inactive', async () => {
  const { id, worker_id, worker: token } = await contractIn(service, 'invited')
  await service.takeEvents()
  const body = { reason: 'rate too low' }
  const answer = await service.call('POST', `/worker/contracts/${id}/reject`, { token, body })
  assert.partialDeepStrictEqual(answer.body, {
    status_reason: 'rate too low',
    ended_at: clock_start,
    invitation: null,
    last_day: null,
  })
  const [told, status, person] = (await service.takeEvents()).map(({ resource }) => resource[0])
  assert.partialDeepStrictEqual(told, { contract_id: id, status: 'rejected', reason: 'rate too low' })
  assert.partialDeepStrictEqual(status, { status: 'rejected', previous_status: 'pending' })
  assert.partialDeepStrictEqual(person, { person_id: worker_id, status: 'inactive' })
})

test('in a live organization a minted worker token rejects nothing', async () => {
  const { id, worker_id } = await contractIn(service, 'client_signed')
  const token = await workerToken(service, worker_id)
  const { body } = await service.call('POST', `/worker/contracts/${id}/reject`, { token, body: {} })
  assert.equal(body.code, 'own_login_required')
})

test('a contract of another worker does not exist for this one', async () => {
  const own = await contractIn(service, 'pending')
  const other = await contractIn(service, 'pending')
  const answer = await service.call('POST', `/worker/contracts/${other.id}/reject`, { token: own.worker, body: {} })
  assert.equal(answer.status, 404)
})
