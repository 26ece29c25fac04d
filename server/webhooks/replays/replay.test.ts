import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { sql } from '#db/database.ts'
import { answer, answerAfter } from '#test/receiver.ts'
import { startWebhookBench, type WebhookBench } from '#test/webhook-bench.ts'

const day_ms = 86_400_000

let bench: WebhookBench
before(async () => {
  bench = await startWebhookBench({
    WEBHOOK_RELEASE_RATE: '3',
    WEBHOOK_RETRY_SCHEDULE: '100ms',
    WEBHOOK_DISABLE_AFTER: '100',
  })
})
after(() => bench.close())
afterEach(() => bench.unsubscribeAll())

const at = (offset_ms: number) => new Date(bench.service.clock.now() + offset_ms).toISOString()

/** A subscription with this many deliveries that failed for good, all recorded before now. */
async function failedDeliveries(count: number, fields: Record<string, unknown> = {}) {
  const { service, receiver } = bench
  const { id } = await bench.subscribe(fields)
  const started_at = at(0)
  for (let caused = 0; caused < count; caused += 1) {
    receiver.script(answer({ status: 500 }), answer({ status: 500 }))
    await bench.cause()
  }
  await service.dispatcher.runDue()
  await service.clock.advance(100)
  await service.dispatcher.runDue()
  const deliveries = await bench.deliveries(id)
  assert.deepEqual(new Set(deliveries.map(({ status }) => status)), new Set(['failed']))
  await service.clock.advance(1)
  return { id, since: started_at, deliveries }
}

const start = async (id: string, body: Record<string, unknown>) => {
  const answered = await bench.service.call('POST', `/webhooks/${id}/replay`, { body })
  assert.equal(answered.status, 201, JSON.stringify(answered.body))
  return answered.body
}
const read = async (id: string, replay: string) =>
  (await bench.service.call('GET', `/webhooks/${id}/replays/${replay}`)).body
const cancel = (id: string, replay: string) => bench.service.call('POST', `/webhooks/${id}/replays/${replay}/cancel`)
const replayed = (id: string) => bench.deliveries(id, { origins: ['replay'] })
const pass = async () => {
  const attempts = await bench.service.dispatcher.runDue()
  await bench.service.clock.advance(1_000)
  return attempts
}

test('a replay sends what failed once more, in order at the rate, with the stored bytes, and marks it recovered', async () => {
  const { service, receiver } = bench
  const { id, since, deliveries } = await failedDeliveries(5)
  const before_requests = receiver.requests.length
  const bodies = receiver.requests.slice(-10).map(({ body }) => body.toString())
  const job = await start(id, { since })
  assert.deepEqual(
    [job.state, job.matched, job.created, job.skipped, job.finished_at, job.webhook_id],
    ['queued', 0, 0, 0, null, id],
  )
  assert.deepEqual(job.statuses, ['failed', 'discarded', 'expired'])
  assert.deepEqual([await pass(), (await read(id, job.id)).state], [3, 'running'])
  assert.deepEqual([await pass(), await pass()], [2, 0])
  const done = await read(id, job.id)
  assert.deepEqual([done.state, done.matched, done.created, done.skipped], ['completed', 5, 5, 0])
  assert.ok(done.finished_at)
  const rows = await replayed(id)
  assert.deepEqual(
    rows.map(({ source_delivery_id, replay_id, status }) => [source_delivery_id, replay_id, status]),
    deliveries.map((source) => [source.id, job.id, 'succeeded']),
  )
  assert.deepEqual(
    receiver.requests.slice(before_requests).map(({ headers }) => headers['webhook-id']),
    deliveries.map(({ event_id }) => event_id),
  )
  assert.ok(receiver.requests.slice(before_requests).every(({ body }) => bodies.includes(body.toString())))
  const sources = await bench.deliveries(id, { origins: ['event'] })
  assert.ok(sources.every(({ status, recovered_at }) => status === 'failed' && recovered_at !== null))
  assert.equal((await service.call('GET', `/webhooks/${id}`)).body.consecutive_failures, 10)
})

test('what was recovered, or is of a type no longer listed, is skipped; other statuses and times do not match', async () => {
  const { service, receiver } = bench
  const events = ['api-token.created', 'api-token.revoked']
  const { id, since, deliveries } = await failedDeliveries(2, { events })
  const until = at(0)
  receiver.script(answer({ status: 500 }), answer({ status: 500 }))
  await service.call('DELETE', `/api-tokens/${await bench.cause()}`)
  for (let tries = 0; tries < 2; tries += 1) {
    await service.dispatcher.runDue()
    await service.clock.advance(100)
  }
  await service.call('POST', `/webhooks/${id}/deliveries/${deliveries[0].id}/redeliver`)
  await service.dispatcher.runDue()
  await service.call('PATCH', `/webhooks/${id}`, { body: { events: ['api-token.created'] } })

  const bounded = await start(id, { since, until })
  await pass()
  const first = await read(id, bounded.id)
  assert.deepEqual([first.state, first.matched, first.created, first.skipped], ['completed', 2, 1, 1])
  const whole = await start(id, { since, statuses: ['failed', 'succeeded'] })
  await pass()
  const second = await read(id, whole.id)
  const sources = await bench.deliveries(id, { origins: ['event'] })
  const skipped = sources.filter(({ recovered_at, event_type }) => recovered_at || event_type === 'api-token.revoked')
  assert.deepEqual(
    [second.state, second.matched, second.created, second.skipped],
    ['completed', 4, 4 - skipped.length, skipped.length],
  )
})

test('a batch that is killed in the middle leaves nothing; another worker goes on, each source once', async () => {
  const { service } = bench
  const { id, since, deliveries } = await failedDeliveries(5)
  const job = await start(id, { since })
  assert.equal(await pass(), 3)
  const { database } = service.database
  const owner = { role: 'owner' } as const
  const blocked = Promise.withResolvers<void>()
  // The batch reads, then waits for this lock before its bodies: there its connection is killed.
  await database.transaction(owner, async (tx) => {
    await tx.run(sql`lock table event_bodies in share row exclusive mode`)
    const running = service.dispatcher.runDue().then(
      () => blocked.reject(new Error('the batch was not killed')),
      () => blocked.resolve(),
    )
    for (let killed = 0; killed === 0; ) {
      killed = await database.transaction(owner, (other) =>
        other.run(sql`
          select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like '%event_bodies%'`),
      )
    }
    await running
  })
  await blocked.promise
  const halfway = await read(id, job.id)
  assert.deepEqual([halfway.state, halfway.matched, halfway.created], ['running', 3, 3])
  assert.equal((await replayed(id)).length, 3)
  await service.clock.advance(1_000)
  await bench.openWorkers().dispatcher.runDue()
  const done = await read(id, job.id)
  assert.deepEqual([done.state, done.matched, done.created], ['completed', 5, 5])
  assert.deepEqual(
    (await replayed(id)).map(({ source_delivery_id }) => source_delivery_id),
    deliveries.map((source) => source.id),
  )
})

test('a replay pauses while its subscription is disabled and goes on when it is enabled', async () => {
  const { service } = bench
  const { id, since } = await failedDeliveries(4)
  const job = await start(id, { since })
  assert.equal(await pass(), 3)
  await service.call('PATCH', `/webhooks/${id}`, { body: { status: 'disabled' } })
  assert.deepEqual([await pass(), await pass()], [0, 0])
  const paused = await read(id, job.id)
  assert.deepEqual([paused.state, paused.created, paused.finished_at], ['paused', 3, null])
  await service.call('POST', `/webhooks/${id}/enable`)
  assert.equal(await pass(), 1)
  assert.deepEqual([(await read(id, job.id)).state, (await replayed(id)).length], ['completed', 4])
})

test('cancelling ends the job and its unsent deliveries, also one that is under way and fails', async () => {
  const { service, receiver } = bench
  const { id, since } = await failedDeliveries(5)
  // Successes, so that the receiver is given three attempts at once.
  for (let successes = 0; successes < 3; successes += 1) await bench.cause()
  await service.dispatcher.runDue()
  const job = await start(id, { since })
  const cancelled = Promise.withResolvers<void>()
  const failing = answerAfter(cancelled.promise, answer({ status: 500 }))
  receiver.script(failing, failing, failing)
  const arrived = receiver.requests.length + 3
  const running = service.dispatcher.runDue()
  await receiver.waitFor(arrived)
  const { status, body } = await cancel(id, job.id)
  assert.deepEqual([status, body.state], [200, 'cancelled'])
  cancelled.resolve()
  await running
  assert.equal(await pass(), 0)
  assert.deepEqual(
    (await replayed(id)).map((delivery) => delivery.status),
    ['cancelled', 'cancelled', 'cancelled'],
  )
  const again = await cancel(id, job.id)
  assert.deepEqual([again.status, again.body.code], [409, 'replay_finished'])
  assert.equal((await start(id, { since })).state, 'queued')
})

test('deleting a subscription cancels its replay', async () => {
  const { service } = bench
  const { id, since } = await failedDeliveries(1)
  const job = await start(id, { since })
  await service.call('DELETE', `/webhooks/${id}`)
  assert.equal(await pass(), 0)
  const { database } = service.database
  const rows = await database.transaction({ role: 'engine' }, (tx) =>
    tx.rows<{ state: string; is_settled: boolean }>(
      sql`select state, is_settled from webhook_replays where id = ${job.id}`,
    ),
  )
  assert.deepEqual(rows, [{ state: 'cancelled', is_settled: true }])
  assert.equal((await service.call('GET', `/webhooks/${id}/replays`)).status, 404)
})

test('nothing is inserted while 200 deliveries of the job are unsent', async () => {
  const { service } = bench
  const { id, since } = await failedDeliveries(1)
  const job = await start(id, { since })
  const { organization, database } = service
  await database.database.transaction({ role: 'owner' }, (tx) =>
    tx.run(sql`
      insert into webhook_open_deliveries (organization_id, event_id, id, subscription_id, event_type, is_simulation,
        rendering, origin, replay_id, status, hold_reason, schedule_id, created_at, updated_at)
      select ${organization.id}, overlay(gen_random_uuid()::text placing left(first_id_at(app_now())::text, 13) from 1)::uuid,
        gen_random_uuid(), ${id}, 'api-token.created', false, 'v2', 'replay',
        ${job.id}, 'held', 'internal', 0, app_now(), app_now() from generate_series(1, 200)`),
  )
  assert.equal(await pass(), 0)
  assert.equal((await read(id, job.id)).created, 0)
  await database.database.transaction({ role: 'owner' }, (tx) =>
    tx.run(sql`
      delete from webhook_open_deliveries where id = (
        select id from webhook_open_deliveries where replay_id = ${job.id} limit 1)`),
  )
  assert.equal(await pass(), 1)
})

test('replays are listed newest first, and one that is open refuses another', async () => {
  const { service } = bench
  const { id, since } = await failedDeliveries(1)
  const first = await start(id, { since })
  const refused = await service.call('POST', `/webhooks/${id}/replay`, { body: { since } })
  assert.deepEqual([refused.status, refused.body.code], [409, 'replay_running'])
  await pass()
  const second = await start(id, { since })
  const { body } = await service.call('GET', `/webhooks/${id}/replays`)
  assert.deepEqual(
    body.data.map((replay: { id: string; state: string }) => [replay.id, replay.state]),
    [
      [second.id, 'queued'],
      [first.id, 'completed'],
    ],
  )
})

const refusals: [name: string, body: () => Record<string, unknown>, status: number, code: string][] = [
  ['a span that begins before what is kept', () => ({ since: at(-37 * day_ms - 1) }), 422, 'range_outside_retention'],
  ['an end in the future', () => ({ since: at(-1), until: at(1) }), 400, 'validation_failed'],
  ['a span that ends where it begins', () => ({ since: at(-1), until: at(-1) }), 400, 'validation_failed'],
  ['a status that is not final', () => ({ since: at(-1), statuses: ['pending'] }), 400, 'validation_failed'],
  ['no beginning', () => ({}), 400, 'validation_failed'],
]

for (const [name, body, status, code] of refusals) {
  test(`a replay is refused for ${name}`, async () => {
    const { id } = await bench.subscribe()
    const refused = await bench.service.call('POST', `/webhooks/${id}/replay`, { body: body() })
    assert.deepEqual([refused.status, refused.body.code], [status, code])
  })
}

test('a replay takes the whole span that is kept, and is refused for a disabled subscription', async () => {
  const { id } = await bench.subscribe()
  const job = await start(id, { since: at(-37 * day_ms), until: at(0) })
  await pass()
  assert.equal((await read(id, job.id)).state, 'completed')
  await bench.service.call('PATCH', `/webhooks/${id}`, { body: { status: 'disabled' } })
  const refused = await bench.service.call('POST', `/webhooks/${id}/replay`, { body: { since: at(-1) } })
  assert.deepEqual([refused.status, refused.body.code], [409, 'subscription_disabled'])
})
