import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { cases, serviceOfCases } from '#test/cases.ts'
import { clock_start, contractIn } from '#test/contract-states.ts'
import { createContract, workerLogin } from '#test/factories.ts'
import type { TestService } from '#test/service.ts'

let service: TestService
before(async () => {
  service = await serviceOfCases()
  await service.clock.set(clock_start)
})

cases('contracts.get', {
  'an amount is shown with the category': {
    as: 'reader',
    given: (t) => contractIn(t, 'pending'),
    body: ({ contract_id }) => ({ id: contract_id, compensation: { amount: '4200.00', currency: 'EUR' } }),
  },
  'an amount is null without the category': {
    as: 'client without compensation',
    given: (t) => contractIn(t, 'pending'),
    body: { compensation: { amount: null, currency: 'EUR' } },
    headers: { 'sensitive-data-withheld': 'compensation' },
  },
})

const signer = { signer_name: 'Someone Named', terms_version: 1 }

for (const [method, path, body] of [
  ['GET', '/contracts/:id'],
  ['PATCH', '/contracts/:id', { title: 'x' }],
  ['POST', '/contracts/:id/sign', signer],
  ['POST', '/contracts/:id/invite', {}],
  ['POST', '/contracts/:id/revoke-invitation', {}],
  ['GET', '/contracts/:id/invitation-link'],
  ['POST', '/contracts/:id/cancel', {}],
  ['POST', '/contracts/:id/terminate', { type: 'termination' }],
  ['POST', '/contracts/:id/cancel-termination', {}],
  ['POST', '/contracts/:id/archive', {}],
  ['POST', '/contracts/:id/unarchive', {}],
  ['GET', '/worker/contracts/:id'],
  ['POST', '/worker/contracts/:id/sign', signer],
  ['POST', '/worker/contracts/:id/reject', {}],
  ['POST', '/sandbox/contracts/:id/worker-signature', {}],
] as const) {
  test(`${method} ${path}: a contract of another organization reads like a missing one`, async () => {
    const sandbox = await service.createOrganization({ is_sandbox: true })
    const own = await createContract(service, {}, sandbox)
    const worker = await workerLogin(service, own.worker_id, sandbox.id)
    const token = path.startsWith('/worker') ? worker : sandbox.token
    const foreign = await contractIn(service, 'invited')
    for (const id of [foreign.id, '019b8d2b-8c00-7a10-8c02-61f0d4b7a9e3', 'nonsense']) {
      const answer = await service.call(method, path.replace(':id', id), { token, ...(body && { body }) })
      assert.deepEqual([answer.status, answer.body.code], [404, 'not_found'])
    }
    assert.equal((await service.call('GET', `/contracts/${foreign.id}`)).body.status, 'pending')
  })
}
