import { atRate } from './support/at-rate.ts'
import type { Benchmark, Extent, Outcome, Result } from './support/benchmark.ts'
import { fillContracts } from './support/contracts.ts'
import { createAndDeliver } from './support/created-contracts.ts'
import { fillDeliveries } from './support/deliveries.ts'
import { type DeliveryInstallation, installWithReceivers } from './support/delivery-installation.ts'
import { exchanges } from './support/exchanges.ts'
import { openClient } from './support/https-client.ts'
import { listCalls } from './support/list-calls.ts'
import { form } from './support/oauth-flows.ts'
import { type BenchOrganization, createOrganization, createPersonalToken } from './support/organization.ts'
import { addressOfPage } from './support/pages.ts'
import { type Receivers, startReceivers } from './support/receiver.ts'
import { interleave, measure, rowsOf, type Sample } from './support/rounds.ts'
import { rounded, type Spread, spreadOf } from './support/statistics.ts'
import { checkpoint } from './support/storage.ts'

const list_path = '/rest/v2/contracts?limit=50'
const tool_rows = 20
/** Contracts of the service that is called empty: lists have to show some. */
const few_contracts = 1_000
const contracts_per_worker = 10
/** Further subscriptions of the calling organization, and those of another one. */
const other_subscriptions = 9
const creators = 16
const callers = 8
const created_at_once = 1_500
const created_per_s = 100
/** The total of a large list is counted every five seconds, so each round has its share of that. */
const rounds_per_total = 5

/** One kind of work of one of the two services. */
interface Contender {
  name: string
  take(): Promise<Sample>
}

/** Every way of the service with a million rows in its tables against the same with hardly any. */
export const growth: Benchmark = {
  name: 'growth',
  summary: 'contracts, deliveries, lists, tools and tokens beside 1,000,000 rows of each table against hardly any',
  async run({ rounds, round_ms, rows }: Extent): Promise<Result> {
    await using resources = new AsyncDisposableStack()
    const receivers = resources.use(await startReceivers(1))
    const open = async () => resources.use(await installWithReceivers(receivers, 1))
    const both = { empty: await open(), full: await open() }
    const database_pids = () => [both.empty, both.full].flatMap(({ installation }) => installation.server.pids())
    const long_ms = rounds_per_total * round_ms
    const contend = (name: keyof typeof both, pages: number) =>
      contenders(both[name], { resources, receivers, database_pids, long_ms, pages, name })
    await fill(both.empty, few_contracts, 0)
    await fill(both.full, few_contracts + rows, rows)
    const empty = await contend('empty', few_contracts / 100)
    const full = await contend('full', Math.min(1_000, rows / 50))
    const pairs = Object.entries(empty).map(([what, yardstick]) => ({ what, yardstick, own: full[what] ?? yardstick }))
    const samples = await interleave(
      pairs.flatMap(({ yardstick, own }) => [yardstick, own]),
      rounds,
      ({ take }) => take(),
    )
    return {
      method: `full: ${rows} contracts of the calling organization (empty: ${few_contracts}), ${rows} ended deliveries with attempts, events and bodies, and ${rows} that wait for tomorrow, half of both over the ${other_subscriptions + 1} subscriptions of the calling organization and half over those of another; ${callers} callers for ${long_ms} ms; ${created_at_once} contracts by ${creators} callers and ${created_per_s}/s for ${long_ms} ms, each until its delivery to one subscription is recorded, latencies from the answer to the arrival; ${rounds} interleaved rounds`,
      storage: both.full.installation.server.description,
      rows: rowsOf(samples),
      outcomes: pairs.flatMap(({ what, yardstick, own }) => outcomesOf(what, samples.get(yardstick), samples.get(own))),
    }
  },
}

/** Subscriptions that nothing of the load is sent to, contracts, past deliveries and future retries. */
async function fill({ installation, organizations }: DeliveryInstallation, contracts: number, deliveries: number) {
  const [caller] = organizations
  if (!caller) throw new Error('there is no organization')
  const other = await createOrganization(installation, 'Another')
  for (const organization of [caller, other]) {
    await subscribe(installation, organization)
    if (deliveries === 0) continue
    await fillDeliveries(installation, organization, 'succeeded', deliveries / 2)
    await fillDeliveries(installation, organization, 'future', deliveries / 2)
  }
  await fillContracts(installation, caller.id, contracts, contracts / contracts_per_worker)
  await checkpoint(installation.connection)
}

async function subscribe(installation: DeliveryInstallation['installation'], { token }: BenchOrganization) {
  await using client = await openClient(installation, installation.service.origin, token, 1)
  const subscription = JSON.stringify({ url: 'https://localhost/hook', events: ['contract.archived'] })
  for (let made = 0; made < other_subscriptions; made += 1) await client.call('POST', '/rest/v2/webhooks', subscription)
}

/** The ways that are measured of one service, by the names of the rows in docs/performance.md. */
async function contenders(
  opened: DeliveryInstallation,
  {
    resources,
    receivers,
    database_pids,
    long_ms,
    pages,
    name,
  }: {
    resources: AsyncDisposableStack
    receivers: Receivers
    database_pids(): number[]
    long_ms: number
    pages: number
    name: string
  },
): Promise<Record<string, Contender>> {
  const { installation, organizations } = opened
  const { service } = installation
  const [caller] = organizations
  if (!caller) throw new Error('there is no organization')
  const open = async (token: string | null, connections: number, headers?: Record<string, string>) =>
    resources.use(await openClient(installation, service.origin, token, connections, headers))
  const repeat = (operate: () => Promise<unknown>) => () =>
    measure(
      { name, pid: service.pid, operate },
      { round_ms: long_ms, concurrency: callers, databasePids: database_pids },
    )
  const list = await open(caller.token, callers)
  const deep = await addressOfPage(list, list_path, pages)
  const call = listCalls(tool_rows)['2025-11-25']
  const tools = await open(await createPersonalToken(installation, caller.id), callers, call.headers)
  const creator = await open(caller.token, creators)
  const create = (how: Parameters<typeof createAndDeliver>[3]) => () =>
    createAndDeliver(opened, receivers, creator, how)
  const ways: Record<string, () => Promise<Sample>> = {
    [`created and delivered, ${creators} at once`]: create(async (createOne) => {
      let left = created_at_once
      const lane = async () => {
        while (left-- > 0) await createOne()
      }
      await Promise.all(Array.from({ length: creators }, lane))
    }),
    [`created and delivered at ${created_per_s}/s`]: create((createOne) =>
      atRate(created_per_s, (created_per_s * long_ms) / 1_000, createOne),
    ),
    'refresh exchange': repeat(await exchanges(installation, caller.id, await open(null, callers, form))),
    'list of 50, page 1': repeat(() => list.call('GET', list_path)),
    'list of 50, page 1,000': repeat(() => list.call('GET', deep)),
    [`tool call of a list of ${tool_rows}`]: repeat(() => tools.call('POST', '/mcp', call.body)),
  }
  return Object.fromEntries(Object.entries(ways).map(([what, take]) => [what, { name: `${what}, ${name}`, take }]))
}

function outcomesOf(what: string, empty: Sample[] = [], full: Sample[] = []): Outcome[] {
  const compare = (value: (sample: Sample) => number, how: (own: number, other: number) => number): Spread =>
    spreadOf(full.map((sample, round) => how(value(sample), value(empty[round] ?? sample))))
  const ratio = (own: number, other: number) => own / other
  const most = what.endsWith('page 1,000') ? 2 : 1.1
  const cpu = compare(({ service_us, database_us }) => service_us + database_us, ratio)
  const rate = compare(({ per_s }) => per_s, ratio)
  const outcomes: Outcome[] = [
    { goal: 'growth', what: `CPU of ${what}`, measured: cpu, unit: '×', at_most: most },
    { goal: 'growth', what: `rate of ${what}`, measured: rate, unit: '×', at_least: rounded(1 / most) },
  ]
  for (const key of ['p50_ms', 'p99_ms'] as const) {
    const name = `${key.slice(0, 3)} of ${what}`
    // A receiver may be quicker than the answer: such a time is near zero, and nothing to divide by.
    outcomes.push(
      what.startsWith('created')
        ? {
            goal: '',
            what: `added to ${name}`,
            measured: compare(
              (one) => one[key],
              (own, other) => own - other,
            ),
            unit: 'ms',
          }
        : { goal: 'growth', what: name, measured: compare((one) => one[key], ratio), unit: '×', at_most: most },
    )
  }
  return outcomes
}
