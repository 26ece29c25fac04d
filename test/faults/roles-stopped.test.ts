import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { answer, type Behaviour } from '#test/receiver.ts'
import { startFaultBench } from './support/fault-bench.ts'
import { readAllContracts, writeContracts } from './support/load.ts'
import { reckon, untilDelivered } from './support/reckoning.ts'

const kills = Number(process.env.KILLS ?? 0)
const skip = kills === 0 && 'a fault run: npm run faults'
const stops = Math.ceil(kills / 2)
const shutdown_limit_ms = 30_000
/** Longer than a lease of 60 s. */
const standstill_ms = 70_000

test(`${stops} shutdowns of API and worker processes in order lose, invent and repeat nothing`, { skip }, async (t) => {
  const bench = await startFaultBench(t, { workers: 2 })
  const { api, workers, client, base, database } = bench
  const { receiver, webhook_id } = await bench.subscribe()
  const before = await readAllContracts(client, base)
  const load = writeContracts(client, base)
  const all = [api, ...workers]
  let longest_ms = 0
  for (let stop = 0; stop < stops; stop += 1) {
    await load.progress(10)
    await delay(Math.random() * 300)
    const stopping = performance.now()
    await all[stop % all.length]?.kill('SIGTERM')
    longest_ms = Math.max(longest_ms, performance.now() - stopping)
    await all[stop % all.length]?.start()
  }
  const acknowledged = await load.stop()
  const existing = (await readAllContracts(client, base)).difference(before)
  assert.ok(acknowledged.isSubsetOf(existing), 'an acknowledged contract exists')
  await untilDelivered(client, base, webhook_id)
  const reckoning = await reckon(database, webhook_id, receiver, existing)
  assert.equal(reckoning.repeated, 0)
  assert.ok(longest_ms < shutdown_limit_ms, `${longest_ms} ms`)
  t.diagnostic(
    `${stops} SIGTERMs, the longest shutdown ${Math.round(longest_ms)} ms: ${existing.size} exist, ${JSON.stringify(reckoning)}`,
  )
})

test('a worker that stands still longer than its leases is replaced, and what it reports afterwards changes nothing', {
  skip: skip || (kills < 20 && 'takes over a minute: KILLS=20 npm run faults'),
}, async (t) => {
  const bench = await startFaultBench(t, { workers: 2 })
  const { workers, client, base, database } = bench
  const behaviour: Behaviour = async (socket, request) => {
    await delay(300)
    await answer()(socket, request)
  }
  const { receiver, webhook_id } = await bench.subscribe({ behaviour })
  const before = await readAllContracts(client, base)
  const load = writeContracts(client, base)
  await load.progress(20)
  workers[0]?.signal('SIGSTOP')
  await load.progress(20)
  const acknowledged = await load.stop()
  await delay(standstill_ms)
  workers[0]?.signal('SIGCONT')
  const existing = (await readAllContracts(client, base)).difference(before)
  assert.ok(acknowledged.isSubsetOf(existing), 'an acknowledged contract exists')
  await untilDelivered(client, base, webhook_id)
  const reckoning = await reckon(database, webhook_id, receiver, existing)
  t.diagnostic(
    `1 worker stood still for ${standstill_ms / 1_000} s: ${existing.size} exist, ${JSON.stringify(reckoning)}`,
  )
})
