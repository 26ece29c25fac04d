import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { answer } from '#test/receiver.ts'
import { startWebhookBench, type WebhookBench } from '#test/webhook-bench.ts'

let bench: WebhookBench
before(async () => {
  bench = await startWebhookBench()
})
after(() => bench.close())

/** The past, the far future, junk, and a wish shorter than the schedule. */
const values = ['-1', '1e9', 'Wed, 21 Oct 2015 07:28:00 GMT', 'Fri, 31 Dec 9999 23:59:59 GMT', 'junk', '5', '']

for (const status of [429, 503])
  for (const value of values)
    test(`resp.retry-after ${status} with ${JSON.stringify(value)}: on record, and the schedule is unchanged`, async () => {
      const { service, receiver } = bench
      await bench.unsubscribeAll()
      const { id } = await bench.subscribe()
      receiver.script(answer({ status, headers: { 'retry-after': value } }))
      await bench.cause()
      await service.dispatcher.runDue()
      const [delivery] = await bench.deliveries(id)
      const { body } = await service.call('GET', `/webhooks/${id}/deliveries/${delivery.id}`)
      const [attempt] = body.attempts
      assert.deepEqual([attempt.response_status, attempt.retry_after ?? ''], [status, value])
      assert.equal(delivery.status, 'pending')
      // The test's clock stands still during an attempt.
      assert.equal(Date.parse(delivery.next_attempt_at) - Date.parse(attempt.started_at), 60_000)
    })
