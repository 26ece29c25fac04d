import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type Database, sql } from '#db/database.ts'
import { answer, type Behaviour, drip, hang, type Receiver, startReceiver } from '#test/receiver.ts'
import { type FaultBench, startFaultBench } from './support/fault-bench.ts'
import { type Client, contract } from './support/load.ts'

const isWanted = Number(process.env.KILLS ?? 0) > 0
const late_max_ms = 1_000
const events_per_s = 20
const attacked_ms = 30_000
const subscriptions_per_wave = 40
/** So many quick answers give a subscription its whole window. */
const quick_answers = 8
const wave_ms = 2_000
/** A wave does not wait longer for what its receivers are to answer first. */
const quick_max_ms = 5_000

/** Requests by path. */
const counted = new Map<string, number>()
/** The receivers of these paths hang from now on. */
const turned = new Set<string>()
const kinds: Record<string, Behaviour> = {
  turn: (socket, request) => (turned.has(request.path) ? hang : answer())(socket, request),
  hang,
  drip: drip('HTTP/1.1 200 OK\r\n', 'x', 500),
  fail: answer({ status: 500 }),
  refuse: answer({ status: 429, headers: { 'retry-after': '1' } }),
  slow: async (socket, request) => {
    await delay(4_500, undefined, { ref: false })
    await answer()(socket, request)
  },
}

/** The path of a receiver begins with `/hook/<kind>/`. */
const byPath: Behaviour = (socket, request) => {
  counted.set(request.path, (counted.get(request.path) ?? 0) + 1)
  return kinds[request.path.split('/')[2] ?? '']?.(socket, request)
}

/** Makes its subscriptions anew, wave after wave, each of one kind, and has them receive what the wave creates. */
async function attack(client: Client, base: string, { url }: Receiver, signal: AbortSignal) {
  // A refused one is one fewer.
  const call = (method: 'POST' | 'DELETE', path: string, body?: object) => client.call(method, `${base}${path}`, body)
  const names = Object.keys(kinds)
  for (let wave = 0; !signal.aborted; wave += 1) {
    const kind = names[wave % names.length] ?? ''
    const path = `/hook/${kind}/${randomUUID()}`
    const body = { url: new URL(path, url).href, events: ['contract.created'] }
    const made: string[] = []
    for (let place = 0; place < subscriptions_per_wave; place += 1) {
      const { status, body: subscription } = await call('POST', '/webhooks', body)
      if (status === 201) made.push(subscription.id)
    }
    for (let event = 0; event < quick_answers; event += 1) await call('POST', '/contracts', contract(randomUUID()))
    const until = performance.now() + quick_max_ms
    while (kind === 'turn' && (counted.get(path) ?? 0) < quick_answers * made.length && performance.now() < until)
      await delay(50)
    turned.add(path)
    if (kind === 'turn')
      for (let event = 0; event < quick_answers; event += 1) await call('POST', '/contracts', contract(randomUUID()))
    await delay(wave_ms, undefined, { signal }).catch(() => undefined)
    for (const id of made) await call('DELETE', `/webhooks/${id}`)
  }
}

/** Milliseconds from the time when each delivery was due to its arrival. */
async function latenesses(database: Database, webhook_id: string, receiver: Receiver): Promise<number[]> {
  const rows = await database.transaction({ role: 'engine', read_only: true }, (tx) =>
    tx.rows<{ event_id: string; due_at: string }>(sql`
      select event_id, created_at as due_at from all_webhook_deliveries where subscription_id = ${webhook_id}`),
  )
  const arrived = new Map(
    receiver.requests.map(({ body, arrived_at_ms }) => [JSON.parse(`${body}`).data.meta.event_id, arrived_at_ms]),
  )
  return rows.map(({ event_id, due_at }) => {
    const arrived_at_ms = arrived.get(event_id)
    assert.ok(arrived_at_ms !== undefined, 'every delivery has arrived')
    return performance.timeOrigin + arrived_at_ms - Date.parse(due_at)
  })
}

/** Creates contracts at the rate; answers how long each call took, which tells how busy the machine is. */
async function createSteadily({ client, base }: FaultBench, for_ms: number): Promise<number[]> {
  const created: Promise<number>[] = []
  const create = async () => {
    const began_at_ms = performance.now()
    await client.call('POST', `${base}/contracts`, contract(randomUUID()))
    return performance.now() - began_at_ms
  }
  const until = performance.now() + for_ms
  while (performance.now() < until) {
    created.push(create())
    await delay(1_000 / events_per_s)
  }
  return Promise.all(created)
}

/** The value that this share of the values, in order, does not exceed. */
const quantile = (values: readonly number[], share: number) =>
  Math.round(values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1))] ?? Number.NaN)

for (const attackers of [2, 3]) {
  test(`whatever the receivers of ${attackers} organizations do, and however often they are made anew, a healthy one's deliveries start within 1 s`, {
    skip: !isWanted && 'a fault run: npm run faults',
  }, async (t) => {
    const bench = await startFaultBench(t, {
      workers: 0,
      first: 'api,worker',
      is_cut: false,
      settings: { STINT_RATE_LIMIT_REQUESTS: '6000' },
    })
    const { base, database } = bench
    const { receiver, webhook_id } = await bench.subscribe()
    await createSteadily(bench, 1_000)
    const hostile = await startReceiver({ behaviour: byPath })
    t.after(() => hostile.close())
    const over = new AbortController()
    t.after(() => over.abort())
    const attacks = Array.from({ length: attackers }, async (_, place) =>
      attack(await bench.openOrganization(`hostile-${place}`), base, hostile, over.signal),
    )
    const calls = await Promise.race([createSteadily(bench, attacked_ms), Promise.all(attacks).then(() => [])])
    over.abort()
    await Promise.all(attacks)
    const late = await latenesses(database, webhook_id, receiver)
    const [p50, p99, most] = [0.5, 0.99, 1].map((share) => quantile(late, share))
    t.diagnostic(
      `${calls.length} events, ${hostile.requests.length} attempts of the others: p50 ${p50}, p99 ${p99}, at most ${most} ms; the calls: p50 ${quantile(calls, 0.5)}, p99 ${quantile(calls, 0.99)} ms`,
    )
    assert.ok(hostile.requests.length > 500, 'the others took what they could')
    assert.ok(quantile(late, 0.99) <= late_max_ms, `p99 ${p99} ms`)
  })
}
