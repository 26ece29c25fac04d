import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWebhookBench } from '#test/webhook-bench.ts'

test('a process whose last round ended more than 10 seconds ago is not ready, one without workers is', async (t) => {
  const bench = await startWebhookBench()
  t.after(() => bench.close())
  const { dispatcher } = bench.service
  const now = performance.now.bind(performance)
  assert.equal(dispatcher.fault(), null)
  dispatcher.start()
  assert.equal(dispatcher.fault(), null)
  const clock = t.mock.method(performance, 'now', () => now() + 12_000)
  assert.match(dispatcher.fault() ?? '', /^the last round ended \d+ ms ago$/)
  clock.mock.restore()
  await dispatcher.stop()
  assert.equal(dispatcher.fault(), null)
})
