import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type Sql, sql } from '#db/database.ts'
import { startWebhookBench } from '#test/webhook-bench.ts'
import type { Webhooks } from '#webhooks/open-webhooks.ts'

const limit_ms = 20_000

/** Waits until the reason why the workers do not work reads so, or until there is none. */
async function untilFault({ fault }: Webhooks, words: RegExp | null): Promise<void> {
  const until_ms = Date.now() + limit_ms
  const isSo = () => (words ? words.test(fault() ?? '') : fault() === null)
  while (!isSo()) {
    assert.ok(Date.now() < until_ms, `${fault()} instead of ${words}`)
    await delay(10)
  }
}

test('a process is not ready while due deliveries were not found, or the feed not numbered, for 10 seconds; one without workers is', async (t) => {
  const bench = await startWebhookBench()
  t.after(() => bench.close())
  const workers = bench.openWorkers()
  assert.equal(workers.fault(), null)
  workers.start()
  assert.equal(workers.fault(), null)
  const now = performance.now.bind(performance)
  let ahead_ms = 0
  t.mock.method(performance, 'now', () => now() + ahead_ms)
  const asOwner = (statement: Sql) =>
    bench.service.database.database.transaction({ role: 'owner' }, (tx) => tx.run(statement))
  const pass = () => {
    ahead_ms += 12_000
    workers.dispatcher.changed()
  }

  await bench.service.database.database.transaction({ role: 'engine' }, async (tx) => {
    await tx.row(sql`select pg_advisory_xact_lock(7316413)`)
    pass()
    await untilFault(workers, /^the last numbering of the feed ended \d+ ms ago$/)
  })
  await untilFault(workers, null)

  await asOwner(sql`revoke select on webhook_open_deliveries from stint_engine`)
  pass()
  await untilFault(workers, /^the last look at due deliveries ended \d+ ms ago$/)
  await asOwner(sql`grant select on webhook_open_deliveries to stint_engine`)
  await untilFault(workers, null)
  pass()
  await workers.stop()
  assert.equal(workers.fault(), null)
})
