import { setTimeout as pause } from 'node:timers/promises'
import { sql } from '#db/database.ts'
import type { Child } from './child.ts'
import { hours_of_day } from './day.ts'
import type { DayArrivals } from './day-receivers.ts'
import type { DayReport } from './day-source.ts'
import type { Installation } from './installation.ts'
import { type CpuTimes, cpuSpent, cpuTimes, proportionalSize_mib } from './process-usage.ts'
import { percentile } from './statistics.ts'

const parts = ['source', 'worker', 'database', 'receivers'] as const
type Part = (typeof parts)[number]

/** Processors taken in an hour of the day: 1 is one of them, all the time. */
type Load = Record<Part | 'busiest_backend', number>

/** Figures of one hour of the day. */
interface Hour {
  events_per_s: number
  requests_per_s: number
  p50_ms: number
  p99_ms: number
  /** At its end. */
  queue: Queue
  load: Load
}

interface Queue {
  due: number
  sending: number
  waiting: number
  held: number
}

export interface Day {
  hours: Hour[]
  /** From the commit to the arrival at a healthy receiver, by the rank of the organization. */
  arrived: { rank: number; ms: number }[]
  /** Deliveries that the events had to make. */
  deliveries: number
  events: number
  failures: number
  /** Most events that the source was late with. */
  behind_max: number
  /** From the last event until nothing was due any more. */
  drained_s: number
  requests: number
  cpu_us: Record<Part, number>
  memory_mib: Record<Part, number>
}

const look_every_ms = 1_000
const drain_max_ms = 600_000

interface Played {
  installation: Installation
  source: Child
  receivers: Child
  minutes: number
}

/** Lets the day pass, and what is left of it be delivered. */
export async function playDay(played: Played): Promise<Day> {
  const { installation, minutes } = played
  const cpu = () => times(pidsOf(played))
  const seen = createCount(played)
  const hours: Hour[] = []
  const [began_ms, at_first] = [performance.now(), cpu()]
  for (let hour = 1; hour <= hours_of_day; hour += 1) {
    const before = { cpu: cpu(), at_ms: performance.now(), events: seen.events, requests: seen.requests }
    const arrivals_before = seen.arrived.length
    while (performance.now() < began_ms + (hour * minutes * 60_000) / hours_of_day) await seen.look()
    const seconds = (performance.now() - before.at_ms) / 1_000
    const latencies_ms = seen.arrived.slice(arrivals_before).map(({ ms }) => ms)
    const passed = {
      events_per_s: (seen.events - before.events) / seconds,
      requests_per_s: (seen.requests - before.requests) / seconds,
      p50_ms: percentile(latencies_ms, 50),
      p99_ms: percentile(latencies_ms, 99),
      queue: await queueOf(installation),
      load: loadBetween(before.cpu, cpu(), seconds),
    }
    hours.push(passed)
    console.log(`hour ${hour - 1}: ${JSON.stringify(passed)}`)
  }
  const ended_ms = performance.now()
  while (!(await seen.look()) || isBusy(await queueOf(installation)))
    if (performance.now() - ended_ms > drain_max_ms) break
  const at_last = cpu()
  return {
    ...seen,
    hours,
    drained_s: (performance.now() - ended_ms) / 1_000,
    cpu_us: ofParts((part) => cpuSpent(at_first[part], at_last[part])),
    memory_mib: ofParts((part) => proportionalSize_mib(pidsOf(played)[part])),
  }
}

/** Counts what source and receivers tell. */
function createCount({ source, receivers }: Played) {
  const committed_at_ms = new Map<string, number>()
  let unknown: DayArrivals['healthy'] = []
  const count = {
    arrived: [] as Day['arrived'],
    ...{ events: 0, deliveries: 0, requests: 0, failures: 0, behind_max: 0 },
    /** Takes over what both know, a moment later; true when the source has nothing more to commit. */
    async look(): Promise<boolean> {
      await pause(look_every_ms)
      // The receivers first: what they have got was committed before the source tells.
      const arrivals = await receivers.ask<DayArrivals>()
      const report = await source.ask<DayReport>()
      for (const [event_id, at_ms] of report.committed) committed_at_ms.set(event_id, at_ms)
      count.events += report.committed.length
      count.deliveries += report.deliveries
      count.failures += report.failures
      count.behind_max = Math.max(count.behind_max, report.behind)
      count.requests += arrivals.requests
      const [known, others] = partition([...unknown, ...arrivals.healthy], ([id]) => committed_at_ms.has(id))
      unknown = others
      for (const [event_id, rank, at_ms] of known) {
        // A receiver may be quicker than the answer of the commit.
        count.arrived.push({ rank, ms: Math.max(0, at_ms - (committed_at_ms.get(event_id) ?? at_ms)) })
      }
      return report.is_done
    },
  }
  return count
}

function partition<Item>(items: readonly Item[], isFirst: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))]
}

const pidsOf = ({ installation, source, receivers }: Played): Record<Part, number[]> => ({
  ...{ source: [source.pid], worker: [installation.service.pid] },
  ...{ database: installation.server.pids(), receivers: [receivers.pid] },
})

/** The cast holds because every part gets its value. */
const ofParts = <Value>(of: (part: Part) => Value) =>
  Object.fromEntries(parts.map((part) => [part, of(part)])) as Record<Part, Value>

const isBusy = ({ due, sending }: Queue) => due + sending > 0

const times = (pids: Record<Part, number[]>) => ofParts((part) => cpuTimes(pids[part]))

function loadBetween(before: Record<Part, CpuTimes>, after: Record<Part, CpuTimes>, seconds: number): Load {
  const share = (used_us: number) => used_us / 1e6 / seconds
  const backends_us = [...after.database].map(([pid, used_us]) => used_us - (before.database.get(pid) ?? 0))
  return {
    ...ofParts((part) => share(cpuSpent(before[part], after[part]))),
    busiest_backend: share(Math.max(...backends_us)),
  }
}

async function queueOf({ database }: Installation): Promise<Queue> {
  const row = await database.transaction({ role: 'engine', read_only: true }, (tx) =>
    tx.row<Queue>(sql`
      select (count(*) filter (where status = 'pending' and next_attempt_at <= app_now()))::int as due,
        (count(*) filter (where status = 'pending' and next_attempt_at > app_now()))::int as waiting,
        (count(*) filter (where status = 'sending'))::int as sending,
        (count(*) filter (where status = 'held'))::int as held
      from webhook_open_deliveries`),
  )
  return row ?? { due: 0, sending: 0, waiting: 0, held: 0 }
}
