import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type FaultBench, startFaultBench } from './support/fault-bench.ts'
import { type Load, readAllContracts, writeContracts } from './support/load.ts'
import { reckon, untilDelivered } from './support/reckoning.ts'

const kills = Number(process.env.KILLS ?? 0)
const skip = kills === 0 && 'a fault run: npm run faults'
const cuts = kills * 3
const crashes = Math.ceil(kills / 4)

/** One after the other at random moments under load; answers what they hit. */
const kinds: Record<string, { crashed: boolean; strike(bench: FaultBench, load: Load): Promise<string> }> = {
  [`${cuts} cuts of all connections with a transaction`]: {
    crashed: false,
    async strike({ server }, load) {
      const hit = { transactions: 0, commits: 0 }
      for (let cut = 0; cut < cuts; cut += 1) {
        await load.progress(1)
        await delay(Math.random() * 100)
        const { transactions, commits } = await server.cut()
        hit.transactions += transactions
        hit.commits += commits
      }
      return JSON.stringify(hit)
    },
  },
  [`${crashes} crashes of PostgreSQL`]: {
    crashed: true,
    async strike({ server }, load) {
      for (let crash = 0; crash < crashes; crash += 1) {
        await load.progress(20)
        await delay(Math.random() * 200)
        await server.restart()
      }
      return `${crashes} times`
    },
  },
}

for (const [name, { crashed, strike }] of Object.entries(kinds)) {
  test(`${name} lose and invent nothing`, { skip }, async (t) => {
    const bench = await startFaultBench(t, { workers: 1 })
    const { client, base, database } = bench
    const { receiver, webhook_id } = await bench.subscribe()
    const before = await readAllContracts(client, base)
    const load = writeContracts(client, base)
    const hit = await strike(bench, load)
    const acknowledged = await load.stop()
    const existing = (await readAllContracts(client, base)).difference(before)
    assert.ok(acknowledged.isSubsetOf(existing), 'an acknowledged contract exists')
    await untilDelivered(client, base, webhook_id)
    const reckoning = await reckon(database, webhook_id, receiver, existing, { crashed: () => crashed })
    t.diagnostic(
      `${name} (${hit}): ${acknowledged.size} acknowledged, ${existing.size} exist, ${JSON.stringify(reckoning)}`,
    )
  })
}
