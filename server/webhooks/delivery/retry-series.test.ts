import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { webhookSettings } from '#boot/config.ts'
import { answer } from '#test/receiver.ts'
import { verifies } from '#test/verifies.ts'
import { startWebhookBench, type WebhookBench } from '#test/webhook-bench.ts'

const minute_ms = 60_000
/** Interface specification 6.3, added up: minutes after the first failure at which each attempt is made. */
const attempts_at_min = [0, 1, 3, 7, 15, 31, 63, 123, 243, 483, 1_443]

let bench: WebhookBench
before(async () => {
  bench = await startWebhookBench({}, { behaviour: answer({ status: 503, body: 'down' }) })
})
after(() => bench.close())
afterEach(() => bench.unsubscribeAll())

test('a series makes its eleven attempts at the promised minutes, and the last failure disables', async () => {
  const { service, receiver } = bench
  const { id } = await bench.subscribe({ name: 'Payroll' })
  const other = await bench.subscribe({ events: ['webhook.disabled'] })
  await bench.cause()
  let minute = 0
  const states: [delivery: string, subscription: string][] = []
  for (const [index, due_min] of attempts_at_min.entries()) {
    if (due_min > 0) {
      // One millisecond earlier nothing is sent.
      await service.clock.advance((due_min - minute) * minute_ms - 1)
      verifies('6.3.schedule').equal(await service.dispatcher.runDue(), 0, `attempt ${index} came early`)
      await service.clock.advance(1)
    }
    minute = due_min
    verifies('6.3.schedule').ok((await service.dispatcher.runDue()) >= 1, `attempt ${index} did not come`)
    const [delivery] = await bench.deliveries(id)
    states.push([delivery.status, (await service.call('GET', `/webhooks/${id}`)).body.status])
    assert.equal(delivery.last_error_class, 'http_5xx')
  }
  verifies('3.1.retry', '7.receiver-non-2xx').deepEqual(states.slice(0, -1), Array(10).fill(['pending', 'active']))
  verifies('3.1.disable', '6.3.disable', '8.attempts').deepEqual(states.at(-1), ['failed', 'disabled'])
  await bench.cause()
  await service.dispatcher.runDue()
  const { body: subscription } = await service.call('GET', `/webhooks/${id}`)
  assert.equal(subscription.disabled_reason, 'failures')
  assert.equal(subscription.consecutive_failures, 11)
  assert.equal(subscription.last_error.class, 'http_5xx')
  const requests = receiver.requests.filter(
    ({ headers }) => headers['x-service-hmac-label'] === subscription.signing_keys[0].label,
  )
  verifies('3.1.no-deliveries').equal(requests.length, 11)
  assert.equal(new Set(requests.map(({ body }) => body.toString())).size, 1)
  const event_ids = requests.map(({ body }) => JSON.parse(String(body)).data.meta.event_id)
  verifies('6.2.duplicates').deepEqual([new Set(event_ids).size, event_ids[0]], [1, requests[0]?.headers['webhook-id']])

  const [told] = await bench.deliveries(other.id)
  const { body: detail } = await service.call('GET', `/webhooks/${other.id}/deliveries/${told.id}`)
  const [entry] = JSON.parse(detail.body.text).data.resource
  assert.deepEqual(
    { ...entry, last_error: entry.last_error.class },
    {
      webhook_id: id,
      url: receiver.url,
      name: 'Payroll',
      reason: 'failures',
      consecutive_failures: 11,
      disabled_at: subscription.disabled_at,
      last_error: 'http_5xx',
    },
  )
  assert.ok(service.logged.some((line) => JSON.parse(line).msg === 'webhook_disabled'))
})

test('without a setting of its own, a receiver has the 30 seconds of the contract', () => {
  verifies('8.receiver-time').equal(webhookSettings(bench.service.config).timeout_ms, 30_000)
})

test('a failing subscription says what its disabling waits for: how many failures of how many, since when, and which last attempt', async () => {
  const { service } = bench
  const { id } = await bench.subscribe()
  await bench.cause()
  await service.dispatcher.runDue()
  const { body } = await service.call('GET', `/webhooks/${id}`)
  const [delivery] = await bench.deliveries(id)
  const failing_since = new Date(service.clock.now()).toISOString()
  const earliest_at = new Date(service.clock.now() + 1_443 * minute_ms).toISOString()
  assert.deepEqual(body.disable_risk, {
    consecutive_failures: 1,
    threshold: 10,
    failing_since,
    waits_for: ['more_failures', 'last_attempt'],
    delivery_id: delivery.id,
    attempts_left: 10,
    earliest_at,
  })
  assert.deepEqual({ pending: body.backlog.pending, held: body.backlog.held }, { pending: 1, held: 0 })

  // Other deliveries fail as well: the threshold is reached, and still no schedule is used up.
  for (let failed = 1; failed < 10; failed += 1) {
    await bench.cause()
    await service.dispatcher.runDue()
  }
  const risk = (await service.call('GET', `/webhooks/${id}`)).body
  assert.deepEqual(
    [risk.status, risk.disable_risk],
    [
      'active',
      {
        consecutive_failures: 10,
        threshold: 10,
        failing_since,
        waits_for: ['last_attempt'],
        delivery_id: delivery.id,
        attempts_left: 10,
        earliest_at,
      },
    ],
  )
})

test('a running series keeps the schedule it began with when the setting changes', async () => {
  const { service } = bench
  const { id } = await bench.subscribe()
  await bench.cause()
  await service.dispatcher.runDue()
  const changed = bench.openWorkers({ delays_ms: [100] }).dispatcher
  for (const minutes of [1, 2, 4]) {
    await service.clock.advance(minutes * minute_ms - 1)
    assert.equal(await changed.runDue(), 0)
    await service.clock.advance(1)
    assert.equal(await changed.runDue(), 1)
  }
  const [delivery] = await bench.deliveries(id)
  assert.deepEqual([delivery.status, delivery.attempt_no], ['pending', 4])
})

test('a short schedule ends a delivery early, and a success in between keeps the subscription', async (t) => {
  const short = await startWebhookBench({ WEBHOOK_RETRY_SCHEDULE: '1s', WEBHOOK_DISABLE_AFTER: '2' })
  t.after(() => short.close())
  const { service, receiver } = short
  const { id } = await short.subscribe()
  receiver.script(answer({ status: 500 }), answer(), answer({ status: 500 }), answer({ status: 500 }))
  await short.cause()
  await service.dispatcher.runDue()
  await service.clock.advance(1_000)
  await service.dispatcher.runDue()
  assert.deepEqual(
    (await short.deliveries(id)).map(({ status }) => status),
    ['succeeded'],
  )
  await short.cause()
  await service.dispatcher.runDue()
  await service.clock.advance(1_000)
  await service.dispatcher.runDue()
  const { body } = await service.call('GET', `/webhooks/${id}`)
  assert.equal(body.status, 'disabled')
  assert.equal(body.consecutive_failures, 2)
})
