import { setTimeout as pause } from 'node:timers/promises'
import type { EventSource, Moments } from './event-source.ts'
import type { Receivers } from './receiver.ts'
import { percentile } from './statistics.ts'

const arrive_max_ms = 10_000

/** Latencies of one round. */
export interface Taken {
  p50_ms: number
  p99_ms: number
}

/** Sends or commits, waits until everything has arrived at so many receivers, and tells how long each took. */
export async function latencies(receivers: Receivers, begin: () => Promise<Moments>, copies = 1): Promise<Taken> {
  await receivers.take()
  const begun_at_ms = await begin()
  const until_ms = performance.now() + arrive_max_ms
  while ((await receivers.count()) < begun_at_ms.size * copies) {
    if (performance.now() > until_ms) throw new Error(`not everything arrived within ${arrive_max_ms} ms`)
    await pause(10)
  }
  const arrivals = await receivers.take()
  const taken_ms = arrivals.map(([event_id, at_ms]) => at_ms - (begun_at_ms.get(event_id) ?? Number.NaN))
  return { p50_ms: percentile(taken_ms, 50), p99_ms: percentile(taken_ms, 99) }
}

/** Calls `work` at fixed times, whether or not the former call has ended. */
export async function atRate(per_s: number, ticks: number, work: (tick: number) => Promise<unknown>): Promise<void> {
  const began_ms = performance.now()
  const running: Promise<unknown>[] = []
  for (let tick = 0; tick < ticks; tick += 1) {
    const wait_ms = began_ms + (tick * 1_000) / per_s - performance.now()
    if (wait_ms > 0) await pause(wait_ms)
    running.push(work(tick))
  }
  await Promise.all(running)
}

export async function commitAtRate(
  sources: readonly EventSource[],
  per_s: number,
  ticks: number,
  events: number,
): Promise<Moments> {
  for (const { committed_at_ms } of sources) committed_at_ms.clear()
  await atRate(per_s, ticks, async (tick) => sources[tick % sources.length]?.commit(events))
  return new Map(sources.flatMap(({ committed_at_ms }) => [...committed_at_ms]))
}
