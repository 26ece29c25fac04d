import type { ReceivedRequest } from '#test/receiver.ts'
import type { Calls } from './callers.ts'

export interface Fault {
  name: string
  from_ms: number
  /** All was whole again. */
  to_ms: number
}

interface Row {
  name: string
  acknowledged: number
  failed: string
  /** Between two acknowledgements, of any caller. */
  pause_ms: number
  /** Of one call, from its first try to its acknowledgement. */
  call_ms: number
  /** From an acknowledgement to the arrival of its event. */
  delivery_ms: number
  whole_ms: number
}

/** A fault as callers and receivers saw it. */
export function rowOf({ name, from_ms, to_ms }: Fault, calls: Calls, requests: readonly ReceivedRequest[]): Row {
  const isWithin = (at_ms: number) => at_ms >= from_ms && at_ms <= to_ms
  const entries = [...calls.acknowledged].filter(([, { at_ms }]) => isWithin(at_ms))
  const own = entries.map(([, acknowledged]) => acknowledged)
  const arrived = firstArrivals(requests)
  const counts: Record<string, number> = {}
  for (const { at_ms, why } of calls.failed) if (isWithin(at_ms)) counts[why] = (counts[why] ?? 0) + 1
  const at = own.map(({ at_ms }) => at_ms)
  return {
    name,
    acknowledged: own.length,
    failed: Object.entries(counts)
      .map(([why, count]) => `${count} × ${why}`)
      .join(', '),
    pause_ms: longestPause([from_ms, ...at]),
    call_ms: Math.max(0, ...own.map(({ waited_ms }) => waited_ms)),
    delivery_ms: Math.max(
      0,
      ...entries.map(([id, { at_ms }]) => (arrived.get(id) ?? Number.POSITIVE_INFINITY) - at_ms),
    ),
    whole_ms: to_ms - from_ms,
  }
}

/** Of the event of each contract. */
function firstArrivals(requests: readonly ReceivedRequest[]): Map<string, number> {
  const first = new Map<string, number>()
  for (const { body, arrived_at_ms } of requests) {
    const id: string = JSON.parse(body.toString()).data.resource[0].contract_id
    first.set(id, Math.min(first.get(id) ?? Number.POSITIVE_INFINITY, arrived_at_ms))
  }
  return first
}

function longestPause(moments: readonly number[]): number {
  const sorted = moments.toSorted((one, other) => one - other)
  return sorted.reduce((most, moment, index) => Math.max(most, moment - (sorted[index - 1] ?? moment)), 0)
}

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`

/** As the guide has it. */
export function printTable(rows: readonly Row[]): void {
  const columns = [
    'Fault',
    'Acknowledged meanwhile',
    'Tries that failed',
    'Longest time without an acknowledgement',
    'Longest call with its repeats',
    'Longest from acknowledgement to arrival of the event',
    'All whole again after',
  ]
  const lines = rows.map((row) => [
    ...[row.name, String(row.acknowledged), row.failed || '0'],
    ...[row.pause_ms, row.call_ms, row.delivery_ms, row.whole_ms].map(seconds),
  ])
  for (const cells of [columns, columns.map(() => '---'), ...lines]) console.log(`| ${cells.join(' | ')} |`)
}
