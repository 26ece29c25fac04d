import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { startFaultBench } from './support/fault-bench.ts'
import { readAllContracts, writeContracts } from './support/load.ts'
import { reckon, untilDelivered } from './support/reckoning.ts'

const kills = Number(process.env.KILLS ?? 0)

test(`${kills} kills of API and worker processes, each for itself, lose and invent nothing`, {
  skip: kills === 0 && 'a fault run: npm run faults',
}, async (t) => {
  const bench = await startFaultBench(t, { workers: 2 })
  const { api, workers, client, base, database } = bench
  const { receiver, webhook_id } = await bench.subscribe()
  const before = await readAllContracts(client, base)
  const load = writeContracts(client, base)
  const all = [api, ...workers]
  for (let kill = 0; kill < kills; kill += 1) {
    await load.progress(10)
    await delay(Math.random() * 300)
    const victim = all[kill % all.length]
    await victim?.kill('SIGKILL')
    await victim?.start()
  }
  const acknowledged = await load.stop()
  const existing = (await readAllContracts(client, base)).difference(before)
  assert.ok(acknowledged.isSubsetOf(existing), 'an acknowledged contract exists')
  await untilDelivered(client, base, webhook_id)
  const reckoning = await reckon(database, webhook_id, receiver, existing)
  t.diagnostic(
    `${kills} kills of 1 API and 2 worker processes: ${acknowledged.size} acknowledged, ${existing.size} exist, ${JSON.stringify(reckoning)}`,
  )
})
