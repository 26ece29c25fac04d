import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#db/database.ts'
import { startWebhookBench } from '#test/webhook-bench.ts'
import { createListener, createNotifier } from './notifications.store.ts'

const round_ms = 1_000

test('workers of another process are told after the commit, sooner than their round', async (t) => {
  const bench = await startWebhookBench()
  t.after(() => bench.close())
  const { service, receiver } = bench
  const workers = bench.openWorkers({ notify: true })
  workers.start()
  await bench.subscribe()
  // The bench's own process runs no workers, and its room sends no notifications: this one does, in its place.
  const sender = bench.openWorkers({ notify: true })
  const told: string[][] = []
  const listened = Promise.withResolvers<void>()
  const listener = createListener(service.database.database, service.runtime.log, (ids) => {
    told.push([...ids])
    listened.resolve()
  })
  listener.start()
  await bench.cause()
  const [{ subscription_id } = { subscription_id: '' }] = await service.database.database.transaction(
    { role: 'engine' },
    (tx) => tx.rows<{ subscription_id: string }>(sql`select subscription_id from webhook_lanes`),
  )
  sender.room.wake.due([subscription_id, subscription_id])
  await listened.promise
  assert.deepEqual(told, [[subscription_id]])
  await receiver.waitFor(1, round_ms * 5)
  await listener.stop()
})

test('a connection that is lost while listening is opened again', async (t) => {
  const bench = await startWebhookBench()
  const { database } = bench.service.database
  const { log } = bench.service.runtime
  const news = Promise.withResolvers<readonly string[]>()
  const listener = createListener(database, log, news.resolve)
  t.after(async () => {
    await listener.stop()
    await bench.close()
  })
  const listeners = () =>
    database.transaction({ role: 'owner' }, (tx) =>
      tx.rows<{ pid: number }>(
        sql`select pid from pg_stat_activity where query like 'listen %' and datname = current_database()`,
      ),
    )
  listener.start()
  const first = await until(listeners, (rows) => rows.length === 1)
  await database.transaction({ role: 'owner' }, (tx) => tx.run(sql`select pg_terminate_backend(${first[0]?.pid})`))
  await until(listeners, (rows) => rows.length === 1 && rows[0]?.pid !== first[0]?.pid)
  const notifier = createNotifier(database, log)
  notifier.due(['a-subscription'])
  assert.deepEqual(await news.promise, ['a-subscription'])
  await notifier.close()
})

/** Asks the server again and again, at most for a minute. */
async function until<Value>(ask: () => Promise<Value>, isTrue: (value: Value) => boolean): Promise<Value> {
  const limit_ms = performance.now() + 60_000
  for (;;) {
    const value = await ask()
    if (isTrue(value)) return value
    if (performance.now() > limit_ms) throw new Error(`still ${JSON.stringify(value)} after a minute`)
  }
}
