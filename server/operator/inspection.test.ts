import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Sql, sql, type Transaction } from '#db/database.ts'
import { answer } from '#test/receiver.ts'
import { startWebhookBench, type WebhookBench } from '#test/webhook-bench.ts'
import { ending, place_of_row } from '#webhooks/delivery/deliver.store.ts'
import type { Invariant } from '#webhooks/inspection.store.ts'
import { createInspector, type Inspected, inspectWebhooks, releaseDelivery } from './inspection.ts'

let bench: WebhookBench
before(async () => {
  bench = await startWebhookBench({ WEBHOOK_RETRY_SCHEDULE: '100ms,1m' })
})
after(() => bench.close())

const scope = { hours: 24, concurrent_s: 0, rows_max: null }

const engine = (statement: Sql) => {
  const { database } = bench.service.database
  return database.transaction({ role: 'engine' }, (tx) => tx.run(statement))
}

async function broken(
  database: Inspected = bench.service.database.database,
): Promise<Partial<Record<Invariant, string[]>>> {
  const findings = await inspectWebhooks(database, scope)
  return Object.fromEntries(
    findings.filter(({ count }) => count > 0).map(({ invariant, examples }) => [invariant, examples]),
  )
}

test('what the engine leaves behind keeps every invariant: successes, retries, failures, holds, releases, redeliveries', async () => {
  const { service, receiver } = bench
  const { id } = await bench.subscribe()
  await service.clock.advance(1_000)
  await bench.cause()
  receiver.script(answer({ status: 500 }), answer({ status: 500 }), answer({ status: 500 }))
  await bench.cause()
  await bench.cause()
  await service.dispatcher.runDue()
  assert.deepEqual(await broken(), {})
  await service.clock.advance(100)
  await service.dispatcher.runDue()
  await service.clock.advance(60_000)
  await service.dispatcher.runDue()
  await service.call('PATCH', `/webhooks/${id}`, { body: { status: 'disabled' } })
  await service.clock.advance(1_000)
  await bench.cause()
  assert.deepEqual(await broken(), {})
  await service.call('POST', `/webhooks/${id}/enable`)
  await service.dispatcher.runDue()
  const [delivery] = await bench.deliveries(id)
  await service.call('POST', `/webhooks/${id}/deliveries/${delivery.id}/redeliver`)
  await service.dispatcher.runDue()
  await service.call('DELETE', `/webhooks/${id}`)
  await service.clock.advance(60_000)
  await service.dispatcher.runDue()
  assert.deepEqual(await broken(), {})
})

const rowOf = (id: string) => sql`where id = ${id}`
const long_ago = sql`app_now() - interval '61 seconds'`
const stale = sql`updated_at = ${long_ago}`

const ended = (id: string, status: string) =>
  sql`with ${ending(sql`select ${place_of_row}, ${status}::text as status from webhook_open_deliveries d ${rowOf(id)}`)} select`

const corruptions: [invariant: Invariant, change: (delivery: string, subscription: string) => Sql[]][] = [
  ['every_match_has_a_delivery', (id) => [sql`update webhook_open_deliveries set origin = 'redelivery' ${rowOf(id)}`]],
  [
    'every_delivery_has_an_event',
    (id) => [sql`update webhook_open_deliveries set event_type = 'contract.created' ${rowOf(id)}`],
  ],
  ['due_is_sent', (id) => [sql`update webhook_open_deliveries set next_attempt_at = ${long_ago} ${rowOf(id)}`]],
  [
    'leases_end',
    (id) => [sql`update webhook_open_deliveries set status = 'sending', lease_expires_at = ${long_ago} ${rowOf(id)}`],
  ],
  [
    'stopped_is_held',
    (id, subscription_id) => [
      sql`update webhook_open_deliveries set ${stale} ${rowOf(id)}`,
      sql`update webhook_subscriptions set status = 'disabled', ${stale} ${rowOf(subscription_id)}`,
    ],
  ],
  [
    'enabled_is_released',
    (id, subscription_id) => [
      sql`update webhook_open_deliveries set status = 'held', hold_reason = 'disabled', ${stale} ${rowOf(id)}`,
      sql`update webhook_subscriptions set ${stale} ${rowOf(subscription_id)}`,
    ],
  ],
  ['attempts_account', (id) => [ended(id, 'succeeded')]],
  ['attempts_account', (id) => [ended(id, 'failed')]],
  ['attempts_account', (id) => [sql`update webhook_open_deliveries set attempt_no = 1 ${rowOf(id)}`]],
]

for (const [invariant, change] of corruptions) {
  test(`a row that breaks ${invariant} is found and named`, async () => {
    const { id } = await bench.subscribe()
    // An event so close to the change of a subscription is not judged.
    await bench.service.clock.advance(61_000)
    await bench.cause()
    const [delivery] = await bench.deliveries(id)
    const undo = new Error('undo')
    await assert.rejects(
      bench.service.database.database.transaction({ role: 'engine' }, async (tx) => {
        for (const statement of change(delivery.id, id)) await tx.run(statement)
        const found = invariant === 'every_match_has_a_delivery' ? delivery.event_id : delivery.id
        const inside = { transaction: <Result>(_: unknown, work: (tx: Transaction) => Promise<Result>) => work(tx) }
        assert.deepEqual(await broken(inside), { [invariant]: [found] })
        await createInspector(inside, bench.service.runtime.log).run()
        const line = bench.service.logged.find((line) => line.includes('webhook_invariant_violated'))
        assert.ok(line?.includes(found))
        bench.service.logged.length = 0
        throw undo
      }),
      undo,
    )
    await bench.unsubscribeAll()
  })
}

test('a delivery that our own faults had stopped is sent again by the operator, with a line in the audit log', async () => {
  const { service, receiver } = bench
  const { database } = service.database
  const { id } = await bench.subscribe()
  await bench.cause()
  const [delivery] = await bench.deliveries(id)
  await engine(sql`
    update webhook_open_deliveries set status = 'held', hold_reason = 'internal', next_attempt_at = null, faults = 20
    ${rowOf(delivery.id)}`)
  const arrived = receiver.requests.length
  await service.dispatcher.runDue()
  assert.equal(receiver.requests.length, arrived)
  await releaseDelivery(database, delivery.id)
  await service.dispatcher.runDue()
  assert.equal(receiver.requests.length, arrived + 1)
  const [sent] = await bench.deliveries(id)
  assert.deepEqual([sent.status, sent.attempt_no, sent.series], ['succeeded', 0, 1])
  const lines = await database.transaction(
    { role: 'app', organization_id: service.organization.id, read_only: true },
    (tx) => tx.rows(sql`select from audit_entries where action = 'webhooks.release' and subject_id = ${id}`),
  )
  assert.equal(lines.length, 1)
  await assert.rejects(releaseDelivery(database, delivery.id), /no delivery .* is held/)
  await bench.cause()
  const other = (await bench.deliveries(id)).at(-1)
  await engine(sql`update webhook_open_deliveries set status = 'held', hold_reason = 'disabled' ${rowOf(other.id)}`)
  await assert.rejects(releaseDelivery(database, other.id), /enabling that releases it/)
})
