import type { Calls } from './callers.ts'

export interface Row {
  name: string
  acknowledged: number
  failed: string
  /** Between two acknowledgements, of any caller. */
  pause_ms: number
  /** Of one call, from its first try to its acknowledgement. */
  call_ms: number
  /** Between two deliveries that arrived. */
  delivery_pause_ms: number
  whole_ms: number
}

/** What callers and receivers saw between two moments. */
export function rowOf(name: string, from_ms: number, to_ms: number, calls: Calls, arrived: readonly number[]): Row {
  const isWithin = (at_ms: number) => at_ms >= from_ms && at_ms <= to_ms
  const own = [...calls.acknowledged.values()].filter(({ at_ms }) => isWithin(at_ms))
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
    delivery_pause_ms: longestPause([from_ms, ...arrived.filter(isWithin), to_ms]),
    whole_ms: to_ms - from_ms,
  }
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
    'Longest time without a delivery',
    'All whole again after',
  ]
  const lines = rows.map((row) => [
    ...[row.name, String(row.acknowledged), row.failed || '0'],
    ...[row.pause_ms, row.call_ms, row.delivery_pause_ms, row.whole_ms].map(seconds),
  ])
  for (const cells of [columns, columns.map(() => '---'), ...lines]) console.log(`| ${cells.join(' | ')} |`)
}
