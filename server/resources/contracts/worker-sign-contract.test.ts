import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { clock_start, contractIn, playStates } from '#test/contract-states.ts'
import { createContract, workerToken } from '#test/factories.ts'
import { startTestService, type TestService } from '#test/service.ts'

let service: TestService
before(async () => {
  service = await startTestService()
  await service.clock.set(clock_start)
})
after(() => service.close())

const body = { signer_name: 'Jonas Weber', terms_version: 1 }
const over = { refused: 'invalid_state' }

test('the worker signs a pending contract once, in either order', (t) =>
  playStates(
    t,
    service,
    ({ id, worker: token }) => service.call('POST', `/worker/contracts/${id}/sign`, { token, body }),
    {
      pending: { to: 'pending', events: ['contract.signature.added'] },
      invited: { to: 'pending', events: ['contract.signature.added'] },
      client_signed: {
        to: 'active',
        events: ['contract.signature.added', 'contract.signed', 'contract.status.updated', 'person.updated'],
      },
      worker_signed: { refused: 'already_signed' },
      active: over,
      terminating: over,
      completed: over,
      terminated: over,
      cancelled: over,
      rejected: over,
    },
  ))

test('in a live organization a minted worker token signs nothing', async () => {
  const { id, worker_id } = await contractIn(service, 'client_signed')
  const token = await workerToken(service, worker_id)
  const refused = await service.call('POST', `/worker/contracts/${id}/sign`, { token, body })
  assert.equal(refused.status, 403)
  assert.equal(refused.body.code, 'own_login_required')
})

test('in a sandbox a minted worker token signs', async () => {
  const sandbox = await service.createOrganization({ is_sandbox: true })
  const contract = await createContract(service, {}, sandbox)
  const token = await workerToken(service, contract.worker_id, sandbox)
  const signed = await service.call('POST', `/worker/contracts/${contract.id}/sign`, { token, body })
  assert.equal(signed.status, 200)
  assert.equal(signed.body.signatures.worker_name, 'Jonas Weber')
})

test('a contract of another worker does not exist for this one', async () => {
  const own = await contractIn(service, 'pending')
  const other = await contractIn(service, 'pending')
  const answer = await service.call('POST', `/worker/contracts/${other.id}/sign`, { token: own.worker, body })
  assert.equal(answer.status, 404)
})

test('the client has no scope for the signature of a worker', async () => {
  const { id } = await contractIn(service, 'pending')
  const answer = await service.call('POST', `/worker/contracts/${id}/sign`, { body })
  assert.equal(answer.status, 403)
  assert.equal(answer.body.code, 'insufficient_scope')
})
