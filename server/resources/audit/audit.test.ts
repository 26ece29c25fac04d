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

/** The history, sealed, and one entry behind it. */
const sealedHistory = async (t: TestService) => {
  const given = await history(t)
  await t.sealing.runDue()
  const { body } = await t.call('GET', '/audit-entries')
  await createContract(t)
  return { ...given, organization_id: t.organization.id, entries: body.data.toReversed() as Body[] }
}

cases(
  'audit.list_batches',
  {
    'a batch lists its entries in their order, each with its hash, and says of whom it is': {
      as: 'owner',
      body: ({ organization_id, entries }) => ({
        data: [
          {
            ...{ organization_id, batch: 1, previous_hash: null, entries_removed_at: null },
            ...{ entries_total: entries.length, entries: entries.map(({ id }: Body) => ({ id })) },
          },
        ],
        total_count: 1,
      }),
      afterwards: async (_, { body: { data } }) => assert.match(data[0].hash, /^[0-9a-f]{64}$/),
    },
    'an admin reads them': { as: 'admin', body: { total_count: 1 } },
    'a developer does not': { as: 'developer', answers: '403 insufficient_scope' },
  },
  { given: sealedHistory },
)

cases(
  'audit.get_seal',
  {
    'the newest batch seals all entries up to it, and those that came since are in no batch': {
      as: 'owner',
      body: ({ organization_id, entries }) => ({ organization_id, batch: 1, entries_total: entries.length }),
      afterwards: async (t) => {
        const { body } = await t.call('GET', '/audit-entries', { query: { action: 'contracts.create' } })
        assert.deepEqual(
          body.data.map(({ batch }: Body) => batch),
          [null, 1],
        )
        const { body: batches } = await t.call('GET', '/audit-entries/batches')
        const { body: seal } = await t.call('GET', '/audit-entries/seal')
        assert.deepEqual([seal.hash, seal.sealed_at], [batches.data[0].hash, batches.data[0].sealed_at])
      },
    },
    'finance does not read it': { as: 'finance', answers: '403 insufficient_scope' },
  },
  { given: sealedHistory },
)

test('before anything is sealed there is batch 0 without a hash', async () => {
  const service = await serviceOfCases()
  const t = inOrganization(service, await service.createOrganization())
  assert.deepEqual((await t.call('GET', '/audit-entries/seal')).body, {
    ...{ organization_id: t.organization.id, batch: 0, hash: null, entries_total: 0, sealed_at: null },
  })
})

test('entries are found by their batch', async () => {
  const service = await serviceOfCases()
  const t = inOrganization(service, await service.createOrganization())
  for (let made = 0; made < 3; made += 1) {
    await createContract(t)
    await t.sealing.runDue()
  }
  const { body } = await t.call('GET', '/audit-entries', { query: { batch_from: 2, batch_to: 2 } })
  assert.deepEqual(
    body.data.map(({ batch, position }: Body) => [batch, position]),
    [[2, 1]],
  )
  const { body: batches } = await t.call('GET', '/audit-entries/batches', { query: { batch_from: 2 } })
  assert.deepEqual(
    batches.data.map(({ batch }: Body) => batch),
    [2, 3],
  )
})

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
