import { setTimeout as pause } from 'node:timers/promises'
import type { Benchmark, Extent, Result } from './support/benchmark.ts'
import { installWithReceivers } from './support/delivery-installation.ts'
import { drain } from './support/drain.ts'
import type { Installation } from './support/installation.ts'
import { proportionalSize_mib } from './support/process-usage.ts'
import { startReceivers } from './support/receiver.ts'
import { rounded, spreadOf } from './support/statistics.ts'

const subscriptions = 50
const idle_ms = 10_000
const samples = 5
const sample_every_ms = 500
/** Readings along the way to the last delivery. */
const stages = 5
/** Made and sent before the next ones: a million at once would outlast the bound of a drain. */
const deliveries_at_once = 20_000

interface Sizes {
  service: number
  database: number
}

/** G12: what an installation holds in memory when idle, and on the way through many deliveries. */
export const memory: Benchmark = {
  name: 'memory',
  summary: 'G12: memory of service and database, idle and after --deliveries deliveries (goal: 1,000,000)',
  async run({ deliveries }: Extent): Promise<Result> {
    await using receivers = await startReceivers(subscriptions)
    await using queue = await installWithReceivers(receivers, 1)
    const { installation } = queue
    // By then the start has given back what it needed once, or is known not to.
    await pause(idle_ms)
    const taken = [await sizesOf(installation)]
    for (let stage = 1; stage <= stages; stage += 1) {
      for (let left = Math.ceil(deliveries / stages); left > 0; left -= deliveries_at_once) {
        await drain(queue, receivers, Math.min(left, deliveries_at_once))
      }
      taken.push(await sizesOf(installation))
    }
    const totals = taken.map(({ service, database }) => service + database)
    const [idle = Number.NaN, ...loaded] = totals
    const growth = (loaded.at(-1) ?? Number.NaN) / (loaded[1] ?? Number.NaN)
    const only = (value: number) => spreadOf([value])
    return {
      method: `proportional set size (/proc/<pid>/smaps_rollup) of the service and of all processes of its database, median of ${samples} readings; idle: ${idle_ms / 1_000} s after the start with ${subscriptions} subscriptions`,
      storage: installation.server.description,
      rows: taken.map(({ service, database }, stage) => ({
        'after deliveries': Math.round((stage * deliveries) / stages),
        'service MiB': rounded(service),
        'database MiB': rounded(database),
        'total MiB': rounded(service + database),
      })),
      outcomes: [
        { goal: 'G12', what: 'service + database, idle', measured: only(idle), unit: 'MiB', at_most: 220 },
        {
          goal: 'G12',
          what: `the same after ${deliveries} deliveries`,
          measured: spreadOf(loaded),
          unit: 'MiB',
          at_most: 400,
        },
        {
          goal: 'G12',
          what: 'flat: at the end against two fifths of the way',
          measured: only(growth),
          unit: '×',
          at_most: 1.1,
        },
      ],
    }
  },
}

async function sizesOf({ service, server }: Installation): Promise<Sizes> {
  const taken: Sizes[] = []
  for (let sample = 0; sample < samples; sample += 1) {
    await pause(sample_every_ms)
    taken.push({ service: proportionalSize_mib([service.pid]), database: proportionalSize_mib(server.pids()) })
  }
  const median = (key: keyof Sizes) => spreadOf(taken.map((sizes) => sizes[key])).median
  return { service: median('service'), database: median('database') }
}
