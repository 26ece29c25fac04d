import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { sql } from '#db/database.ts'
import { answer, answerAfter, hang } from '#test/receiver.ts'
import { startWebhookBench, type WebhookBench } from '#test/webhook-bench.ts'
import { expiredLeases } from './upkeep.store.ts'

let bench: WebhookBench
before(async () => {
  bench = await startWebhookBench()
})
after(() => bench.close())
afterEach(() => bench.unsubscribeAll())

/** One delivery whose attempt is under way in other workers and gets no answer. */
async function leaseHanging(parts: Parameters<WebhookBench['openWorkers']>[2] = {}) {
  const { id } = await bench.subscribe()
  bench.receiver.script(hang)
  const arrived = bench.receiver.requests.length + 1
  await bench.cause()
  const workers = bench.openWorkers({ shutdown_ms: 1_000 }, {}, parts)
  workers.dispatcher.start()
  await bench.receiver.waitFor(arrived)
  return { id, workers, arrived }
}

const attemptsOf = async (id: string) => {
  const [delivery] = await bench.deliveries(id)
  const { body } = await bench.service.call('GET', `/webhooks/${id}/deliveries/${delivery.id}`)
  return body.attempts.map(({ outcome, error_class, attempt_no, applied }: Record<string, unknown>) =>
    [outcome, error_class, attempt_no, applied].join(' '),
  )
}

test('where no other process can hold leases, those of before are taken back at the start', async () => {
  const { id, workers, arrived } = await leaseHanging({ is_alone: true })
  const { dispatcher } = bench.openWorkers({}, {}, { is_alone: true })
  dispatcher.start()
  await bench.receiver.waitFor(arrived + 1)
  await dispatcher.stop()
  assert.deepEqual((await attemptsOf(id)).sort(), ['succeeded  0 true', 'unknown worker_lost 0 true'])
  await workers.stop()
})

test('a process alone keeps its own leases, and one among others waits until theirs have run out', async () => {
  const { workers } = await leaseHanging()
  const { database } = bench.service.database
  const lost = await database.transaction({ role: 'engine' }, async (tx) => {
    const row = await tx.row<{ owner: string }>(
      sql`select lease_owner as owner from webhook_open_deliveries where status = 'sending'`,
    )
    assert.ok(row)
    const among = (only_owner: string | null) => expiredLeases(tx, only_owner, 10)
    return [await among(row.owner), await among(null), await among(`${row.owner}x`)].map(({ length }) => length)
  })
  assert.deepEqual(lost, [0, 0, 1])
  await workers.stop()
})

test('a lease ends 60 seconds after the clock of the database was put back, and not when that clock says so', async () => {
  const { service, receiver } = bench
  const { id } = await bench.subscribe()
  const late = Promise.withResolvers<void>()
  receiver.script(answerAfter(late.promise, answer({ status: 500 })))
  const arrived = receiver.requests.length + 1
  await bench.cause()
  const running = bench.openWorkers().dispatcher.runDue()
  await receiver.waitFor(arrived)
  const before_ms = service.clock.now()
  await service.clock.advance(-3_600_000)
  const { dispatcher } = bench.openWorkers()
  assert.equal(await dispatcher.runDue(), 0)
  await service.clock.advance(59_999)
  assert.equal(await dispatcher.runDue(), 0)
  await service.clock.advance(1)
  assert.equal(await dispatcher.runDue(), 1)
  late.resolve()
  await running
  await service.clock.set(new Date(before_ms).toISOString())
  const expected = ['failed http_5xx 0 false', 'succeeded  0 true', 'unknown worker_lost 0 true']
  assert.deepEqual((await attemptsOf(id)).sort(), expected)
})
