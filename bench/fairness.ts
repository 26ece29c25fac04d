import { setTimeout as pause } from 'node:timers/promises'
import { settingsTable, webhookSettings } from '#boot/config.ts'
import { readSettings } from '#boot/settings.ts'
import { sql } from '#db/database.ts'
import { freePort } from '#test/process.ts'
import { commitAtRate, latencies } from './support/at-rate.ts'
import type { Benchmark, Extent, Outcome, Result } from './support/benchmark.ts'
import { fillDeliveries } from './support/deliveries.ts'
import { installWithReceivers } from './support/delivery-installation.ts'
import { drain } from './support/drain.ts'
import { openEventSource } from './support/event-source.ts'
import { openClient } from './support/https-client.ts'
import { openLocalService } from './support/local-service.ts'
import { type Receivers, startReceivers } from './support/receiver.ts'
import { rounded, spreadOf } from './support/statistics.ts'

const healthy = 50
/** Events per second; each goes to all healthy receivers. */
const events_per_s = 10
const backlog_max = 100_000
const slow_ms = 5_000
const deliveries_per_round = 4_000
const settle_max_ms = 60_000
/** As in production: a dead receiver is disabled after a day, not within a round. */
const delays_ms = webhookSettings(readSettings(settingsTable, {})).delays_ms

/** Deliveries to the healthy receivers in one round. */
interface Round {
  per_s: number
  p50_ms: number
  p99_ms: number
}

/** G5: fifty healthy subscriptions beside a dead and a slow one of the same organization. */
export const fairness: Benchmark = {
  name: 'fairness',
  summary: 'G5: rate and p99 of 50 healthy subscriptions beside a dead and a 5-second one with 100,000 due rows each',
  async run({ rounds, round_ms, rows }: Extent): Promise<Result> {
    await using resources = new AsyncDisposableStack()
    const receivers = resources.use(await startReceivers(healthy, slow_ms))
    const backlog = Math.min(rows, backlog_max)
    const alone = resources.use(await openContender(receivers, 0))
    const beside = resources.use(await openContender(receivers, backlog))
    const taken = { alone: [] as Round[], beside: [] as Round[] }
    for (let round = 0; round <= rounds; round += 1) {
      const both = { alone: await alone.measure(round_ms), beside: await beside.measure(round_ms) }
      // The first round warms up.
      if (round > 0) taken.alone.push(both.alone) && taken.beside.push(both.beside)
    }
    return {
      method: `${healthy} healthy subscriptions of one organization, alone and beside one whose port is closed and one that answers after ${slow_ms} ms, each with ${backlog} due deliveries; p50 and p99 from commit to arrival at ${events_per_s * healthy} deliveries/s, then the rate of draining ${deliveries_per_round}; engine, load and measurement in one process, workers of one contender at a time, ${rounds} interleaved rounds`,
      rows: Object.entries(taken).map(([contender, own]) => ({
        contender,
        'per s': rounded(spreadOf(own.map(({ per_s }) => per_s)).median),
        'p50 ms': rounded(spreadOf(own.map(({ p50_ms }) => p50_ms)).median),
        'p99 ms': rounded(spreadOf(own.map(({ p99_ms }) => p99_ms)).median),
      })),
      outcomes: [
        { ...ratio('per_s', 'rate of the healthy beside the others'), at_least: 0.95 },
        { ...ratio('p99_ms', 'p99 from commit to arrival'), at_most: 1.2 },
      ],
    }

    function ratio(key: keyof Round, what: string): Outcome {
      const measured = spreadOf(taken.beside.map((one, round) => one[key] / (taken.alone[round]?.[key] ?? Number.NaN)))
      return { goal: 'G5', what, measured, unit: '×' }
    }
  },
}

interface Contender extends AsyncDisposable {
  measure(round_ms: number): Promise<Round>
}

/** An engine with the healthy subscriptions and, with a backlog, the two others. */
async function openContender(receivers: Receivers, backlog: number): Promise<Contender> {
  await using resources = new AsyncDisposableStack()
  const queue = resources.use(await installWithReceivers(receivers, 1, { STINT_ROLES: 'api' }))
  const { installation, organizations, settings } = queue
  const [organization] = organizations
  if (!organization) throw new Error('there is no organization to deliver for')
  if (backlog > 0) {
    const urls = [receivers.slow_url ?? '', `https://localhost:${await freePort()}/hook`]
    await using client = await openClient(installation, installation.service.origin, organization.token, 1)
    for (const url of urls)
      await client.call('POST', '/rest/v2/webhooks', JSON.stringify({ url, events: ['contract.created'] }))
    await fillDeliveries(installation, organization, 'due', backlog * urls.length, { urls, delays_ms })
  }
  const local = resources.use(openLocalService(installation, 10, settings))
  const source = await openEventSource(local, organization.token)
  const opened = resources.move()
  return {
    async measure(round_ms) {
      await local.startWorkers()
      if (backlog > 0) await untilKnown(queue)
      const ticks = Math.ceil((4 * round_ms * events_per_s) / 1_000)
      const taken = await latencies(receivers, () => commitAtRate([source], events_per_s, ticks, 1), healthy)
      const { per_s } = await drain(queue, receivers, deliveries_per_round, process.pid)
      await local.stopWorkers()
      return { ...taken, per_s }
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

/** Until one lane is known to fail and one to be slow, as they are most of the time. */
async function untilKnown({ installation: { database } }: Awaited<ReturnType<typeof installWithReceivers>>) {
  const until_ms = performance.now() + settle_max_ms
  for (;;) {
    const known = await database.transaction({ role: 'engine', read_only: true }, (tx) =>
      tx.row<{ failing: boolean; slow: boolean }>(sql`
        select bool_or(consecutive_failures >= 5) as failing,
          bool_or(not is_quick and last_success_at is not null) as slow from webhook_lanes`),
    )
    if (known?.failing && known.slow) return
    if (performance.now() > until_ms) throw new Error(`the receivers are not known after ${settle_max_ms} ms`)
    await pause(100)
  }
}
