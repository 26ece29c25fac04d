import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cases } from '#test/cases.ts'
import { useTestService } from '#test/service.ts'

test('a token sees its own organization and nothing else', async (t) => {
  const service = await useTestService(t)
  await service.createOrganization({ name: 'Other' })
  const { status, body } = await service.call('GET', '/organizations')
  assert.equal(status, 200)
  assert.deepEqual(
    body.data.map(({ id }: { id: string }) => id),
    [service.organization.id],
  )
  assert.deepEqual({ ...body, data: [] }, { data: [], cursor: null, has_more: false, total_count: 1 })
  assert.equal(body.data[0].settings.invoice_prefix, 'INV')
})

test('settings and clock are null without organizations:read', async (t) => {
  const service = await useTestService(t)
  const token = await service.createToken(service.organization.id, { scopes: ['contracts:read'] })
  const { body } = await service.call('GET', '/organizations', { token })
  assert.equal(body.data[0].settings, null)
  assert.equal(body.data[0].clock_now, null)
})

cases('organizations.list', {
  'a token sees its own organization': {
    as: 'reader',
    given: async (t) => t.organization,
    body: ({ id }) => ({ data: [{ id, name: 'Harbour Pine' }], total_count: 1 }),
  },
})

cases('organizations.get', {
  'its settings and its clock are shown': {
    given: async (t) => ({ organization_id: t.organization.id }),
    body: ({ organization_id: id }) => ({
      id,
      name: 'Harbour Pine',
      settings: {
        ...{ payment_approval: 'none', invoice_prefix: 'INV', payment_prefix: 'PAY' },
        ...{ final_settlement_days: 30, second_factor: 'optional' },
      },
    }),
    afterwards: async (_, { body }) => assert.notEqual(body.clock_now, null),
  },
  'another one is not there': {
    given: async (t) => ({ organization_id: (await t.createOrganization()).id }),
    answers: '404 not_found',
  },
})
