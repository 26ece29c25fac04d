import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { clock_start, contractIn } from '#test/contract-states.ts'
import { createContract } from '#test/factories.ts'
import { startTestService, type TestOrganization, type TestService } from '#test/service.ts'

let service: TestService
let sandbox: TestOrganization
before(async () => {
  service = await startTestService()
  await service.clock.set(clock_start)
  sandbox = await service.createOrganization({ is_sandbox: true })
})
after(() => service.close())

const sign = (id: string, body: object = {}) =>
  service.call('POST', `/sandbox/contracts/${id}/worker-signature`, { token: sandbox.token, body })

test('the worker of a sandbox contract signs by its name', async () => {
  const { id } = await createContract(service, {}, sandbox)
  await service.takeEvents(sandbox.id)
  const { status, body } = await sign(id)
  assert.equal(status, 200)
  assert.equal(body.signatures.worker_name, 'Jonas Weber')
  assert.deepEqual(
    (await service.takeEvents(sandbox.id)).map(({ event_type }) => event_type),
    ['contract.signature.added'],
  )
})

test('with the client’s signature the contract is active', async () => {
  const { id } = await createContract(service, {}, sandbox)
  await service.call('POST', `/contracts/${id}/sign`, { token: sandbox.token, body: { signer_name: 'Nora' } })
  await service.takeEvents(sandbox.id)
  const { body } = await sign(id, { signer_name: 'J. Weber' })
  assert.equal(body.status, 'active')
  assert.equal(body.signatures.worker_name, 'J. Weber')
  assert.deepEqual(
    (await service.takeEvents(sandbox.id)).map(({ event_type }) => event_type),
    ['contract.signature.added', 'contract.signed', 'contract.status.updated', 'person.updated'],
  )
  assert.equal((await sign(id)).body.code, 'invalid_state')
})

test('a second signature of the worker is refused', async () => {
  const { id } = await createContract(service, {}, sandbox)
  await sign(id)
  assert.equal((await sign(id)).body.code, 'already_signed')
})

test('in a live organization nobody signs for the worker', async () => {
  const { id } = await contractIn(service, 'client_signed')
  const { status, body } = await service.call('POST', `/sandbox/contracts/${id}/worker-signature`)
  assert.equal(status, 409)
  assert.equal(body.code, 'sandbox_only')
})
