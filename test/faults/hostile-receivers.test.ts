import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { answer, type Behaviour, drip, endless, hang, rawThenClose, redirect, reset } from '#test/receiver.ts'
import { startFaultBench } from './support/fault-bench.ts'
import { readAllContracts, writeContracts } from './support/load.ts'
import { reckon, untilDelivered } from './support/reckoning.ts'

const isWanted = Number(process.env.KILLS ?? 0) > 0
const load_ms = 4_000
const pause_ms = 400

const flood = endless({ 'transfer-encoding': 'chunked' }, Buffer.from(`10000\r\n${'x'.repeat(65_536)}\r\n`), 10_000)
const kinds: Record<string, Behaviour[]> = {
  'answer at once': [answer()],
  hang: [hang],
  drip: [drip('HTTP/1.1 200 OK\r\n', 'x', 50), drip('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n', 'x', 50)],
  redirect: [redirect(302, '/elsewhere'), redirect(308, 'http://169.254.169.254/')],
  flood: [flood, rawThenClose(`HTTP/1.1 200 OK\r\n${'x-flood: y\r\n'.repeat(10_000)}\r\n`)],
  'close early': [rawThenClose(''), rawThenClose('HTTP/1.1 200 OK\r\nconte'), reset],
  fail: [answer({ status: 500 }), answer({ status: 429, headers: { 'retry-after': '3600' } })],
}

/** Hostile to every other request, in turn, so that every delivery comes through in the end. */
function everyOther(behaviours: readonly Behaviour[]): Behaviour {
  let turn = 0
  return (socket, request) => {
    turn += 1
    const behaviour = turn % 2 === 0 ? answer() : behaviours[Math.floor(turn / 2) % behaviours.length]
    return behaviour?.(socket, request)
  }
}

test('receivers that hang, drip, redirect, flood, close early and fail get every event, and as often as is on record', {
  skip: !isWanted && 'a fault run: npm run faults',
}, async (t) => {
  const settings = { WEBHOOK_TIMEOUT_MS: '1000', WEBHOOK_RETRY_SCHEDULE: Array(20).fill('200ms').join(',') }
  const bench = await startFaultBench(t, { workers: 1, settings })
  const { client, base, database } = bench
  const subscribed = new Map<string, Awaited<ReturnType<typeof bench.subscribe>>>()
  for (const [kind, behaviours] of Object.entries(kinds))
    subscribed.set(kind, await bench.subscribe({ behaviour: everyOther(behaviours) }))
  const before = await readAllContracts(client, base)
  const load = writeContracts(client, base, pause_ms)
  await delay(load_ms)
  const acknowledged = await load.stop()
  const existing = (await readAllContracts(client, base)).difference(before)
  assert.deepEqual(existing, acknowledged)
  for (const [kind, { receiver, webhook_id }] of subscribed) {
    await untilDelivered(client, base, webhook_id)
    const reckoning = await reckon(database, webhook_id, receiver, existing, {
      closes_early: kind === 'close early',
    })
    assert.deepEqual(
      receiver.requests.filter(({ path }) => path !== '/hook').map(({ path }) => path),
      [],
      'no redirect is followed',
    )
    t.diagnostic(`${kind}: ${existing.size} events, ${JSON.stringify(reckoning)}`)
  }
})
