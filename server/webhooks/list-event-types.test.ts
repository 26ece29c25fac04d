import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Compile } from 'typebox/compile'
import { Type } from '#core/schema/schema.ts'
import { cases } from '#test/cases.ts'
import { useTestService } from '#test/service.ts'
import { verifies } from '#test/verifies.ts'

test('the catalogue tells every type with a schema that its example meets, by name', async (t) => {
  const service = await useTestService(t)
  const { status, body } = await service.call('GET', '/webhooks/events')
  assert.equal(status, 200)
  verifies('6.1.catalogue').deepEqual(
    body.data.map(({ name }: { name: string }) => name),
    [...service.runtime.registry.events.keys()].sort(),
  )
  assert.deepEqual([body.total_count, body.has_more], [body.data.length, false])
  for (const { name, module, description, json_schema, payload_example } of body.data) {
    assert.ok(module, name)
    verifies('4.3.catalogue').ok(description, name)
    const meets_schema: boolean = Compile(Type.Unsafe(json_schema)).Check(payload_example as unknown)
    assert.ok(meets_schema, name)
    assert.equal(payload_example.data.meta.event_type, name)
    assert.ok(!('is_simulation' in payload_example.data.meta))
    if (name.startsWith('contract.') && !name.startsWith('contract.amendment.')) {
      const [entry] = payload_example.data.resource
      const { contract_id, worker_email, status: contract_status, created_at, type, country } = entry
      assert.ok(contract_id && worker_email && contract_status && created_at && type && country, name)
    }
  }
})

test('the catalogue is filtered by module and read page by page', async (t) => {
  const service = await useTestService(t)
  const { body } = await service.call('GET', '/webhooks/events', { query: { modules: 'platform', limit: 1 } })
  assert.equal(body.data[0].module, 'platform')
  assert.equal(body.has_more, true)
  const next = await service.call('GET', '/webhooks/events', {
    query: { modules: 'platform', limit: 1, cursor: body.cursor },
  })
  assert.ok(next.body.data[0].name > body.data[0].name)
})

cases('webhooks.list_event_types', {
  'types are told by name, each with its module': {
    as: 'viewer',
    input: { modules: ['platform'] },
    body: (_, { data }) => ({ data: data.map(() => ({ module: 'platform' })), total_count: data.length }),
  },
  'a module nobody has names none': { input: { modules: ['astronomy'] }, body: { data: [], total_count: 0 } },
})
