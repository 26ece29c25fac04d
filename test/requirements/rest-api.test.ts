import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { operations } from '#boot/operations.ts'
import { organizationScopes } from '#identity/scopes.ts'
import { createContract } from '#test/factories.ts'
import { startTestService, type TestService } from '#test/service.ts'
import { verifies } from '#test/verifies.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

test('GET /organizations tells whether a token works', async () => {
  verifies('4.4.organizations', '9.base-address')
  const answer = await service.call('GET', '/rest/v2/organizations')
  assert.equal(answer.status, 200)
  assert.equal(answer.body.data[0].id, service.organization.id)
  assert.equal((await service.call('GET', '/rest/v2/organizations', { token: 'wrong' })).status, 401)
})

test('GET /contracts is a call with a credential that lists the contracts', async () => {
  verifies('4.2.contracts')
  const { id } = await createContract(service)
  assert.equal((await service.call('GET', '/contracts', { token: null })).status, 401)
  const { status, body } = await service.call('GET', '/contracts')
  assert.deepEqual([status, body.data.map((contract: { id: string }) => contract.id)], [200, [id]])
})

test('an organization token with every scope is refused by no operation of the organization for want of rights', async () => {
  verifies('5.1.organization-token')
  const reads = operations.filter(
    ({ method, path }) => method === 'GET' && !path.includes(':') && !path.startsWith('/worker'),
  )
  for (const { path } of reads) {
    const { status } = await service.call('GET', path)
    assert.ok(status === 200 || status === 404, `${path} answered ${status}`)
  }
  assert.equal(organizationScopes.length, 20)
})

test('answers are JSON in UTF-8', async () => {
  verifies('1.json-over-https')
  const { headers } = await service.call('GET', '/organizations')
  assert.equal(headers['content-type'], 'application/json; charset=utf-8')
})

test('what an event tells can be read again through the REST API', async () => {
  verifies('6.2.reconcile')
  await service.takeEvents()
  const { id } = await createContract(service)
  const events = await service.takeEvents()
  const [entry] = events.find(({ event_type }) => event_type === 'contract.created')?.resource ?? []
  const { body } = await service.call('GET', `/contracts/${id}`)
  assert.deepEqual(
    { contract_id: body.id, status: body.status, worker_email: body.worker_email, created_at: body.created_at },
    {
      contract_id: entry?.contract_id,
      status: entry?.status,
      worker_email: entry?.worker_email,
      created_at: entry?.created_at,
    },
  )
})
