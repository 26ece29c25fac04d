import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#db/database.ts'
import { answer } from '#test/receiver.ts'
import { startWebhookBench } from '#test/webhook-bench.ts'

test('a delivery is open until it ends, and written into the history once, with the attempt that ended it', async (t) => {
  const bench = await startWebhookBench()
  t.after(() => bench.close())
  const { dispatcher, clock, database } = bench.service
  const places = () =>
    database.database.transaction({ role: 'owner', read_only: true }, (tx) =>
      tx.rows(sql`
        select 'open' as place, status, null::boolean as is_of_last_attempt from webhook_open_deliveries
        union all
        select 'history', d.status, d.xmin = (select a.xmin from webhook_attempts a order by a.id desc limit 1)
        from webhook_deliveries d`),
    )
  await bench.subscribe()
  await bench.cause()
  assert.deepEqual(await places(), [{ place: 'open', status: 'pending', is_of_last_attempt: null }])
  bench.receiver.script(answer({ status: 500 }))
  await dispatcher.runDue()
  assert.deepEqual(await places(), [{ place: 'open', status: 'pending', is_of_last_attempt: null }])
  await clock.advance(60_000)
  await dispatcher.runDue()
  assert.deepEqual(await places(), [{ place: 'history', status: 'succeeded', is_of_last_attempt: true }])
})
