import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { sql } from '#db/database.ts'
import { answer } from '#test/receiver.ts'
import { startWebhookBench, type WebhookBench } from '#test/webhook-bench.ts'

let bench: WebhookBench
before(async () => {
  bench = await startWebhookBench({ WEBHOOK_RETRY_SCHEDULE: '1m,1h' })
})
after(() => bench.close())
afterEach(() => bench.unsubscribeAll())

const hour_ms = 3_600_000
const waitOf = async (id: string) => {
  const [{ next_attempt_at }] = await bench.deliveries(id)
  return Date.parse(next_attempt_at) - bench.service.clock.now()
}

test('when the clock of the database was put back, waits are shortened to what their position allows', async () => {
  const { service, receiver } = bench
  const { id } = await bench.subscribe()
  receiver.script(answer({ status: 500 }), answer({ status: 500 }))
  await bench.cause()
  await service.dispatcher.runDue()
  assert.equal(await waitOf(id), 60_000)
  await service.clock.advance(-hour_ms)
  assert.equal(await service.dispatcher.runDue(), 0)
  assert.equal(await waitOf(id), 60_000)
  await service.clock.advance(60_000)
  await service.dispatcher.runDue()
  assert.equal(await waitOf(id), hour_ms)
  await service.clock.advance(-hour_ms)
  await service.dispatcher.runDue()
  assert.equal(await waitOf(id), hour_ms)
  await service.clock.advance(2 * hour_ms)
})

test('a first attempt waits for nothing after the clock was put back', async () => {
  const { service } = bench
  await bench.subscribe()
  await bench.cause()
  await service.clock.advance(-hour_ms)
  assert.equal(await service.dispatcher.runDue(), 1)
  await service.clock.advance(hour_ms)
})

test('after faults of our own at most 300 seconds remain', async () => {
  const { service } = bench
  const { id } = await bench.subscribe()
  await bench.cause()
  await service.database.database.transaction({ role: 'engine' }, (tx) =>
    tx.run(sql`
      update webhook_open_deliveries set faults = 12, next_attempt_at = app_now() + interval '1 hour'
      where subscription_id = ${id}`),
  )
  assert.equal(await service.dispatcher.runDue(), 0)
  assert.equal(await waitOf(id), 300_000)
})

test('a wait as long as its own schedule tells is left alone beside shorter schedules', async () => {
  const { service, receiver } = bench
  const { id } = await bench.subscribe()
  const other = bench.openWorkers({ delays_ms: [100] })
  await service.database.database.transaction({ role: 'engine' }, (tx) => other.room.schedules.current(tx))
  receiver.script(answer({ status: 500 }))
  await bench.cause()
  await service.dispatcher.runDue()
  await service.dispatcher.runDue()
  assert.equal(await waitOf(id), 60_000)
})
