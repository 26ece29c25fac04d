import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { sql } from '#db/database.ts'
import { answer, type Behaviour, hang, type Receiver, startReceiver } from '#test/receiver.ts'
import { startWebhookBench, type WebhookBench } from '#test/webhook-bench.ts'

const concurrency = 64
const cap = 8
/** An organization alone has half of a half. */
const share = concurrency / 4
const healthy = 50

let bench: WebhookBench
let hanging: Receiver
before(async () => {
  bench = await startWebhookBench({ WEBHOOK_CONCURRENCY: String(concurrency), STINT_SHUTDOWN_MS: '1000' })
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
    insert into webhook_open_deliveries (organization_id, event_id, id, subscription_id, event_type, is_simulation,
      rendering, origin, status, schedule_id, next_attempt_at, created_at, updated_at)
    select d.organization_id, d.event_id, ('f' || substr(gen_random_uuid()::text, 2))::uuid, d.subscription_id, d.event_type, false, d.rendering,
      'redelivery', 'pending', d.schedule_id, app_now(), app_now(), app_now()
    from webhook_open_deliveries d cross join generate_series(1, ${deliveries})
    where d.subscription_id = any (${ids}::uuid[]) and d.origin = 'event' and d.status = 'pending'`)
}

/** As if their last attempts had succeeded at once. */
const makeQuick = (ids: readonly string[]) =>
  inEngine(sql`
    update webhook_lanes set window_size = ${cap}, is_quick = true where subscription_id = any (${ids}::uuid[])`)

const sendingBy = () =>
  inEngine<{ id: string; sending: number }>(sql`
    select subscription_id as id, count(*)::int as sending from webhook_open_deliveries where status = 'sending' group by 1`)

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

test('fifty receivers have all that is theirs while one that was quick hangs and one is dead, each with a backlog', async () => {
  const gone = await startReceiver()
  await gone.close()
  const dead = await bench.subscribe({ url: gone.url })
  const stuck = await bench.subscribe({ url: hanging.url })
  const before_hanging = hanging.requests.length
  const sending_max = await deliverBeside(
    [stuck, dead],
    6,
    async () => {
      await makeQuick([stuck.id])
      await pileUp([stuck.id, dead.id], 200)
    },
    () => hanging.waitFor(before_hanging + cap, 30_000),
  )
  assert.equal(sending_max.get(stuck.id), cap)
  assert.ok((sending_max.get(dead.id) ?? 0) <= 1)
  // None of them was answered, so not one slot of theirs became free meanwhile.
  assert.equal(hanging.requests.length - before_hanging, cap)
  const [queue] = await inEngine<{ consecutive_failures: number; waiting: number }>(sql`
    select l.consecutive_failures, (select count(*)::int from webhook_open_deliveries d
      where d.subscription_id = l.subscription_id and d.status = 'pending' and d.attempt_no = 0) as waiting
    from webhook_lanes l where l.subscription_id = ${dead.id}`)
  assert.ok(queue && queue.consecutive_failures >= 5, JSON.stringify(queue))
})

test('receivers not known to be quick share one half of the slots, and leave the other one to the quick', async () => {
  const stuck = await Promise.all(Array.from({ length: 6 }, () => bench.subscribe({ url: hanging.url })))
  const before_hanging = hanging.requests.length
  const ids = stuck.map(({ id }) => id)
  const prepare = async () => {
    await pileUp(ids, 100)
    await inEngine(sql`update webhook_lanes set window_size = ${cap} where subscription_id = any (${ids}::uuid[])`)
    await inEngine(sql`update webhook_lanes set is_quick = true where subscription_id <> all (${ids}::uuid[])`)
  }
  await deliverBeside(stuck, 2, prepare, () => hanging.waitFor(before_hanging + share, 30_000))
  assert.equal(hanging.requests.length - before_hanging, share)
})

test('a new receiver has one attempt at once, more with each quick success, and half as many after an answer 429', async () => {
  const { service, receiver } = bench
  const { id } = await bench.subscribe()
  const windowOf = async () => {
    const [queue] = await inEngine<{ size: number }>(
      sql`select window_size as size from webhook_lanes where subscription_id = ${id}`,
    )
    return queue?.size
  }
  const running: number[] = []
  const observed: Behaviour = async (socket, request) => {
    running.push((await sendingBy()).find((queue) => queue.id === id)?.sending ?? 0)
    await answer()(socket, request)
  }
  await bench.cause()
  await pileUp([id], 29)
  receiver.script(...Array.from({ length: 30 }, () => observed))
  const workers = [service.dispatcher, bench.openWorkers().dispatcher]
  await Promise.all(workers.map((dispatcher) => dispatcher.runDue()))
  assert.equal(running[0], 1)
  assert.ok(Math.max(...running) <= cap, `${running}`)
  assert.equal(await windowOf(), cap)
  receiver.script(answer({ status: 429 }))
  await bench.cause()
  await service.dispatcher.runDue()
  assert.equal(await windowOf(), cap / 2)
})

test('whatever the receivers of three other organizations do, due deliveries of a healthy one start at once', async () => {
  const { service, receiver } = bench
  const others = await Promise.all([1, 2, 3].map(() => service.createOrganization()))
  const hangAll = async (name: string, was_quick: boolean) => {
    for (const { token } of others) {
      const subscribed = await Promise.all(
        Array.from({ length: 40 }, async (_, place) => {
          const body = { url: `${hanging.url}/${name}/${place}`, events: ['api-token.created'] }
          const created = await service.call('POST', '/webhooks', { token, body })
          assert.equal(created.status, 201)
          return created.body.id as string
        }),
      )
      if (was_quick) await makeQuick(subscribed)
      const body = { name, scopes: ['contracts:read'] }
      assert.equal((await service.call('POST', '/api-tokens', { token, body })).status, 201)
    }
  }
  const { dispatcher } = bench.openWorkers({ concurrency: 256 })
  const healthy = [await bench.subscribe(), await bench.subscribe()]
  await makeQuick(healthy.map(({ id }) => id))
  dispatcher.start()
  for (const [wave, was_quick] of [true, false].entries()) {
    const hanging_before = hanging.requests.length
    await hangAll(`wave-${wave}`, was_quick)
    dispatcher.changed()
    // They have begun to take what they may have.
    await hanging.waitFor(hanging_before + 30, 30_000)
    const arrived = receiver.requests.length
    for (let caused = 0; caused < 10; caused += 1) {
      await bench.cause()
      dispatcher.due(healthy.map(({ id }) => id))
    }
    // Waiting for a slot of the others would take 30 s; `npm run bench fairness` measures how soon they start.
    await receiver.waitFor(arrived + 20, 5_000)
  }
  hanging.dropConnections()
  await dispatcher.stop()
  // The rest of the others is not waited for.
  await inEngine(sql`
    delete from webhook_open_deliveries where status = 'pending'`)
})
