import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { loadConfig } from '#boot/config.ts'
import { answer } from '#test/receiver.ts'
import { startWebhookBench, type WebhookBench } from '#test/webhook-bench.ts'

let bench: WebhookBench
before(async () => {
  bench = await startWebhookBench({
    WEBHOOK_RETRY_SCHEDULE: Array(8).fill('1s').join(','),
    WEBHOOK_WARN_AFTER: '3',
    WEBHOOK_DISABLE_AFTER: '6',
  })
})
after(() => bench.close())
afterEach(() => bench.unsubscribeAll())

/** Makes the attempts that the statuses script, one second apart. */
async function answerWith(...statuses: number[]) {
  const { service, receiver } = bench
  for (const status of statuses) {
    receiver.script(answer({ status }))
    await service.dispatcher.runDue()
    await service.clock.advance(1_000)
  }
}
const warnings = async () =>
  (await bench.service.takeEvents()).filter(({ event_type }) => event_type === 'webhook.failing')

test('the others are told when the counter becomes the limit, once, with the last error', async () => {
  const { service, receiver } = bench
  const { id } = await bench.subscribe({ name: 'Payroll', events: ['api-token.created', 'webhook.failing'] })
  await bench.cause()
  await service.takeEvents()
  await answerWith(500, 500)
  assert.deepEqual(await warnings(), [])
  await answerWith(503)
  const { body } = await service.call('GET', `/webhooks/${id}`)
  const [delivery] = await bench.deliveries(id)
  assert.deepEqual(await warnings(), [
    {
      event_type: 'webhook.failing',
      resource: [
        {
          webhook_id: id,
          url: receiver.url,
          name: 'Payroll',
          reason: null,
          consecutive_failures: 3,
          disabled_at: null,
          last_error: body.last_error,
        },
      ],
    },
  ])
  assert.deepEqual([body.last_error.response_status, body.last_error.delivery_id], [503, delivery.id])
  await answerWith(500, 500)
  assert.deepEqual(await warnings(), [])
  assert.equal((await bench.deliveries(id)).length, 1, 'the subscription itself is not told')
})

test('a success starts the count anew, and the next run of failures is told again', async () => {
  const { service } = bench
  const { id } = await bench.subscribe()
  await bench.cause()
  await answerWith(500, 500, 500, 200)
  await bench.cause()
  await answerWith(500, 500, 500)
  assert.equal((await warnings()).length, 2)
  assert.equal((await service.call('GET', `/webhooks/${id}`)).body.consecutive_failures, 3)
})

test('another subscription that lists the type receives it, and simulations never cause it', async () => {
  const { service, receiver } = bench
  const other = await bench.subscribe({ events: ['webhook.failing'] })
  const { id } = await bench.subscribe()
  for (let simulations = 0; simulations < 4; simulations += 1) {
    await service.call('POST', `/webhooks/${id}/simulate`, { body: { event_type: 'api-token.created' } })
    await answerWith(500)
  }
  assert.deepEqual(await bench.deliveries(other.id), [])
  await service.dispatcher.runDue()
  await bench.cause()
  await answerWith(500, 500, 500)
  await service.dispatcher.runDue()
  const [told] = await bench.deliveries(other.id)
  assert.deepEqual([told.event_type, told.status], ['webhook.failing', 'succeeded'])
  const bodies = receiver.requests.map(({ body }) => JSON.parse(body.toString()).data)
  const [warning] = bodies.filter(({ meta }) => meta.event_id === told.event_id)
  assert.equal(warning.resource[0].webhook_id, id)
})

test('disabling is told as such, after the warning', async () => {
  const { service } = bench
  const { id } = await bench.subscribe()
  await bench.cause()
  await service.takeEvents()
  await answerWith(...Array(9).fill(500))
  assert.equal((await service.call('GET', `/webhooks/${id}`)).body.status, 'disabled')
  const types = (await service.takeEvents()).map(({ event_type }) => event_type)
  assert.deepEqual(types, ['webhook.failing', 'webhook.disabled'])
})

for (const [warn_after, fault] of [
  ['9', null],
  ['10', /WEBHOOK_WARN_AFTER 10 must be less than WEBHOOK_DISABLE_AFTER 10/],
  ['0', /from 1 to 999/],
] as const) {
  test(`a limit of ${warn_after} beside 10 ${fault ? 'is refused' : 'is accepted'}`, () => {
    const load = () => loadConfig({ WEBHOOK_WARN_AFTER: warn_after })
    if (fault) assert.throws(load, fault)
    else assert.equal(load().WEBHOOK_WARN_AFTER, 9)
  })
}
