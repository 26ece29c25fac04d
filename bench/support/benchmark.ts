import type { Spread } from './statistics.ts'

/** The time and the amount that a benchmark measures; each has a default and a flag of its name. */
export interface Extent {
  /** Interleaved rounds; every contender is measured once in each. */
  rounds: number
  /** Milliseconds that one contender is measured for in one round. */
  round_ms: number
  /** Rows of the large tables. */
  rows: number
  /** Deliveries of the benchmarks that send many. */
  deliveries: number
  /** Minutes in which a day passes. */
  minutes: number
}

export interface Benchmark {
  name: string
  summary: string
  run(extent: Extent): Promise<Result>
}

/** One goal of the table in docs/performance.md held against what was measured. */
export interface Outcome {
  goal: string
  what: string
  measured: Spread
  unit: string
  at_most?: number
  at_least?: number
}

export interface Result {
  /** Method: the thing counted and the way, in one or two sentences. */
  method: string
  /** The database server that was used. */
  storage?: Record<string, string | number>
  /** One per contender or phase. */
  rows: Record<string, string | number | null>[]
  outcomes: Outcome[]
}

export function isMet({ measured, at_most = Infinity, at_least = -Infinity }: Outcome): boolean {
  return measured.median <= at_most && measured.median >= at_least
}
