import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { sql } from '#db/database.ts'
import { egressPolicy } from '#outbound/address-rules.ts'
import { createSender } from '#outbound/sender.ts'
import { answer, answerAfter } from '#test/receiver.ts'
import { startWebhookBench, type WebhookBench } from '#test/webhook-bench.ts'
import { lease_ms } from './deliver.store.ts'

let bench: WebhookBench
before(async () => {
  bench = await startWebhookBench()
})
after(() => bench.close())
afterEach(() => bench.unsubscribeAll())

const attemptsOf = async (id: string) => {
  const [delivery] = await bench.deliveries(id)
  const { body } = await bench.service.call('GET', `/webhooks/${id}/deliveries/${delivery.id}`)
  return { delivery, attempts: body.attempts }
}

test('started workers send right after the commit and record before they stop', async (t) => {
  const { service, receiver } = bench
  const { id } = await bench.subscribe()
  await service.startWorkers()
  t.after(() => service.dispatcher.stop())
  const arrived = receiver.requests.length + 1
  await bench.cause()
  await receiver.waitFor(arrived)
  await service.dispatcher.stop()
  const [delivery] = await bench.deliveries(id)
  assert.equal(delivery.status, 'succeeded')
})

test('what is due while no worker runs is found when one starts', async () => {
  const { receiver } = bench
  await bench.subscribe()
  await bench.cause()
  const arrived = receiver.requests.length + 1
  const { dispatcher } = bench.openWorkers()
  dispatcher.start()
  await receiver.waitFor(arrived)
  await dispatcher.stop()
})

test('stopping lets a running attempt end and records it', async () => {
  const { receiver } = bench
  const { id } = await bench.subscribe()
  const stopping = Promise.withResolvers<void>()
  receiver.script(answerAfter(stopping.promise))
  const arrived = receiver.requests.length + 1
  await bench.cause()
  const { dispatcher } = bench.openWorkers()
  dispatcher.start()
  await receiver.waitFor(arrived)
  const stopped = dispatcher.stop()
  stopping.resolve()
  await stopped
  assert.equal((await attemptsOf(id)).delivery.status, 'succeeded')
})

test('stopping aborts an attempt that takes too long; it is due again, uncounted and without a fault', async () => {
  const { service, receiver } = bench
  const { id } = await bench.subscribe()
  receiver.script(answerAfter(new Promise(() => undefined)))
  const arrived = receiver.requests.length + 1
  await bench.cause()
  // A tenth of it is for recording; a busy machine has needed more than 50 ms for that.
  const { dispatcher } = bench.openWorkers({ shutdown_ms: 4_000 })
  dispatcher.start()
  await receiver.waitFor(arrived)
  await dispatcher.stop()
  const { delivery, attempts } = await attemptsOf(id)
  assert.deepEqual([delivery.status, delivery.attempt_no], ['pending', 0])
  assert.deepEqual(
    attempts.map(({ outcome, error_class, decision }: Record<string, unknown>) => [outcome, error_class, decision]),
    [['unknown', 'shutdown', 'repeat']],
  )
  assert.equal(await service.dispatcher.runDue(), 1)
  assert.equal((await attemptsOf(id)).delivery.status, 'succeeded')
})

test('a lost worker is replaced after its lease, and its late result changes nothing', async () => {
  const { service, receiver } = bench
  const { id } = await bench.subscribe()
  const late = Promise.withResolvers<void>()
  receiver.script(answerAfter(late.promise, answer({ status: 500 })))
  const arrived = receiver.requests.length + 1
  await bench.cause()
  const slow = bench.openWorkers().dispatcher.runDue()
  await receiver.waitFor(arrived)
  await service.clock.advance(lease_ms)
  assert.equal(await service.dispatcher.runDue(), 1)
  late.resolve()
  await slow
  const { delivery, attempts } = await attemptsOf(id)
  assert.equal(delivery.status, 'succeeded')
  assert.deepEqual(
    attempts
      .map(({ outcome, error_class, decision, applied, attempt_no }: Record<string, unknown>) =>
        [outcome, error_class, decision, applied, attempt_no].join(' '),
      )
      .sort(),
    ['failed http_5xx none false 0', 'succeeded  done true 0', 'unknown worker_lost repeat true 0'],
  )
  const { body } = await service.call('GET', `/webhooks/${id}`)
  assert.deepEqual([body.consecutive_failures, body.last_error], [0, null])
})

test('a lost database connection loses no result', async () => {
  const { service, receiver } = bench
  const { id } = await bench.subscribe()
  const cut = Promise.withResolvers<void>()
  receiver.script(answerAfter(cut.promise))
  const arrived = receiver.requests.length + 1
  await bench.cause()
  const { dispatcher } = bench.openWorkers()
  dispatcher.start()
  await receiver.waitFor(arrived)
  await service.database.database.transaction({ role: 'owner' }, (tx) =>
    tx.run(sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`),
  )
  cut.resolve()
  await dispatcher.stop()
  assert.equal((await attemptsOf(id)).delivery.status, 'succeeded')
  assert.equal(receiver.requests.length, arrived)
})

test('a fault of our own is repeated later and later, and other subscriptions go on', async () => {
  const { service } = bench
  const broken = await bench.subscribe()
  const healthy = await bench.subscribe()
  // A sealed key that cannot be opened, as if its sealing key were lost.
  await service.database.database.transaction({ role: 'engine' }, (tx) =>
    tx.run(sql`update webhook_signing_keys set sealed = '\\x00' where subscription_id = ${broken.id}`),
  )
  await bench.cause()
  assert.equal(await service.dispatcher.runDue(), 4)
  const { delivery, attempts } = await attemptsOf(broken.id)
  assert.equal(delivery.status, 'pending')
  assert.equal(Date.parse(delivery.next_attempt_at) - service.clock.now(), 2_000)
  assert.ok(attempts.every(({ error_class }: { error_class: string }) => error_class === 'internal'))
  assert.equal((await attemptsOf(healthy.id)).delivery.status, 'succeeded')
  for (let faults = 3; faults < 20; faults += 1) {
    await service.clock.advance(300_000)
    await service.dispatcher.runDue()
  }
  const held = (await attemptsOf(broken.id)).delivery
  assert.deepEqual([held.status, held.hold_reason], ['held', 'internal'])
  await service.call('POST', `/webhooks/${broken.id}/enable`)
  await service.dispatcher.runDue()
  assert.equal((await attemptsOf(broken.id)).delivery.status, 'held')
})

/** A worker whose sender adds something to what it saw. */
function workerWith(changed: (url: string) => object) {
  const { receiver } = bench
  const sender = createSender(egressPolicy({ allowed_networks: ['127.0.0.0/8'], extra_ca: receiver.ca }))
  const send: typeof sender.send = async (request) => ({ ...(await sender.send(request)), ...changed(request.url) })
  return bench.openWorkers({}, {}, { sender: { ...sender, send } }).dispatcher
}

test('a result that cannot be stored is recorded without its evidence, and those beside it whole', async () => {
  const { receiver } = bench
  const poison = await bench.subscribe({ url: `${receiver.url}/poison` })
  const healthy = await bench.subscribe()
  await bench.cause()
  const headers = { 'x-poison': '\0' }
  await workerWith((url) => (url.endsWith('/poison') ? { response_headers: headers } : {})).runDue()
  const { delivery, attempts } = await attemptsOf(poison.id)
  assert.equal(delivery.status, 'pending')
  assert.equal(attempts[0].error_class, 'internal')
  assert.match(attempts[0].error_detail, /unsupported Unicode/)
  assert.deepEqual(attempts[0].request_headers, {})
  assert.equal((await attemptsOf(healthy.id)).delivery.status, 'succeeded')
})

test('a result that can in no way be stored is given up, so that its lease expires, and those beside it are not', async () => {
  const { service } = bench
  const asOwner = (statement: ReturnType<typeof sql>) =>
    service.database.database.transaction({ role: 'owner' }, (tx) => tx.run(statement))
  const stuck = await bench.subscribe({ description: 'stuck' })
  const healthy = await bench.subscribe()
  await asOwner(sql`
    create function refuse_attempt() returns trigger language plpgsql as $$ begin
      if exists (select from webhook_subscriptions where id = new.subscription_id and description = 'stuck') then
        raise exception 'refused';
      end if;
      return new;
    end $$`)
  await asOwner(sql`
    create trigger refuse before insert on webhook_attempts for each row execute function refuse_attempt()`)
  await bench.cause()
  await service.dispatcher.runDue()
  assert.equal((await attemptsOf(stuck.id)).delivery.status, 'sending')
  assert.equal((await attemptsOf(healthy.id)).delivery.status, 'succeeded')
  assert.ok(service.logged.some((line) => line.includes('webhook_result_lost')))
  await asOwner(sql`drop trigger refuse on webhook_attempts`)
  await service.clock.advance(lease_ms)
  await service.dispatcher.runDue()
  assert.equal((await attemptsOf(stuck.id)).delivery.status, 'succeeded')
})

test('results of a subscription on which somebody else works are recorded later, and the others meanwhile', async () => {
  const { service, receiver } = bench
  const locked = await bench.subscribe()
  const healthy = await bench.subscribe()
  const answered = Promise.withResolvers<void>()
  receiver.script(answerAfter(answered.promise), answerAfter(answered.promise))
  const arrived = receiver.requests.length + 2
  await bench.cause()
  const { dispatcher } = bench.openWorkers()
  dispatcher.start()
  await receiver.waitFor(arrived)
  await service.database.database.transaction({ role: 'engine' }, async (tx) => {
    await tx.run(sql`select from webhook_lanes where subscription_id = ${locked.id} for update`)
    answered.resolve()
    while ((await bench.deliveries(healthy.id))[0].status !== 'succeeded');
    assert.equal((await bench.deliveries(locked.id))[0].status, 'sending')
  })
  await dispatcher.stop()
  assert.equal((await bench.deliveries(locked.id))[0].status, 'succeeded')
})
