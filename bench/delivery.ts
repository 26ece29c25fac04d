import { openBarePosts } from './support/bare-post.ts'
import type { Benchmark, Extent, Outcome, Result } from './support/benchmark.ts'
import { type DeliveryState, fillDeliveries } from './support/deliveries.ts'
import { type DeliveryInstallation, installWithReceivers } from './support/delivery-installation.ts'
import { type Drained, drain } from './support/drain.ts'
import { cpuSpent, cpuTimes } from './support/process-usage.ts'
import { startReceivers } from './support/receiver.ts'
import { rounded, type Spread, spreadOf } from './support/statistics.ts'

const subscriptions = 50
const deliveries_per_round = 4_000
const bare_concurrency = 64

/** Measures one of the things compared, once per round. */
type Measure = () => Promise<Drained>

/** G1, G2, G4: draining due deliveries, against bare posts and with much else in the tables. */
export const delivery: Benchmark = {
  name: 'delivery',
  summary: 'G1, G2, G4: recorded deliveries against bare signed POSTs; with history, future retries, an old snapshot',
  async run({ rounds, rows }: Extent): Promise<Result> {
    await using resources = new AsyncDisposableStack()
    const receivers = resources.use(await startReceivers(subscriptions))
    const queue = async () => resources.use(await installWithReceivers(receivers, 1))
    const [empty, future, history, observed] = [await queue(), await queue(), await queue(), await queue()]
    await fill(future, 'future', rows)
    await fill(history, 'succeeded', rows)
    await holdSnapshot(observed, resources)
    const bare = resources.use(openBarePosts(receivers, Math.ceil(bare_concurrency / subscriptions)))
    const taken = await interleave(
      {
        'bare signed POST': () => postBare(bare),
        'recorded delivery': () => drain(empty, receivers, deliveries_per_round),
        [`beside ${rows} future retries`]: () => drain(future, receivers, deliveries_per_round),
        [`beside ${rows} past deliveries`]: () => drain(history, receivers, deliveries_per_round),
        'under an old snapshot': () => drain(observed, receivers, deliveries_per_round),
      },
      rounds,
    )
    return {
      method: `${deliveries_per_round} due deliveries of 1 KiB over ${subscriptions} subscriptions, from the first request to the last recorded attempt; bare: as many signed POSTs of undici, ${bare_concurrency} at once, from a process that does nothing else meanwhile; ${rounds} interleaved rounds`,
      storage: empty.installation.server.description,
      rows: [...taken].map(([contender, rounds_taken]) => ({
        contender,
        'per s': rounded(spreadOf(rounds_taken.map(({ per_s }) => per_s)).median),
        'service µs': rounded(spreadOf(rounds_taken.map(({ service_us }) => service_us)).median),
        'database µs': rounded(spreadOf(rounds_taken.map(({ database_us }) => database_us)).median),
      })),
      outcomes: outcomesOf([...taken.values()], [...taken.keys()]),
    }
  },
}

/** All in turn, `rounds` times, after one round that only warms up. */
async function interleave(contenders: Record<string, Measure>, rounds: number): Promise<Map<string, Drained[]>> {
  const taken = new Map(Object.keys(contenders).map((name) => [name, [] as Drained[]]))
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, measure] of Object.entries(contenders)) {
      const one = await measure()
      if (round > 0) taken.get(name)?.push(one)
    }
  }
  return taken
}

function outcomesOf([bare = [], own = [], ...loaded]: Drained[][], names: string[]): Outcome[] {
  const ratio = (of: Drained[], to: Drained[], key: keyof Drained): Spread =>
    spreadOf(of.map((one, round) => one[key] / (to[round]?.[key] ?? Number.NaN)))
  return [
    {
      goal: 'G1',
      what: 'CPU of the service per delivery against bare POST',
      measured: ratio(own, bare, 'service_us'),
      unit: '×',
      at_most: 2,
    },
    {
      goal: 'G2',
      what: 'deliveries per second against bare POSTs',
      measured: ratio(own, bare, 'per_s'),
      unit: '×',
      at_least: 0.5,
    },
    ...loaded.map((one, index): Outcome => {
      const what = `drain ${names[index + 2]} against empty tables`
      return { goal: 'G4', what, measured: ratio(one, own, 'per_s'), unit: '×', at_least: 0.95 }
    }),
  ]
}

async function postBare(bare: ReturnType<typeof openBarePosts>): Promise<Drained> {
  const before = cpuTimes([process.pid])
  const began_ms = performance.now()
  let left = deliveries_per_round
  const lane = async () => {
    while (left-- > 0) await bare.post('019cadd4-c134-7a0c-8e1f-27b9c3d45e60')
  }
  await Promise.all(Array.from({ length: bare_concurrency }, lane))
  return {
    per_s: (deliveries_per_round * 1_000) / (performance.now() - began_ms),
    service_us: cpuSpent(before, cpuTimes([process.pid])) / deliveries_per_round,
    database_us: 0,
  }
}

async function fill({ installation, organizations }: DeliveryInstallation, state: DeliveryState, rows: number) {
  for (const organization of organizations) await fillDeliveries(installation, organization, state, rows)
}

/** A report that began before the deliveries: nothing that they leave behind can be cleaned up while it is open. */
async function holdSnapshot({ installation }: DeliveryInstallation, resources: AsyncDisposableStack): Promise<void> {
  const client = await installation.database.connect()
  await client.query('begin isolation level repeatable read read only; select count(*) from webhook_open_deliveries')
  resources.defer(async () => {
    await client.query('commit')
    client.release()
  })
}
