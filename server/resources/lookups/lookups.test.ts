import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cases, serviceOfCases } from '#test/cases.ts'
import type { Body } from '#test/factories.ts'
import { createContract, workerToken } from '#test/factories.ts'

cases('lookups.countries', {
  'countries have their English names': {
    input: { limit: 100 },
    body: { total_count: 250, has_more: true },
    afterwards: async (_, { body }) =>
      assert.deepEqual(
        body.data.find(({ code }: Body) => code === 'CL'),
        { code: 'CL', name: 'Chile' },
      ),
  },
})

cases('lookups.currencies', {
  'currencies have their decimals': {
    as: 'reader',
    input: { limit: 100 },
    body: { total_count: 164 },
    afterwards: async (_, { body }) =>
      assert.deepEqual(
        body.data.filter(({ code }: Body) => code === 'CLP' || code === 'BHD'),
        [
          { code: 'BHD', decimals: 3 },
          { code: 'CLP', decimals: 0 },
        ],
      ),
  },
})

cases('lookups.time_zones', {
  'nobody else gets them': { as: 'nobody', answers: '401 unauthenticated' },
})

test('every time zone of the list is one that fields take, a worker’s page for page', async () => {
  const t = await serviceOfCases()
  const token = await workerToken(t, (await createContract(t)).worker_id)
  const names: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query = { limit: 100, ...(cursor && { cursor }) }
    const { body } = await t.call('GET', '/lookups/time-zones', { token, query })
    names.push(...body.data.map(({ name }: Body) => name))
    cursor = body.cursor
  }
  assert.deepEqual(names, [...new Set(names)].sort())
  for (const name of ['Europe/Berlin', 'America/Santiago', 'UTC']) assert.ok(names.includes(name), name)
  assert.equal(names.includes('EST'), false)
  const { id } = t.organization
  const { status } = await t.call('PATCH', `/organizations/${id}`, { body: { timezone: names.at(-1) } })
  assert.equal(status, 200)
})
