import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { cases, serviceOfCases } from '#test/cases.ts'
import { clock_start, contractIn } from '#test/contract-states.ts'
import { createContract, workerToken } from '#test/factories.ts'
import type { TestService } from '#test/service.ts'

let service: TestService
before(async () => {
  service = await serviceOfCases()
  await service.clock.set(clock_start)
})

cases('worker.list_contracts', {
  'a worker sees its own contracts and no other': {
    given: async (t) => {
      await contractIn(t, 'active')
      return contractIn(t, 'active')
    },
    body: ({ contract_id }) => ({ data: [{ id: contract_id }], total_count: 1 }),
  },
  'filters of the client are none of the worker': {
    given: (t) => contractIn(t, 'pending'),
    input: ({ worker_id }) => ({ worker_id }),
    answers: '400 validation_failed',
  },
  'the client has no scope for it': { as: 'client', answers: '403 insufficient_scope' },
})

cases('worker.get_contract', {
  'a worker reads its contract as the client does': {
    given: (t) => contractIn(t, 'active'),
    afterwards: async (t, { given, body }) =>
      assert.deepEqual((await t.call('GET', `/contracts/${given.contract_id}`)).body, body),
  },
  'a contract of another worker does not exist': {
    given: async (t) => ({ ...(await contractIn(t, 'active')), worker: (await contractIn(t, 'active')).worker }),
    answers: '404 not_found',
  },
})

test('a worker sees its own contracts and no other', async () => {
  const own = await contractIn(service, 'active')
  const second = await createContract(service, { worker_id: own.worker_id })
  const other = await contractIn(service, 'active')
  const list = async (query = {}) => (await service.call('GET', '/worker/contracts', { token: own.worker, query })).body
  const all = await list()
  assert.deepEqual(all.data.map(({ id }: { id: string }) => id).sort(), [own.id, second.id].sort())
  assert.equal(all.total_count, 2)
  assert.deepEqual(
    (await list({ statuses: 'active,rejected' })).data.map(({ id }: { id: string }) => id),
    [own.id],
  )
  const get = (id: string) => service.call('GET', `/worker/contracts/${id}`, { token: own.worker })
  assert.deepEqual((await get(own.id)).body, (await service.call('GET', `/contracts/${own.id}`)).body)
  assert.equal((await get(other.id)).status, 404)
})

test('filters of the client are none of the worker', async () => {
  const { worker: token, worker_id } = await contractIn(service, 'pending')
  const { status } = await service.call('GET', '/worker/contracts', { token, query: { worker_id } })
  assert.equal(status, 400)
})

test('a worker has no way to the contracts of the client, and the client none to those of the worker', async () => {
  const { id, worker: token } = await contractIn(service, 'pending')
  assert.equal((await service.call('GET', `/contracts/${id}`, { token })).status, 403)
  assert.equal((await service.call('GET', '/worker/contracts')).status, 403)
  assert.equal((await service.call('GET', `/worker/contracts/${id}`)).status, 403)
})

test('a minted token sees amounts only if its minter does', async () => {
  const { id, worker_id } = await contractIn(service, 'pending')
  const amountFor = async (minter: string) => {
    const token = await workerToken(service, worker_id, { token: minter })
    return (await service.call('GET', `/worker/contracts/${id}`, { token })).body.compensation.amount
  }
  const blind = await service.createToken(service.organization.id, { scopes: ['tokens:write'], sensitive_data: [] })
  assert.equal(await amountFor(blind), null)
  assert.equal(await amountFor(service.organization.token), '4200.00')
})
