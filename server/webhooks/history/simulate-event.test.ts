import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, afterEach, before, test } from 'node:test'
import { answer } from '#test/receiver.ts'
import { verifies } from '#test/verifies.ts'
import { startWebhookBench, type WebhookBench } from '#test/webhook-bench.ts'

let bench: WebhookBench
before(async () => {
  bench = await startWebhookBench()
})
after(() => bench.close())
afterEach(() => bench.unsubscribeAll())

const simulate = (id: string, event_type = 'api-token.created') =>
  bench.service.call('POST', `/webhooks/${id}/simulate`, { body: { event_type } })

test('a simulation sends the example of the catalogue, marked, signed and retried like a real event', async () => {
  const { service, receiver } = bench
  const { id, signing_key } = await bench.subscribe()
  await service.takeEvents()
  const { status, body: delivery } = await simulate(id)
  assert.equal(status, 201)
  assert.deepEqual([delivery.origin, delivery.is_simulation, delivery.status], ['simulation', true, 'pending'])
  receiver.script(answer({ status: 500 }))
  const arrived = receiver.requests.length
  await service.dispatcher.runDue()
  await service.clock.advance(60_000)
  await service.dispatcher.runDue()
  const [first, second] = receiver.requests.slice(arrived)
  verifies('6.4.same-rules').deepEqual(first?.body, second?.body)
  const payload = JSON.parse(String(first?.body))
  const { body: catalogue } = await service.call('GET', '/webhooks/events')
  const { payload_example } = catalogue.data.find(({ name }: { name: string }) => name === 'api-token.created')
  const occurred_at = new Date(service.clock.now() - 60_000).toISOString()
  const { meta } = payload.data
  verifies('2.3.event-type').equal(meta.event_type, 'api-token.created')
  verifies('2.3.organization-id').equal(meta.organization_id, service.organization.id)
  verifies('2.3.event-id').equal(meta.event_id, delivery.event_id)
  verifies('2.3.occurred-at').equal(meta.occurred_at, occurred_at)
  verifies('2.3.is-simulation').equal(meta.is_simulation, true)
  verifies('2.3.timestamp').equal(payload.timestamp, occurred_at)
  verifies('6.4.payload').deepEqual(payload, {
    data: {
      meta: {
        event_type: 'api-token.created',
        organization_id: service.organization.id,
        event_id: delivery.event_id,
        occurred_at,
        is_simulation: true,
      },
      resource: payload_example.data.resource,
    },
    timestamp: occurred_at,
  })
  const signature = createHmac('sha256', signing_key).update('POST').update(String(first?.body)).digest('hex')
  verifies('6.4.same-rules').equal(first?.headers['x-service-signature'], signature)
  const [recorded] = await bench.deliveries(id)
  verifies('6.4.history').deepEqual([recorded.status, recorded.id], ['succeeded', delivery.id])
  assert.equal((await service.call('GET', `/webhooks/${id}`)).body.consecutive_failures, 0)
  verifies('6.4.no-records').deepEqual(await service.takeEvents(), [])
})

test('two events have two ids, and a real one is not marked as a simulation', async () => {
  const { service, receiver } = bench
  await bench.subscribe()
  const arrived = receiver.requests.length
  await bench.cause()
  await bench.cause()
  await service.dispatcher.runDue()
  const metas = receiver.requests.slice(arrived).map(({ body }) => JSON.parse(String(body)).data.meta)
  verifies('2.3.event-id').equal(new Set(metas.map(({ event_id }) => event_id)).size, 2)
  for (const meta of metas) verifies('6.4.no-records').notEqual(meta.is_simulation, true)
})

test('every simulated event about a contract carries its type and country, those of amendments too', async () => {
  const { service, receiver } = bench
  const types = [...service.runtime.registry.events.keys()].filter((type) => type.startsWith('contract.'))
  assert.ok(types.includes('contract.amendment.signed'))
  const { id } = await bench.subscribe({ events: types })
  const arrived = receiver.requests.length
  for (const type of types.slice(0, 10)) assert.equal((await simulate(id, type)).status, 201)
  await service.dispatcher.runDue()
  const sent = receiver.requests.slice(arrived).map(({ body }) => JSON.parse(body.toString()).data)
  assert.equal(sent.length, 10)
  const examples = types.map((type) => service.runtime.registry.events.get(type)?.type.example as object)
  for (const entry of [...sent.flatMap(({ resource }) => resource), ...examples]) {
    const textOf = (field: string) => typeof (entry as Record<string, unknown>)[field]
    for (const field of ['contract_id', 'worker_email', 'status', 'created_at'])
      verifies('2.3.contract-entry').equal(textOf(field), 'string', `${field} of ${JSON.stringify(entry)}`)
    for (const field of ['type', 'country'])
      verifies('2.3.contract-simulated-entry').equal(textOf(field), 'string', `${field} of ${JSON.stringify(entry)}`)
  }
})

test('every attempt of a delivery belongs to the trace of the call that caused it, or to one of its own', async () => {
  const { service, receiver } = bench
  const { id } = await bench.subscribe()
  const called = '4bf92f3577b34da6a3ce929d0e0e4736'
  const calls = [{ traceparent: `00-${called}-00f067aa0ba902b7-01` }, {}]
  for (const headers of calls) {
    const { body: delivery } = await service.call('POST', `/webhooks/${id}/simulate`, {
      body: { event_type: 'api-token.created' },
      headers,
    })
    receiver.script(answer({ status: 500 }))
    const arrived = receiver.requests.length
    await service.dispatcher.runDue()
    await service.clock.advance(60_000)
    await service.dispatcher.runDue()
    const sent = receiver.requests.slice(arrived).map((request) => String(request.headers.traceparent).split('-'))
    const trace_id = 'traceparent' in headers ? called : delivery.event_id.replaceAll('-', '')
    assert.deepEqual(
      sent.map(([version, trace, , flags]) => [version, trace, flags]),
      [1, 2].map(() => ['00', trace_id, '01']),
    )
    const [first, second] = sent.map(([, , span]) => span)
    assert.match(first ?? '', /^[0-9a-f]{16}$/)
    assert.notEqual(first, second)
  }
})

test('ten of parallel calls are taken in a rolling hour, and the refusal says when the next is free', async () => {
  const { service } = bench
  const { id } = await bench.subscribe()
  await simulate(id)
  await service.clock.advance(600_000)
  const answers = await Promise.all(Array.from({ length: 11 }, () => simulate(id)))
  const taken = answers.filter(({ status }) => status === 201)
  const refused = answers.filter(({ status }) => status === 429)
  verifies('6.4.limit', '8.simulations').deepEqual([1 + taken.length, refused.length], [10, 2])
  for (const { body, headers } of refused) {
    assert.equal(body.code, 'simulation_limit')
    assert.equal(headers['retry-after'], '3000')
  }
  await service.clock.advance(3_000_000 - 1)
  const within_hour = (await simulate(id)).status
  await service.clock.advance(1)
  verifies('6.4.limit', '8.simulations').deepEqual([within_hour, (await simulate(id)).status], [429, 201])
  assert.equal((await simulate(id)).status, 429)
  const other = await bench.subscribe()
  assert.equal((await simulate(other.id)).status, 201)
})

test('the status of the subscription is judged first, then the type, then the limit', async () => {
  const { service } = bench
  const { id } = await bench.subscribe()
  for (let taken = 0; taken < 10; taken += 1) await simulate(id)
  const refusal = async (event_type: string) => {
    const { status, body } = await simulate(id, event_type)
    return [status, body.code]
  }
  assert.deepEqual(await refusal('api-token.created'), [429, 'simulation_limit'])
  verifies('6.4.subscribed-type').deepEqual(await refusal('api-token.revoked'), [422, 'not_subscribed'])
  assert.deepEqual(await refusal('no.such.type'), [422, 'not_subscribed'])
  await service.call('PATCH', `/webhooks/${id}`, { body: { status: 'disabled' } })
  assert.deepEqual(await refusal('api-token.revoked'), [409, 'subscription_disabled'])
})
