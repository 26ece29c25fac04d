import { setTimeout as pause } from 'node:timers/promises'
import { newId } from '#core/id.ts'
import { openBarePosts } from './support/bare-post.ts'
import type { Benchmark, Extent, Outcome, Result } from './support/benchmark.ts'
import { installWithReceivers } from './support/delivery-installation.ts'
import { type EventSource, type Moments, monotonicNow_ms, openEventSource } from './support/event-source.ts'
import { openLocalService } from './support/local-service.ts'
import { type Receivers, startReceivers } from './support/receiver.ts'
import { percentile, rounded, type Spread, spreadOf } from './support/statistics.ts'

const subscriptions = 10
const commits_per_s = 100
const arrive_max_ms = 10_000
/** Added latency that is allowed, by events per second. */
const loads = [
  { events_per_commit: 1, p50_ms: 2, p99_ms: 8 },
  { events_per_commit: 10, p50_ms: null, p99_ms: 20 },
] as const

/** Latencies of one round. */
interface Taken {
  p50_ms: number
  p99_ms: number
}

/** G3: from the commit of an event to its arrival at the receiver. */
export const latency: Benchmark = {
  name: 'latency',
  summary: 'G3: commit of an event to its arrival at 100/s and 1,000/s against bare signed POSTs at the same rate',
  async run({ rounds, round_ms }: Extent): Promise<Result> {
    await using resources = new AsyncDisposableStack()
    const receivers = resources.use(await startReceivers(subscriptions))
    const { installation, organizations, settings } = resources.use(
      await installWithReceivers(receivers, subscriptions, { STINT_ROLES: 'api' }),
    )
    const local = resources.use(openLocalService(installation, 10, settings))
    await local.startWorkers()
    const sources = await Promise.all(organizations.map(({ token }) => openEventSource(local, token)))
    const bare = resources.use(openBarePosts(receivers, 4))
    const rows: Result['rows'] = []
    const outcomes: Outcome[] = []
    for (const { events_per_commit, ...allowed } of loads) {
      const ticks = Math.ceil((2 * round_ms * commits_per_s) / 1_000)
      const taken = { bare: [] as Taken[], delivered: [] as Taken[] }
      for (let round = 0; round <= rounds; round += 1) {
        const posted = await latencies(receivers, () => postAtRate(bare, ticks, events_per_commit))
        const delivered = await latencies(receivers, () => commitAtRate(sources, ticks, events_per_commit))
        // The first round warms up.
        if (round > 0) taken.bare.push(posted) && taken.delivered.push(delivered)
      }
      const rate = `${commits_per_s * events_per_commit}/s`
      rows.push(rowOf(`bare POST, ${rate}`, taken.bare), rowOf(`event to arrival, ${rate}`, taken.delivered))
      for (const key of ['p50_ms', 'p99_ms'] as const) {
        const at_most = allowed[key]
        const measured = added(taken.delivered, taken.bare, key)
        const what = `${key.slice(0, 3)} added to that of a bare POST at ${rate}`
        outcomes.push({ goal: 'G3', what, measured, unit: 'ms', ...(at_most !== null && { at_most }) })
      }
    }
    return {
      method: `ms from the moment a commit was known to the process that made it to the request's arrival in the process of the receivers; the worker runs in the process that commits, and is woken in it; ${commits_per_s} commits/s, ${subscriptions} organizations with one subscription each, ${rounds} rounds of ${(2 * round_ms) / 1_000} s`,
      storage: installation.server.description,
      rows,
      outcomes,
    }
  },
}

/** Sends or commits, waits until everything has arrived, and tells how long each took. */
async function latencies(receivers: Receivers, begin: () => Promise<Moments>): Promise<Taken> {
  await receivers.take()
  const begun_at_ms = await begin()
  const until_ms = performance.now() + arrive_max_ms
  while ((await receivers.count()) < begun_at_ms.size) {
    if (performance.now() > until_ms) throw new Error(`not everything arrived within ${arrive_max_ms} ms`)
    await pause(10)
  }
  const arrivals = await receivers.take()
  const taken_ms = arrivals.map(([event_id, at_ms]) => at_ms - (begun_at_ms.get(event_id) ?? Number.NaN))
  return { p50_ms: percentile(taken_ms, 50), p99_ms: percentile(taken_ms, 99) }
}

/** Calls `work` at fixed times, whether or not the former call has ended. */
async function atRate(ticks: number, work: (tick: number) => Promise<unknown>): Promise<void> {
  const began_ms = performance.now()
  const running: Promise<unknown>[] = []
  for (let tick = 0; tick < ticks; tick += 1) {
    const wait_ms = began_ms + (tick * 1_000) / commits_per_s - performance.now()
    if (wait_ms > 0) await pause(wait_ms)
    running.push(work(tick))
  }
  await Promise.all(running)
}

async function postAtRate(bare: ReturnType<typeof openBarePosts>, ticks: number, posts: number): Promise<Moments> {
  const sent_at_ms: Moments = new Map()
  await atRate(ticks, () =>
    Promise.all(
      Array.from({ length: posts }, () => {
        const event_id = newId(Date.now())
        sent_at_ms.set(event_id, monotonicNow_ms())
        return bare.post(event_id)
      }),
    ),
  )
  return sent_at_ms
}

async function commitAtRate(sources: readonly EventSource[], ticks: number, events: number): Promise<Moments> {
  for (const { committed_at_ms } of sources) committed_at_ms.clear()
  await atRate(ticks, async (tick) => sources[tick % sources.length]?.commit(events))
  return new Map(sources.flatMap(({ committed_at_ms }) => [...committed_at_ms]))
}

function added(delivered: readonly Taken[], bare: readonly Taken[], key: keyof Taken): Spread {
  return spreadOf(delivered.map((one, round) => one[key] - (bare[round]?.[key] ?? Number.NaN)))
}

function rowOf(contender: string, taken: readonly Taken[]): Result['rows'][number] {
  return {
    contender,
    'p50 ms': rounded(spreadOf(taken.map(({ p50_ms }) => p50_ms)).median),
    'p99 ms': rounded(spreadOf(taken.map(({ p99_ms }) => p99_ms)).median),
  }
}
