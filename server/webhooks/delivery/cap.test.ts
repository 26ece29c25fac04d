import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#db/database.ts'
import { answer, type Behaviour } from '#test/receiver.ts'
import { startWebhookBench, type WebhookBench } from '#test/webhook-bench.ts'

const cap = 4

test('several workers never run more attempts of one subscription than the cap, and lose none', async (t) => {
  let bench: WebhookBench | undefined
  let sending_max = 0
  const observe: Behaviour = async (socket, request) => {
    // A connection of its own sees what is committed.
    const row = await bench?.service.database.database.transaction({ role: 'engine' }, (tx) =>
      tx.row<{ sending: number }>(
        sql`select count(*)::int as sending from webhook_open_deliveries where status = 'sending'`,
      ),
    )
    sending_max = Math.max(sending_max, row?.sending ?? 0)
    await answer()(socket, request)
  }
  bench = await startWebhookBench({ WEBHOOK_MAX_IN_FLIGHT: String(cap) }, { behaviour: observe })
  t.after(() => bench?.close())
  const { id } = await bench.subscribe()
  for (let caused = 0; caused < 60; caused += 1) await bench.cause()
  const dispatchers = [bench.service.dispatcher, ...[1, 2, 3].map(() => bench.openWorkers().dispatcher)]
  const made = await Promise.all(dispatchers.map((dispatcher) => dispatcher.runDue()))
  assert.equal(
    made.reduce((sum, count) => sum + count),
    60,
  )
  assert.ok(sending_max <= cap, `${sending_max} attempts ran at once`)
  assert.ok(sending_max > 1)
  assert.deepEqual(new Set((await bench.deliveries(id)).map(({ status }) => status)), new Set(['succeeded']))
  assert.equal(new Set(bench.receiver.requests.map(({ headers }) => headers['webhook-id'])).size, 60)
})
