import { newId } from '#core/values.ts'
import { atRate, commitAtRate, latencies, type Taken } from './support/at-rate.ts'
import { openBarePosts } from './support/bare-post.ts'
import type { Benchmark, Extent, Outcome, Result } from './support/benchmark.ts'
import { installWithReceivers } from './support/delivery-installation.ts'
import { type Moments, openEventSource } from './support/event-source.ts'
import { openLocalService } from './support/local-service.ts'
import { monotonicNow_ms } from './support/monotonic.ts'
import { startReceivers } from './support/receiver.ts'
import { rounded, type Spread, spreadOf } from './support/statistics.ts'

const subscriptions = 10
const commits_per_s = 100
/** Added latency that is allowed, by events per second. */
const loads = [
  { events_per_commit: 1, p50_ms: 2, p99_ms: 8 },
  { events_per_commit: 10, p50_ms: null, p99_ms: 20 },
] as const

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
        const delivered = await latencies(receivers, () =>
          commitAtRate(sources, commits_per_s, ticks, events_per_commit),
        )
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

async function postAtRate(bare: ReturnType<typeof openBarePosts>, ticks: number, posts: number): Promise<Moments> {
  const sent_at_ms: Moments = new Map()
  await atRate(commits_per_s, ticks, () =>
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
