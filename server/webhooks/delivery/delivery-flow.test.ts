import assert from 'node:assert/strict'
import { test } from 'node:test'
import { verifies } from '#test/verifies.ts'
import { startWebhookBench } from '../testing/webhook-bench.ts'

test('an event of a committed change is signed, sent and recorded', async (t) => {
  verifies('3.1.success', '6.2.transport')
  const bench = await startWebhookBench()
  t.after(() => bench.close())
  const { id } = await bench.subscribe()
  await bench.cause()
  assert.equal(await bench.service.dispatcher.runDue(), 1)
  const [request] = await bench.receiver.waitFor(1)
  assert.equal(request?.method, 'POST')
  const [delivery] = await bench.deliveries(id)
  assert.equal(delivery.status, 'succeeded')
  assert.equal(delivery.last_status, 200)
  assert.equal(request?.headers['webhook-id'], delivery.event_id)
})
