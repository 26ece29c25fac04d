import { setTimeout as pause } from 'node:timers/promises'
import { sql } from '#db/database.ts'
import type { Benchmark, Extent, Result } from './support/benchmark.ts'
import { type Claimer, openClaimer } from './support/claimer.ts'
import { fillDeliveries } from './support/deliveries.ts'
import { type DeliveryInstallation, installWithReceivers } from './support/delivery-installation.ts'
import { cpuSpent, cpuTimes } from './support/process-usage.ts'
import { startReceivers } from './support/receiver.ts'
import { rounded, spreadOf } from './support/statistics.ts'

const subscriptions = 50
const look_every_ms = 20
const drain_max_ms = 120_000

/** G15: what a second worker process adds to the path of claim and record, where nothing is sent. */
export const claimers: Benchmark = {
  name: 'claimers',
  summary: 'G15: deliveries claimed and recorded by two worker processes against one, with a sender that sends nothing',
  async run({ rounds, deliveries }: Extent): Promise<Result> {
    await using resources = new AsyncDisposableStack()
    const receivers = resources.use(await startReceivers(subscriptions))
    const queue = resources.use(await installWithReceivers(receivers, 1, { STINT_ROLES: 'api' }))
    const both = [
      resources.use(await openClaimer(queue.installation)),
      resources.use(await openClaimer(queue.installation)),
    ]
    const count = Math.min(deliveries, 20_000)
    const taken = { one: [] as Drained[], two: [] as Drained[] }
    for (let round = 0; round <= rounds; round += 1) {
      const one = await drained(queue, both.slice(0, 1), count)
      const two = await drained(queue, both, count)
      // The first round warms up.
      if (round > 0) taken.one.push(one) && taken.two.push(two)
    }
    const ratio = spreadOf(taken.two.map(({ per_s }, round) => per_s / (taken.one[round]?.per_s ?? Number.NaN)))
    return {
      method: `${count} due deliveries of ${subscriptions} subscriptions, from the start of the workers to the last recorded attempt; ${rounds} interleaved rounds; on a machine with fewer than four processors it is the machine that is measured`,
      storage: queue.installation.server.description,
      rows: Object.entries(taken).map(([contender, own]) => ({
        contender,
        'per s': rounded(spreadOf(own.map(({ per_s }) => per_s)).median),
        'workers µs': rounded(spreadOf(own.map(({ workers_us }) => workers_us)).median),
        'database µs': rounded(spreadOf(own.map(({ database_us }) => database_us)).median),
      })),
      outcomes: [{ goal: 'G15', what: 'two worker processes against one', measured: ratio, unit: '×', at_least: 1.8 }],
    }
  },
}

/** CPU time is per delivery. */
interface Drained {
  per_s: number
  workers_us: number
  database_us: number
}

async function drained(queue: DeliveryInstallation, workers: readonly Claimer[], count: number): Promise<Drained> {
  const { installation, organizations } = queue
  const [organization] = organizations
  if (!organization) throw new Error('there is no organization to deliver for')
  await fillDeliveries(installation, organization, 'due', count)
  const cpu = () => ({
    workers: cpuTimes(workers.map(({ pid }) => pid)),
    database: cpuTimes(installation.server.pids()),
  })
  const before = cpu()
  const began_ms = performance.now()
  await Promise.all(workers.map((worker) => worker.tell('start')))
  while (await isOpen(queue)) {
    if (performance.now() - began_ms > drain_max_ms) throw new Error(`not drained within ${drain_max_ms} ms`)
    await pause(look_every_ms)
  }
  const per_s = (count * 1_000) / (performance.now() - began_ms)
  const after = cpu()
  await Promise.all(workers.map((worker) => worker.tell('stop')))
  return {
    per_s,
    workers_us: cpuSpent(before.workers, after.workers) / count,
    database_us: cpuSpent(before.database, after.database) / count,
  }
}

function isOpen({ installation: { database } }: DeliveryInstallation): Promise<boolean> {
  return database.transaction({ role: 'engine', read_only: true }, async (tx) => {
    // In the order of the two indexes of what is open: any other way reads all that is done.
    const row = await tx.row<{ is_open: boolean }>(sql`
      select coalesce(
        (select true from webhook_open_deliveries where status = 'pending' order by subscription_id, attempt_no limit 1),
        (select true from webhook_open_deliveries where status = 'sending' order by subscription_id, lease_expires_at limit 1),
        false) as is_open`)
    return row?.is_open ?? false
  })
}
