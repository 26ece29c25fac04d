import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { sql } from '#db/database.ts'
import { answer, type Behaviour, hang, type Receiver, startReceiver } from '#test/receiver.ts'
import { startWebhookBench, type WebhookBench } from '#test/webhook-bench.ts'

const concurrency = 32
const cap = 8
const slow_max = concurrency / 4
const healthy = 50

let bench: WebhookBench
let hanging: Receiver
before(async () => {
  bench = await startWebhookBench({ WEBHOOK_CONCURRENCY: String(concurrency), STINT_SHUTDOWN_MS: '4000' })
  hanging = await startReceiver({ behaviour: hang })
})
after(async () => {
  await bench.close()
  await hanging.close()
})
afterEach(async () => {
  await bench.unsubscribeAll()
})

const inEngine = <Row extends object>(statement: ReturnType<typeof sql>) =>
  bench.service.database.database.transaction({ role: 'engine' }, (tx) => tx.rows<Row>(statement))

/** Makes a backlog of due deliveries for these subscriptions out of those that they have, behind them in order. */
async function pileUp(ids: readonly string[], deliveries: number): Promise<void> {
  await inEngine(sql`
    insert into webhook_deliveries (organization_id, event_id, id, subscription_id, event_type, is_simulation, rendering,
      origin, status, schedule_id, next_attempt_at, created_at, updated_at)
    select d.organization_id, d.event_id, ('f' || substr(gen_random_uuid()::text, 2))::uuid, d.subscription_id, d.event_type, false, d.rendering,
      'redelivery', 'pending', d.schedule_id, app_now(), app_now(), app_now()
    from webhook_deliveries d cross join generate_series(1, ${deliveries})
    where d.subscription_id = any (${ids}::uuid[]) and d.origin = 'event' and d.status = 'pending'`)
}

const sendingBy = () =>
  inEngine<{ id: string; sending: number }>(sql`
    select subscription_id as id, count(*)::int as sending from webhook_deliveries where status = 'sending' group by 1`)

/** Subscribes, causes events, and answers when the receivers of the healthy ones and of the others have what is theirs. */
async function deliverBeside(
  others: readonly { id: string }[],
  events: number,
  prepare: () => Promise<void>,
  othersHaveTheirs: () => Promise<unknown>,
) {
  const { service, receiver } = bench
  for (let place = 0; place < healthy; place += 1) await bench.subscribe({ url: `${receiver.url}/${place}` })
  const arrived = receiver.requests.length
  for (let caused = 0; caused < events; caused += 1) await bench.cause()
  await prepare()
  const sending_max = new Map(others.map(({ id }) => [id, 0]))
  const dispatcher = bench.openWorkers().dispatcher
  dispatcher.start()
  for (let part = 1; part <= 10; part += 1) {
    await receiver.waitFor(arrived + (healthy * events * part) / 10, 30_000)
    if (part === 10) await othersHaveTheirs()
    for (const { id, sending } of await sendingBy())
      if (sending_max.has(id)) sending_max.set(id, Math.max(sending_max.get(id) ?? 0, sending))
  }
  await dispatcher.stop()
  assert.equal(receiver.requests.length - arrived, healthy * events)
  assert.deepEqual(
    service.logged.filter((line) => line.includes('webhook_turn_failed')),
    [],
  )
  return sending_max
}

test('fifty receivers have all that is theirs while one hangs and one is dead, each with a backlog', async () => {
  const gone = await startReceiver()
  await gone.close()
  const dead = await bench.subscribe({ url: gone.url })
  const stuck = await bench.subscribe({ url: hanging.url })
  const before_hanging = hanging.requests.length
  const sending_max = await deliverBeside(
    [stuck, dead],
    6,
    () => pileUp([stuck.id, dead.id], 200),
    () => hanging.waitFor(before_hanging + cap, 30_000),
  )
  assert.equal(sending_max.get(stuck.id), cap)
  assert.ok((sending_max.get(dead.id) ?? 0) <= cap)
  // None of them was answered, so not one slot of theirs became free meanwhile.
  assert.equal(hanging.requests.length - before_hanging, cap)
  const [queue] = await inEngine<{ consecutive_failures: number; waiting: number }>(sql`
    select l.consecutive_failures, (select count(*)::int from webhook_deliveries d
      where d.subscription_id = l.subscription_id and d.status = 'pending' and d.attempt_no = 0) as waiting
    from webhook_lanes l where l.subscription_id = ${dead.id}`)
  assert.ok(queue && queue.consecutive_failures >= 5, JSON.stringify(queue))
})

test('receivers known to be slow have a quarter of the slots together, and at least something', async () => {
  const stuck = await Promise.all(Array.from({ length: 6 }, () => bench.subscribe({ url: hanging.url })))
  const before_hanging = hanging.requests.length
  const ids = stuck.map(({ id }) => id)
  const prepare = async () => {
    await pileUp(ids, 100)
    await inEngine(sql`update webhook_lanes set mean_ms = 29000 where subscription_id = any (${ids}::uuid[])`)
  }
  await deliverBeside(stuck, 2, prepare, () => hanging.waitFor(before_hanging + slow_max, 30_000))
  assert.equal(hanging.requests.length - before_hanging, slow_max)
})

test('a receiver that answers 429 gets half as many first attempts at once, and more again when it can', async () => {
  const { service, receiver } = bench
  const { id } = await bench.subscribe()
  const limitOf = async () => {
    const [queue] = await inEngine<{ limit_now: number | null }>(
      sql`select limit_now from webhook_lanes where subscription_id = ${id}`,
    )
    return queue?.limit_now
  }
  receiver.script(answer({ status: 429 }))
  await bench.cause()
  await service.dispatcher.runDue()
  assert.equal(await limitOf(), cap / 2)
  let sending_max = 0
  const observed: Behaviour = async (socket, request) => {
    for (const queue of await sendingBy()) if (queue.id === id) sending_max = Math.max(sending_max, queue.sending)
    await answer()(socket, request)
  }
  await bench.cause()
  await pileUp([id], 19)
  receiver.script(...Array.from({ length: 20 }, () => observed))
  const workers = [service.dispatcher, bench.openWorkers().dispatcher]
  await Promise.all(workers.map((dispatcher) => dispatcher.runDue()))
  assert.ok(sending_max > 0 && sending_max <= cap / 2, `${sending_max} at once`)
  assert.equal(await limitOf(), cap / 2 + 1)
})
