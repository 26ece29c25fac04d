import assert from 'node:assert/strict'
import { test } from 'node:test'
import { verifies } from '#test/verifies.ts'
import { startWebhookBench } from '#test/webhook-bench.ts'

test('an event of a committed change is signed, sent and recorded', async (t) => {
  const bench = await startWebhookBench()
  t.after(() => bench.close())
  const { id } = await bench.subscribe()
  await bench.cause()
  assert.equal(await bench.service.dispatcher.runDue(), 1)
  const [request] = await bench.receiver.waitFor(1)
  const { pathname } = new URL(bench.receiver.url)
  const sent = [request?.method, request?.path, request?.headers['content-type']]
  verifies('6.2.transport', '4.5.post').deepEqual(sent, ['POST', pathname, 'application/json'])
  const [delivery] = await bench.deliveries(id)
  const { body: subscription } = await bench.service.call('GET', `/webhooks/${id}`)
  verifies('3.1.success').deepEqual([subscription.status, delivery.status], ['active', 'succeeded'])
  assert.equal(delivery.last_status, 200)
  assert.equal(request?.headers['webhook-id'], delivery.event_id)
})
