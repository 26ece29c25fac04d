import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { raw, sql } from '#db/database.ts'
import { startWebhookBench, type WebhookBench } from '#test/webhook-bench.ts'
import { partitionedTables, weeksOlderThan } from './partitions.store.ts'
import { dropWeeks, makePartitions } from './partitions.ts'

const day_ms = 86_400_000
const retention_days = 30

let bench: WebhookBench
before(async () => {
  bench = await startWebhookBench({ WEBHOOK_RELEASE_RATE: '50' })
  // A Monday, so that a week of partitions begins here.
  await bench.service.clock.set('2031-01-06T12:00:00Z')
  await makePartitions(bench.service.database.database, bench.service.runtime.log)
})
after(() => bench.close())
afterEach(() => bench.unsubscribeAll())

const owner = { role: 'owner' } as const
const drop = () => {
  const { database, runtime } = bench.service
  return dropWeeks({ database: database.database, log: runtime.log, retention_days })
}
/** The tables that still have a partition of this week. */
const partitionsOf = (week: string) =>
  bench.service.database.database.transaction(owner, async (tx) => {
    const rows = await tx.rows<{ name: string }>(sql`
      select name from unnest(${[...partitionedTables]}::text[]) name where to_regclass(name || '_' || ${week}) is not null`)
    return rows.map(({ name }) => name)
  })
const rowsOf = (table: string) =>
  bench.service.database.database.transaction(owner, async (tx) => {
    const row = await tx.row<{ rows: number }>(sql`select count(*)::int as rows from ${raw(table)}`)
    return row?.rows ?? 0
  })
const messages = (from: number) => bench.service.logged.slice(from).map((line) => JSON.parse(line).msg)

test('a held delivery expires when its event is as old as the retention, as it was shown, and stays replayable', async () => {
  const { service } = bench
  const { id } = await bench.subscribe({ status: 'disabled' })
  await bench.cause()
  const [held] = await bench.deliveries(id)
  assert.equal(held.status, 'held')
  assert.equal(Date.parse(held.expires_at), Date.parse(held.created_at) + retention_days * day_ms)
  await service.clock.advance(retention_days * day_ms)
  await service.dispatcher.runDue()
  assert.equal((await bench.deliveries(id))[0].status, 'held')
  await service.clock.advance(1_000)
  await service.dispatcher.runDue()
  const [expired] = await bench.deliveries(id)
  assert.deepEqual([expired.status, expired.hold_reason, expired.expires_at], ['expired', null, null])
  assert.ok(expired.completed_at)

  await service.call('POST', `/webhooks/${id}/enable`)
  await service.call('POST', `/webhooks/${id}/replay`, { body: { since: held.created_at } })
  await service.dispatcher.runDue()
  const [source, replay] = await bench.deliveries(id)
  assert.deepEqual([source.status, source.recovered_at !== null], ['expired', true])
  assert.deepEqual([replay.status, replay.origin], ['succeeded', 'replay'])
})

test('a week is dropped whole when it is past the retention and a week, and not a day sooner; nothing else is', async () => {
  const { service } = bench
  const organizations = await rowsOf('organizations')
  const subscriptions = await rowsOf('webhook_subscriptions')
  const replays = await rowsOf('webhook_replays')
  // The week ends on 2031-01-13.
  await service.clock.set('2031-02-18T23:59:59Z')
  assert.equal(await drop(), true)
  assert.equal((await partitionsOf('20310106')).length, 5)
  assert.ok((await rowsOf('webhook_attempts_20310106')) > 0)
  await service.clock.set('2031-02-19T00:00:00Z')
  assert.equal(await drop(), true)
  assert.deepEqual(await partitionsOf('20310106'), [])
  assert.equal((await partitionsOf('20310113')).length, 5)
  assert.deepEqual(
    [await rowsOf('organizations'), await rowsOf('webhook_subscriptions'), await rowsOf('webhook_replays')],
    [organizations, subscriptions, replays],
  )
})

for (const status of ['pending', 'sending', 'held']) {
  test(`a week with a ${status} delivery stays whole and raises an alarm until that has ended`, async () => {
    const { service } = bench
    await makePartitions(service.database.database, service.runtime.log)
    const week = new Date(service.clock.now() - ((new Date(service.clock.now()).getUTCDay() + 6) % 7) * day_ms)
      .toISOString()
      .slice(0, 10)
      .replaceAll('-', '')
    const { id } = await bench.subscribe()
    await bench.cause()
    const set = (to: string) =>
      service.database.database.transaction(owner, (tx) =>
        tx.run(sql`update webhook_open_deliveries set status = ${to} where subscription_id = ${id}`),
      )
    await set(status)
    await service.clock.advance((retention_days + 14) * day_ms)
    const from = service.logged.length
    assert.equal(await drop(), true)
    assert.equal((await partitionsOf(week)).length, 5)
    assert.ok(messages(from).includes('webhook_partitions_kept_unsent'))
    await service.call('DELETE', `/webhooks/${id}`)
    await set('pending')
    await service.dispatcher.runDue()
    assert.equal(await drop(), true)
    assert.deepEqual(await partitionsOf(week), [])
  })
}

test('a week that somebody holds is left as it is and tried again, and others are dropped', async () => {
  const { service } = bench
  const { database } = service.database
  await makePartitions(database, service.runtime.log)
  await service.clock.advance((retention_days + 21) * day_ms)
  const weeks = await database.transaction(owner, (tx) =>
    tx.rows<{ week: string }>(sql`
      select right(relname, 8) as week from pg_class
      where relname ~ '^webhook_attempts_[0-9]{8}$'
        and (right(relname, 8)::date + 7)::timestamp at time zone 'UTC' <= app_now() - interval '37 days'
      order by relname`),
  )
  const [held, ...others] = weeks.map(({ week }) => week)
  assert.ok(held && others.length > 0)
  const from = service.logged.length
  await database.transaction(owner, async (tx) => {
    await tx.run(sql`lock table ${raw(`event_bodies_${held}`)} in access share mode`)
    assert.equal(await drop(), false)
  })
  assert.ok(messages(from).includes('webhook_partitions_not_dropped'))
  assert.equal((await partitionsOf(held)).length, 5)
  for (const week of others) assert.deepEqual(await partitionsOf(week), [])
  assert.equal(await drop(), true)
  assert.deepEqual(await partitionsOf(held), [])
})

test('a query that is under way gets at every week while a drop waits for it', async () => {
  const { service } = bench
  const { database } = service.database
  await makePartitions(database, service.runtime.log)
  await service.clock.advance((retention_days + 14) * day_ms)
  const weeks = await database.transaction(owner, (tx) => weeksOlderThan(tx, retention_days + 7))
  assert.ok(weeks.length > 0)
  const from = service.logged.length
  const dropping = await database.transaction(owner, async (tx) => {
    // As every query begins: the table, then its partitions.
    await tx.run(sql`lock table only webhook_deliveries in access share mode`)
    const running = drop()
    await untilWaitedFor('webhook_deliveries')
    await tx.run(sql`set local lock_timeout = '10ms'`)
    for (const week of weeks) await tx.run(sql`lock table ${raw(`webhook_deliveries_${week}`)} in access share mode`)
    return { running }
  })
  assert.equal(await dropping.running, true)
  assert.ok(messages(from).includes('webhook_partitions_dropped'))
  for (const week of weeks) assert.deepEqual(await partitionsOf(week), [])
})

async function untilWaitedFor(table: string): Promise<void> {
  for (;;) {
    const row = await bench.service.database.database.row(sql`
      select pid from pg_locks where not granted and relation = ${table}::regclass`)
    if (row) return
    await sleep(5)
  }
}

test('rows outside the weekly partitions raise an alarm', async () => {
  const { service } = bench
  const quiet = service.logged.length
  await drop()
  assert.ok(!messages(quiet).includes('webhook_default_partition_not_empty'))
  await service.clock.advance(365 * day_ms)
  await bench.cause()
  const from = service.logged.length
  await drop()
  assert.ok(messages(from).includes('webhook_default_partition_not_empty'))
})
