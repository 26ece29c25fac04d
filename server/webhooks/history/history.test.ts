import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { answer } from '#test/receiver.ts'
import { startWebhookBench, type WebhookBench } from '#test/webhook-bench.ts'

const minute_ms = 60_000

let bench: WebhookBench
let id: string
let tokens: string[]
/** One delivery of each kind: succeeded, failing, simulated, redelivered. */
before(async () => {
  bench = await startWebhookBench()
  const { service, receiver } = bench
  id = (await bench.subscribe({ events: ['api-token.created', 'api-token.revoked'] })).id
  tokens = [await bench.cause('first')]
  await service.dispatcher.runDue()
  await service.clock.advance(minute_ms)
  receiver.script(answer({ status: 500 }))
  await service.call('DELETE', `/api-tokens/${tokens[0]}`)
  await service.dispatcher.runDue()
  await service.clock.advance(1_000)
  await service.call('POST', `/webhooks/${id}/simulate`, { body: { event_type: 'api-token.created' } })
  await service.dispatcher.runDue()
})
after(() => bench.close())

const at = (offset_ms: number) => new Date(Date.parse('2026-03-02T09:00:00Z') + offset_ms).toISOString()

const filters: [name: string, query: () => Record<string, unknown>, kinds: string[]][] = [
  ['nothing', () => ({}), ['simulation', 'revoked', 'created']],
  ['statuses', () => ({ statuses: 'pending,failed' }), ['revoked']],
  ['event types', () => ({ event_types: ['api-token.revoked'] }), ['revoked']],
  ['origins', () => ({ origins: ['simulation'] }), ['simulation']],
  ['simulations', () => ({ is_simulation: true }), ['simulation']],
  ['real events', () => ({ is_simulation: false }), ['revoked', 'created']],
  ['since, inclusive', () => ({ since: at(minute_ms) }), ['simulation', 'revoked']],
  ['until, exclusive', () => ({ until: at(minute_ms) }), ['created']],
  ['a resource', () => ({ resource_id: tokens[0] }), ['revoked', 'created']],
  ['a resource nobody has', () => ({ resource_id: id }), []],
  ['changes after a time', () => ({ updated_after: at(0) }), ['simulation', 'revoked']],
]

const kindOf = ({ origin, event_type }: { origin: string; event_type: string }) =>
  origin === 'event' ? event_type.replace('api-token.', '') : origin

for (const [name, query, kinds] of filters) {
  test(`deliveries are listed by ${name}, newest first`, async () => {
    const { status, body } = await bench.service.call('GET', `/webhooks/${id}/deliveries`, { query: query() })
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(body.data.map(kindOf), kinds)
    assert.equal(body.total_count, kinds.length)
  })
}

test('deliveries are listed by event, and page by page without repetition', async () => {
  const [first] = await bench.deliveries(id)
  const { body } = await bench.service.call('GET', `/webhooks/${id}/deliveries`, {
    query: { event_id: first.event_id },
  })
  assert.deepEqual(body.data, [first])
  const seen: string[] = []
  for (let cursor: string | undefined; seen.length < 3; ) {
    const page = await bench.service.call('GET', `/webhooks/${id}/deliveries`, {
      query: { limit: 1, ...(cursor && { cursor }) },
    })
    seen.push(...page.body.data.map(kindOf))
    cursor = page.body.cursor
  }
  assert.deepEqual(seen, ['simulation', 'revoked', 'created'])
})

test('a delivery shows body and attempts; signatures are whole only with webhooks:write', async () => {
  const [first] = await bench.deliveries(id)
  const path = `/webhooks/${id}/deliveries/${first.id}`
  const token = await bench.service.createToken(bench.service.organization.id, { scopes: ['webhooks:read'] })
  const written = (await bench.service.call('GET', path)).body
  const read = (await bench.service.call('GET', path, { token })).body
  assert.match(written.attempts[0].request_headers['x-service-signature'], /^[0-9a-f]{64}$/)
  assert.match(read.attempts[0].request_headers['x-service-signature'], /^[0-9a-f]{12}…$/)
  assert.match(read.attempts[0].request_headers['webhook-signature'], /^v1,.{9}…$/)
  assert.deepEqual(JSON.parse(written.body.text).data.meta, {
    event_type: 'api-token.created',
    organization_id: bench.service.organization.id,
    event_id: first.event_id,
    occurred_at: at(0),
  })
})

test('a redelivery is a delivery of its own with the stored bytes and one attempt; it marks what it recovers', async (t) => {
  const own = await startWebhookBench({ WEBHOOK_RETRY_SCHEDULE: '1s' })
  t.after(() => own.close())
  const subscribed = await own.subscribe()
  own.receiver.script(answer({ status: 500 }), answer({ status: 500 }), answer({ status: 500 }))
  await own.cause()
  await own.service.dispatcher.runDue()
  await own.service.clock.advance(1_000)
  await own.service.dispatcher.runDue()
  const [source] = await own.deliveries(subscribed.id)
  assert.deepEqual([source.status, source.recovered_at], ['failed', null])

  const again = async (delivery_id: string, body = {}) =>
    own.service.call('POST', `/webhooks/${subscribed.id}/deliveries/${delivery_id}/redeliver`, { body })
  const failing = (await again(source.id)).body
  assert.deepEqual([failing.origin, failing.source_delivery_id, failing.status], ['redelivery', source.id, 'pending'])
  await own.service.dispatcher.runDue()
  const second = await again(failing.id, { retry: true })
  assert.equal(second.status, 201)
  // Repeats of repeats still name the first delivery.
  assert.equal(second.body.source_delivery_id, source.id)
  await own.service.dispatcher.runDue()
  const statuses = (await own.deliveries(subscribed.id)).map(({ status, recovered_at }) => [
    status,
    recovered_at !== null,
  ])
  assert.deepEqual(statuses, [
    ['failed', true],
    ['failed', false],
    ['succeeded', false],
  ])
  assert.equal(new Set(own.receiver.requests.map(({ body }) => body.toString())).size, 1)
  assert.equal((await own.service.call('GET', `/webhooks/${subscribed.id}`)).body.consecutive_failures, 2)
})

test('a redelivery of a waiting delivery completes it', async () => {
  const { service } = bench
  const [, waiting] = await bench.deliveries(id)
  assert.equal(waiting.status, 'pending')
  const { body } = await service.call('POST', `/webhooks/${id}/deliveries/${waiting.id}/redeliver`)
  await service.dispatcher.runDue()
  const after_it = await bench.deliveries(id)
  assert.deepEqual(
    after_it.filter((delivery) => [waiting.id, body.id].includes(delivery.id)).map(({ status }) => status),
    ['succeeded', 'succeeded'],
  )
})

test('a redelivery is refused for what is held, for a disabled subscription and for a type taken away', async () => {
  const { service } = bench
  // Ids of one frozen millisecond would not sort after those of before another service ran in this process.
  await service.clock.advance(1_000)
  const [created] = await bench.deliveries(id)
  const refusal = async (delivery_id: string) => {
    const { status, body } = await service.call('POST', `/webhooks/${id}/deliveries/${delivery_id}/redeliver`)
    return [status, body.code]
  }
  await service.call('PATCH', `/webhooks/${id}`, { body: { events: ['api-token.revoked'] } })
  assert.deepEqual(await refusal(created.id), [422, 'not_subscribed'])
  await service.call('PATCH', `/webhooks/${id}`, { body: { events: ['api-token.created'], status: 'disabled' } })
  await bench.cause()
  assert.deepEqual(await refusal(created.id), [409, 'subscription_disabled'])
  const held = (await bench.deliveries(id)).at(-1)
  await service.call('PATCH', `/webhooks/${id}`, { body: { status: 'active' } })
  assert.deepEqual(await refusal(held.id), [409, 'delivery_busy'])
})
