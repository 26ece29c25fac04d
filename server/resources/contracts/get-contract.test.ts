import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { clock_start, contractIn } from '#test/contract-states.ts'
import { createContract, workerLogin } from '#test/factories.ts'
import { startTestService, type TestService } from '#test/service.ts'

let service: TestService
before(async () => {
  service = await startTestService()
  await service.clock.set(clock_start)
})
after(() => service.close())

test('an amount is null without the category and shown with it', async () => {
  const { id } = await contractIn(service, 'pending')
  const scopes = ['contracts:read'] as const
  const read = async (sensitive_data: readonly 'compensation'[]) => {
    const token = await service.createToken(service.organization.id, { scopes, sensitive_data })
    return (await service.call('GET', `/contracts/${id}`, { token })).body.compensation
  }
  const [shown, withheld] = [await read(['compensation']), await read([])]
  assert.equal(shown.amount, '4200.00')
  assert.deepEqual(withheld, { ...shown, amount: null })
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
