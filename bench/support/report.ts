import { isMet, type Outcome, type Result } from './benchmark.ts'
import { rounded } from './statistics.ts'

/** Prints one result for people. */
export function printResult(name: string, { method, storage, rows, outcomes }: Result): void {
  console.log(`\n${name}: ${method}`)
  if (storage) console.log(Object.entries(storage).flat().join(' '))
  if (rows.length > 0) console.table(rows)
  if (outcomes.length > 0) console.table(outcomes.map(rowOf))
}

function rowOf(outcome: Outcome): Record<string, string> {
  const { goal, what, measured, unit, at_most, at_least } = outcome
  const limit = at_most === undefined ? (at_least === undefined ? '' : `≥ ${at_least}`) : `≤ ${at_most}`
  return {
    goal,
    what,
    measured: `${rounded(measured.median)} ${unit}`,
    range: `${rounded(measured.min)}–${rounded(measured.max)}`,
    limit,
    met: limit === '' ? '' : isMet(outcome) ? 'yes' : 'NO',
  }
}

/** The same for programs; every number as it was measured. */
export function jsonOf(results: ReadonlyMap<string, Result>, machine: object, extent: object): string {
  const benchmarks = [...results].map(([name, result]) => ({
    name,
    ...result,
    outcomes: result.outcomes.map((outcome) => ({ ...outcome, met: isMet(outcome) })),
  }))
  return `${JSON.stringify({ machine, extent, benchmarks }, null, 2)}\n`
}
