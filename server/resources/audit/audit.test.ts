import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cases, serviceOfCases } from '#test/cases.ts'
import { type Body, createContract, memberToken } from '#test/factories.ts'
import { inOrganization, type TestService } from '#test/service.ts'

/** A contract made by the token, and changed by a member a minute later. */
const history = async (t: TestService) => {
  const { id } = await createContract(t)
  await t.clock.advance(60_000)
  const token = await memberToken(t, 'admin')
  const { status } = await t.call('PATCH', `/contracts/${id}`, { token, body: { title: 'Another' } })
  assert.equal(status, 200)
  return { contract_id: id }
}

cases(
  'audit.list',
  {
    'a change is told with its doer and its fields, never with values': {
      as: 'owner',
      input: { action: 'contracts.update' },
      body: ({ contract_id: id }) => ({
        data: [
          {
            actor: { kind: 'user', name: 'admin' },
            action: 'contracts.update',
            subject: { kind: 'contracts', id },
            changed_fields: ['title'],
          },
        ],
        total_count: 1,
      }),
      afterwards: async (_, { body }) => assert.equal(JSON.stringify(body).includes('Another'), false),
    },
    'the newest comes first': {
      as: 'admin',
      input: ({ contract_id }) => ({ subject_id: contract_id }),
      body: { data: [{ action: 'contracts.update' }, { action: 'contracts.create' }], total_count: 2 },
    },
    'a developer does not read it': { as: 'developer', answers: '403 insufficient_scope' },
    'finance does not either': { as: 'finance', answers: '403 insufficient_scope' },
  },
  { given: history },
)

test('entries are found by their doer, and by time with both ends', async () => {
  const service = await serviceOfCases()
  const t = inOrganization(service, await service.createOrganization({ is_sandbox: false }))
  await history(t)
  const list = async (query: Record<string, string> = {}): Promise<Body[]> =>
    (await t.call('GET', '/audit-entries', { query })).body.data
  const [newest, oldest] = await list({ subject_kind: 'contracts' })
  assert.deepEqual(await list({ actor_id: newest.actor.id }), [newest])
  const { occurred_at: at } = oldest
  assert.deepEqual(await list({ subject_kind: 'contracts', from: at, to: at }), [oldest])
  assert.deepEqual(await list({ subject_kind: 'contracts', updated_after: at }), [newest])
})
