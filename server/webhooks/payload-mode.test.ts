import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { events } from '#boot/operations.ts'
import { startWebhookBench, type WebhookBench } from '#test/webhook-bench.ts'
import { payloadOf } from './event-body.ts'

let bench: WebhookBench
before(async () => {
  bench = await startWebhookBench()
})
after(() => bench.close())
afterEach(() => bench.unsubscribeAll())

const facts = {
  event_id: '019cadd4-c134-7a0c-8e1f-27b9c3d45e60',
  organization_id: '0195c2d4-6f10-7c3a-9b51-2e8f4d7a1c60',
  occurred_at: '2026-03-02T09:15:27.412Z',
  is_simulation: false,
}

function registered(name: string) {
  const type = bench.service.runtime.registry.events.get(name)
  if (!type) throw new Error(`${name} is not in the catalogue`)
  return type
}

test('a thin entry of every event type names its resource and holds nothing sensitive or else', () => {
  for (const { type, entry, example } of events) {
    const everything = new Set(registered(type).sensitive.categories)
    const { data, timestamp } = payloadOf(registered(type), { ...facts, entries: [example] }, everything, 'thin')
    const full = payloadOf(registered(type), { ...facts, entries: [example] }, everything)
    assert.deepEqual([data.meta, timestamp], [full.data.meta, full.timestamp], type)
    const [thin = {}] = data.resource
    const names = Object.keys(thin)
    assert.ok(
      names.some((name) => name.endsWith('_id')),
      type,
    )
    for (const name of names) {
      assert.match(name, /^(.*_ids?|status|created_at)$/, type)
      assert.equal(JSON.stringify(entry.properties[name]).includes('x-sensitive'), false, `${type} ${name}`)
    }
    for (const name of ['status', 'created_at']) assert.equal(names.includes(name), name in example, `${type} ${name}`)
  }
})

const textOf = async (id: string, delivery_id: string): Promise<string> =>
  (await bench.service.call('GET', `/webhooks/${id}/deliveries/${delivery_id}`)).body.body.text

const entryOf = (text: string) => JSON.parse(text).data.resource[0]

test('a thin subscription receives identifiers only; its body and the full one are stored apart', async () => {
  const { service, receiver } = bench
  const thin = await bench.subscribe({ payload: 'thin' })
  const full = await bench.subscribe()
  const credential_id = await bench.cause()
  const arrived = receiver.requests.length
  await service.dispatcher.runDue()
  assert.equal(receiver.requests.length, arrived + 2)
  const [thin_delivery] = await bench.deliveries(thin.id)
  const [full_delivery] = await bench.deliveries(full.id)
  const text = await textOf(thin.id, thin_delivery.id)
  assert.equal(entryOf(text).credential_id, credential_id)
  assert.equal('name' in entryOf(text), false)
  assert.equal('name' in entryOf(await textOf(full.id, full_delivery.id)), true)
  const bodies = receiver.requests.slice(arrived).map(({ body }) => body.toString())
  assert.ok(bodies.includes(text))
})

test('a change applies to events recorded afterwards, and a redelivery renders as it is now', async () => {
  const { service } = bench
  const { id } = await bench.subscribe()
  const shown = async () => (await service.call('GET', `/webhooks/${id}`)).body.payload
  assert.equal(await shown(), 'full')
  await bench.cause()
  const { status } = await service.call('PATCH', `/webhooks/${id}`, { body: { payload: 'thin' } })
  assert.deepEqual([status, await shown()], [200, 'thin'])
  await service.call('PATCH', `/webhooks/${id}`, { body: { name: 'Payroll' } })
  assert.equal(await shown(), 'thin')
  await bench.cause()
  await service.dispatcher.runDue()
  const [first, second] = await bench.deliveries(id)
  const before_change = await textOf(id, first.id)
  assert.deepEqual(
    [before_change, await textOf(id, second.id)].map((text) => 'name' in entryOf(text)),
    [true, false],
  )
  const redeliver = async () => (await service.call('POST', `/webhooks/${id}/deliveries/${first.id}/redeliver`)).body.id
  assert.equal('name' in entryOf(await textOf(id, await redeliver())), false)
  await service.call('PATCH', `/webhooks/${id}`, { body: { payload: 'full' } })
  assert.equal(await textOf(id, await redeliver()), before_change)
})

test('a thin body needs no category, whatever the subscription was granted', async () => {
  const { service } = bench
  const sensitive_data = ['compensation']
  const { id } = await bench.subscribe({ events: ['payment.completed'], payload: 'thin', sensitive_data })
  const { body } = await service.call('POST', `/webhooks/${id}/simulate`, { body: { event_type: 'payment.completed' } })
  const token = await service.createToken(service.organization.id, { scopes: ['webhooks:read'], sensitive_data: [] })
  const read = await service.call('GET', `/webhooks/${id}/deliveries/${body.id}`, { token })
  assert.ok(entryOf(read.body.body.text).payment_id)
})

for (const payload of ['lean', '', null, ['thin']]) {
  test(`the payload mode ${JSON.stringify(payload)} is refused`, async () => {
    const { id } = await bench.subscribe()
    const answers = [
      await bench.service.call('PATCH', `/webhooks/${id}`, { body: { payload } }),
      await bench.service.call('POST', '/webhooks', {
        body: { url: bench.receiver.url, events: ['api-token.created'], payload },
      }),
    ]
    for (const { status, body } of answers) assert.deepEqual([status, body.errors[0].pointer], [400, '/payload'])
  })
}
