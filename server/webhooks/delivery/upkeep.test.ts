import assert from 'node:assert/strict'
import { after, afterEach, before, type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from '#db/database.ts'
import { answer, answerAfter } from '#test/receiver.ts'
import { verifies } from '#test/verifies.ts'
import { startWebhookBench, type WebhookBench } from '#test/webhook-bench.ts'
import { sweepDurations } from '#webhooks/metrics.ts'

let bench: WebhookBench
before(async () => {
  bench = await startWebhookBench({ WEBHOOK_RELEASE_RATE: '3' })
})
after(() => bench.close())
afterEach(() => bench.unsubscribeAll())

const set = async (id: string, fields: Record<string, unknown>) => {
  const { status, body } = await bench.service.call('PATCH', `/webhooks/${id}`, { body: fields })
  assert.equal(status, 200, JSON.stringify(body))
  return body
}
const causeMany = async (count: number) => {
  for (let caused = 0; caused < count; caused += 1) await bench.cause()
}
const statuses = async (id: string) => (await bench.deliveries(id)).map(({ status }) => status)

test('while disabled nothing is sent and nothing is lost; enabling sends all of it in order at the rate', async () => {
  const { service, receiver } = bench
  const { id } = await bench.subscribe()
  await causeMany(2)
  await set(id, { status: 'disabled' })
  await causeMany(5)
  const before_requests = receiver.requests.length
  verifies('3.1.no-deliveries').equal(await service.dispatcher.runDue(), 0)
  assert.deepEqual(new Set(await statuses(id)), new Set(['held']))
  const held = await bench.deliveries(id)
  assert.ok(held.every(({ hold_reason, expires_at }) => hold_reason === 'disabled' && expires_at))

  const { body } = await service.call('POST', `/webhooks/${id}/enable`)
  verifies('3.1.re-enable').deepEqual([body.status, body.disabled_at, body.consecutive_failures], ['active', null, 0])
  for (const expected of [3, 3, 1, 0]) {
    assert.equal(await service.dispatcher.runDue(), expected)
    await service.clock.advance(1_000)
  }
  assert.deepEqual(new Set(await statuses(id)), new Set(['succeeded']))
  verifies('3.1.resume').deepEqual(
    receiver.requests.slice(before_requests).map(({ headers }) => headers['webhook-id']),
    held.map(({ event_id }) => event_id),
  )
  assert.ok((await bench.deliveries(id)).every(({ series }) => series === 2))
})

test('enabling with discard ends what is held and sends what comes afterwards', async () => {
  const { service } = bench
  const { id } = await bench.subscribe({ status: 'disabled' })
  await causeMany(4)
  await set(id, { status: 'active', held: 'discard' })
  await service.clock.advance(1)
  await bench.cause()
  await service.dispatcher.runDue()
  assert.deepEqual(await statuses(id), [...Array(4).fill('discarded'), 'succeeded'])
})

test('enabling with discard ends what was not held yet, since nobody had come to hold it', async () => {
  const { service, receiver } = bench
  const { id } = await bench.subscribe()
  await causeMany(3)
  await set(id, { status: 'disabled' })
  await set(id, { status: 'active', held: 'discard' })
  const before_requests = receiver.requests.length
  await service.clock.advance(1)
  await bench.cause()
  while ((await service.dispatcher.runDue()) > 0) await service.clock.advance(1_000)
  assert.deepEqual(await statuses(id), [...Array(3).fill('discarded'), 'succeeded'])
  assert.equal(receiver.requests.length, before_requests + 1)
})

test('an attempt under way when the subscription is disabled ends, and its failure is held without a count', async () => {
  const { service, receiver } = bench
  const { id } = await bench.subscribe()
  const disabled = Promise.withResolvers<void>()
  receiver.script(answerAfter(disabled.promise, answer({ status: 500 })))
  const arrived = receiver.requests.length + 1
  await bench.cause()
  const running = service.dispatcher.runDue()
  await receiver.waitFor(arrived)
  const { body } = await service.call('GET', `/webhooks/${id}/deliveries`)
  assert.equal(body.data[0].status, 'sending')
  await set(id, { status: 'disabled' })
  disabled.resolve()
  await running
  const [delivery] = await bench.deliveries(id)
  assert.deepEqual([delivery.status, delivery.hold_reason, delivery.last_status], ['held', 'disabled', 500])
  assert.equal((await service.call('GET', `/webhooks/${id}`)).body.consecutive_failures, 0)
})

test('unsent deliveries of a deleted subscription are cancelled and stay readable', async () => {
  const { service } = bench
  const active = await bench.subscribe()
  const disabled = await bench.subscribe({ status: 'disabled' })
  await bench.cause()
  for (const { id } of [active, disabled]) assert.equal((await service.call('DELETE', `/webhooks/${id}`)).status, 204)
  await bench.cause()
  await service.dispatcher.runDue()
  assert.deepEqual(await statuses(active.id), ['cancelled'])
  assert.deepEqual(await statuses(disabled.id), ['cancelled'])
})

test('unsent deliveries of an event type taken away are cancelled, the others stay', async () => {
  const { service, receiver } = bench
  const events = ['api-token.created', 'api-token.revoked']
  const { id } = await bench.subscribe({ events })
  receiver.script(answer({ status: 500 }))
  const token = await bench.cause()
  await service.dispatcher.runDue()
  await service.call('DELETE', `/api-tokens/${token}`)
  await set(id, { events: ['api-token.revoked'] })
  await service.dispatcher.runDue()
  assert.deepEqual(
    (await bench.deliveries(id)).map(({ event_type, status }) => [event_type, status]),
    [
      ['api-token.created', 'cancelled'],
      ['api-token.revoked', 'succeeded'],
    ],
  )
})

test('disabling again while held deliveries are released holds the rest', async () => {
  const { service } = bench
  const { id } = await bench.subscribe({ status: 'disabled' })
  await causeMany(5)
  await service.call('POST', `/webhooks/${id}/enable`)
  assert.equal(await service.dispatcher.runDue(), 3)
  await set(id, { status: 'disabled' })
  await service.clock.advance(1_000)
  assert.equal(await service.dispatcher.runDue(), 0)
  assert.deepEqual(await statuses(id), [...Array(3).fill('succeeded'), 'held', 'held'])
})

test('a round ends after a second, however much a subscription left behind: what is due is found in time', async (t) => {
  const { service } = bench
  const { id } = await holdMany()
  await service.call('DELETE', `/webhooks/${id}`)
  await oneShortRound(t)
  assert.equal(await inHistory(id, 'cancelled'), 1_000)
})

test('what a deleted subscription left, and what one is to discard, does not delay what others have released', async (t) => {
  const { service } = bench
  const [deleted, discarding] = [await holdMany(), await holdMany()]
  const { id } = await bench.subscribe({ status: 'disabled' })
  await causeMany(2)
  await service.call('DELETE', `/webhooks/${deleted.id}`)
  await set(discarding.id, { status: 'active', held: 'discard' })
  await service.call('POST', `/webhooks/${id}/enable`)
  await oneShortRound(t)
  assert.equal(
    (await inEngine(sql`select from webhook_open_deliveries where subscription_id = ${id} and status = 'held'`)).length,
    0,
  )
  assert.equal((await inHistory(deleted.id, 'cancelled')) + (await inHistory(discarding.id, 'discarded')), 1_000)
})

const inEngine = <Row extends object>(statement: ReturnType<typeof sql>) =>
  bench.service.database.database.transaction({ role: 'engine' }, (tx) => tx.rows<Row>(statement))

const inHistory = async (id: string, status: string) => {
  const [row] = await inEngine<{ ended: number }>(sql`
    select count(*)::int as ended from webhook_deliveries where subscription_id = ${id} and status = ${status}`)
  return row?.ended ?? 0
}

/** A disabled subscription that holds more than two batches. */
async function holdMany() {
  const subscription = await bench.subscribe({ status: 'disabled' })
  await bench.cause()
  await inEngine(sql`
    insert into webhook_open_deliveries (organization_id, event_id, id, subscription_id, event_type, is_simulation, rendering,
      origin, status, hold_reason, schedule_id, created_at, updated_at)
    select d.organization_id, d.event_id, gen_random_uuid(), d.subscription_id, d.event_type, false, d.rendering,
      'redelivery', 'held', 'disabled', d.schedule_id, app_now(), app_now()
    from webhook_open_deliveries d cross join generate_series(1, 2500) where d.subscription_id = ${subscription.id}`)
  return subscription
}

/** One round of another process, whose time is over after one batch of each rule, and what it sends. */
async function oneShortRound(t: TestContext) {
  const rounds = async () =>
    (await sweepDurations.get()).values.find(({ metricName = '' }) => metricName.endsWith('_count'))?.value ?? 0
  const before_rounds = await rounds()
  const now = performance.now.bind(performance)
  let ahead_ms = 0
  t.mock.method(performance, 'now', () => {
    ahead_ms += 1_000
    return now() + ahead_ms
  })
  const { dispatcher } = bench.openWorkers()
  dispatcher.start()
  while ((await rounds()) === before_rounds) await delay(10)
  await dispatcher.stop()
}
