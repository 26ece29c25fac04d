import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DatabaseError } from 'pg'
import { type Database, sql } from '#db/database.ts'
import { startWebhookBench } from '#test/webhook-bench.ts'
import { partitionsAhead } from '../metrics.ts'
import { makePartitions } from './partitions.ts'

const tables = ['events', 'event_resources', 'event_bodies', 'webhook_deliveries', 'webhook_attempts']

test('five weeks of partitions stand ready, the same for all tables, and rows of one event share a set', async (t) => {
  const bench = await startWebhookBench()
  t.after(() => bench.close())
  const { service } = bench
  const { database } = service.database
  const weeksOf = async (table: string) => {
    const rows = await database.transaction({ role: 'owner' }, (tx) =>
      tx.rows<{ week: string }>(sql`
        select right(inhrelid::regclass::text, 8) as week from pg_inherits
        where inhparent = ${table}::regclass and inhrelid::regclass::text ~ '_2031' order by week`),
    )
    return rows.map(({ week }) => week)
  }
  // A Wednesday.
  await service.clock.set('2031-01-08T12:00:00Z')
  await makePartitions(database, service.runtime.log)
  await makePartitions(database, service.runtime.log)
  const weeks = ['20310106', '20310113', '20310120', '20310127', '20310203']
  for (const table of tables) assert.deepEqual(await weeksOf(table), weeks)
  assert.equal((await partitionsAhead.get()).values[0]?.value, 4)

  await service.clock.set('2031-01-27T00:00:00Z')
  const { id } = await bench.subscribe()
  await bench.cause()
  await service.dispatcher.runDue()
  const [delivery] = await bench.deliveries(id)
  for (const table of tables) {
    const [row] = await database.transaction({ role: 'engine' }, (tx) =>
      tx.rows<{ partition: string }>({
        strings: [`select tableoid::regclass::text as partition from ${table} where event_id = `, ''],
        values: [delivery.event_id],
      }),
    )
    assert.equal(row?.partition, `${table}_20310127`)
  }
})

test('rows of a week without partitions are kept, the alarm is raised, and later weeks are made', async (t) => {
  const bench = await startWebhookBench()
  t.after(() => bench.close())
  const { service } = bench
  await service.clock.set('2031-01-08T12:00:00Z')
  const { id } = await bench.subscribe()
  await bench.cause()
  const logged = service.logged.length
  await makePartitions(service.database.database, service.runtime.log)
  const lines = service.logged.slice(logged).map((line) => JSON.parse(line))
  const weeksIn = (message: string) => lines.filter(({ msg }) => msg === message).map(({ weeks_ahead }) => weeks_ahead)
  assert.deepEqual(weeksIn('webhook_partitions_missing'), [0])
  assert.deepEqual(weeksIn('webhook_partitions_made'), [1, 2, 3, 4])
  assert.equal(await service.dispatcher.runDue(), 1)
  assert.equal((await bench.deliveries(id))[0].status, 'succeeded')
})

test('partitions are made beside traffic in another order: the change steps back, not the traffic, and comes again', {
  timeout: 60_000,
}, async (t) => {
  const bench = await startWebhookBench()
  t.after(() => bench.close())
  const { service } = bench
  const { database } = service.database
  await service.clock.set('2031-01-08T12:00:00Z')
  const faults: (string | undefined)[] = []
  const watched: Database = {
    ...database,
    transaction: (options, work) =>
      database.transaction(options, (tx) =>
        work(tx).catch((fault: DatabaseError) => {
          faults.push(fault.code)
          throw fault
        }),
      ),
  }
  const isWaiting = () =>
    database.transaction({ role: 'owner' }, async (tx) => {
      const row = await tx.row<{ found: boolean }>(sql`
        select exists (select from pg_locks where not granted and relation = 'webhook_deliveries'::regclass) as found`)
      return row?.found ?? false
    })
  const logged = service.logged.length
  let keeping: Promise<void> | undefined
  // Not the order of the change: without stepping back each waits for the other.
  await database.transaction({ role: 'engine' }, async (tx) => {
    await tx.rows(sql`select id from webhook_deliveries limit 1`)
    keeping ??= makePartitions(watched, service.runtime.log)
    while (!(await isWaiting())) t.signal.throwIfAborted()
    await tx.rows(sql`select event_id from event_bodies limit 1`)
  })
  await keeping
  const lock_not_available = '55P03'
  assert.ok(faults.length > 0)
  assert.deepEqual(new Set(faults), new Set([lock_not_available]))
  const messages = service.logged.slice(logged).map((line) => JSON.parse(line).msg)
  assert.equal(messages.filter((message) => message === 'webhook_partitions_made').length, 5)
  assert.equal(messages.includes('webhook_partitions_missing'), false)
})
