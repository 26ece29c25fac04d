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
  const answer = await service.call('GET', '/rest/v2/organizations')
  assert.equal(answer.status, 200)
  verifies('9.base-address').equal(answer.body.data[0].id, service.organization.id)
  const wrong = await service.call('GET', '/rest/v2/organizations', { token: 'wrong' })
  verifies('4.4.organizations').deepEqual([answer.status, wrong.status], [200, 401])
})

test('GET /contracts is a call with a credential that lists the contracts', async () => {
  const { id } = await createContract(service)
  assert.equal((await service.call('GET', '/contracts', { token: null })).status, 401)
  const { status, body } = await service.call('GET', '/contracts')
  verifies('4.2.contracts', '1.contracts').deepEqual(
    [status, body.data.map((contract: { id: string }) => contract.id)],
    [200, [id]],
  )
})

test('an organization token with every scope is refused by no operation of the organization for want of rights', async () => {
  // Members alone say who may do what: those operations have no scope that a token could lack.
  const reads = operations.filter(
    ({ method, path, only_users }) =>
      !only_users &&
      method === 'GET' &&
      !path.includes(':') &&
      !path.startsWith('/worker') &&
      !path.startsWith('/sandbox'),
  )
  for (const { path, input } of reads) {
    const period = 'from' in input.properties && 'to' in input.properties && path.endsWith('/export')
    const query = period ? { from: '2026-03-01', to: '2026-03-31' } : {}
    const { status } = await service.call('GET', path, { query })
    verifies('5.1.organization-token').ok(status === 200 || status === 404, `${path} answered ${status}`)
  }
  assert.equal(organizationScopes.length, 20)
})

test('answers are JSON in UTF-8', async () => {
  const { headers } = await service.call('GET', '/organizations')
  assert.equal(headers['content-type'], 'application/json; charset=utf-8')
})

test('what an event tells can be read again through the REST API', async () => {
  await service.takeEvents()
  const { id } = await createContract(service)
  const events = await service.takeEvents()
  const [entry] = events.find(({ event_type }) => event_type === 'contract.created')?.resource ?? []
  const { body } = await service.call('GET', `/contracts/${id}`)
  const { body: people } = await service.call('GET', '/people')
  verifies('1.people').ok(people.data.some((person: { email: string }) => person.email === entry?.worker_email))
  verifies('6.2.reconcile').deepEqual(
    { contract_id: body.id, status: body.status, worker_email: body.worker_email, created_at: body.created_at },
    {
      contract_id: entry?.contract_id,
      status: entry?.status,
      worker_email: entry?.worker_email,
      created_at: entry?.created_at,
    },
  )
})
