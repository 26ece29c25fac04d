import { cpuSpent, cpuTimes } from './process-usage.ts'
import { percentile, rounded, type Spread, spreadOf } from './statistics.ts'

/** One of the things compared: what it does, and whose CPU time that costs. */
export interface Contender {
  name: string
  operate(): Promise<unknown>
  /** The serving process. */
  pid: number
}

export interface Sample {
  per_s: number
  /** CPU time per operation of the serving process. */
  service_us: number
  /** CPU time per operation of all processes of the database server. */
  database_us: number
  p50_ms: number
  p99_ms: number
}

export interface RoundOptions {
  rounds: number
  round_ms: number
  /** Operations under way at once. */
  concurrency: number
  /** The processes of the database server. */
  databasePids(): number[]
}

/** The samples of each contender, one per round, in the order of the rounds. */
export type Samples = Map<Contender, Sample[]>

/**
 * Measures all contenders in turn, `rounds` times, so that whatever else the machine does meets all of them alike. Each
 * round begins with another one. Before that every contender runs for one round unmeasured.
 */
export function measureRounds(contenders: readonly Contender[], options: RoundOptions): Promise<Samples> {
  return interleave(contenders, options.rounds, (contender) => measure(contender, options))
}

/** The same with a measure of one's own. */
export async function interleave<Compared, Taken>(
  contenders: readonly Compared[],
  rounds: number,
  take: (contender: Compared) => Promise<Taken>,
): Promise<Map<Compared, Taken[]>> {
  for (const contender of contenders) await take(contender)
  const taken = new Map(contenders.map((contender) => [contender, [] as Taken[]]))
  for (let round = 0; round < rounds; round += 1) {
    const first = round % contenders.length
    for (const contender of [...contenders.slice(first), ...contenders.slice(0, first)])
      taken.get(contender)?.push(await take(contender))
  }
  return taken
}

/** One round of one contender. */
export async function measure({ operate, pid }: Contender, options: Omit<RoundOptions, 'rounds'>): Promise<Sample> {
  const { round_ms, concurrency, databasePids } = options
  const latencies_ms: number[] = []
  const before = { service: cpuTimes([pid]), database: cpuTimes(databasePids()) }
  const started_ms = performance.now()
  const lane = async () => {
    for (let began_ms = started_ms; began_ms - started_ms < round_ms; ) {
      await operate()
      const ended_ms = performance.now()
      latencies_ms.push(ended_ms - began_ms)
      began_ms = ended_ms
    }
  }
  await Promise.all(Array.from({ length: concurrency }, lane))
  const elapsed_s = (performance.now() - started_ms) / 1_000
  const count = latencies_ms.length
  return {
    per_s: count / elapsed_s,
    service_us: cpuSpent(before.service, cpuTimes([pid])) / count,
    database_us: cpuSpent(before.database, cpuTimes(databasePids())) / count,
    p50_ms: percentile(latencies_ms, 50),
    p99_ms: percentile(latencies_ms, 99),
  }
}

/** The ratio of one contender's value to the yardstick's: the median over the rounds, each compared within itself. */
export function ratioOf<Compared, Key extends string>(
  samples: ReadonlyMap<Compared, Record<Key, number>[]>,
  contender: Compared,
  yardstick: Compared,
  key: Key,
): Spread {
  const own = samples.get(contender) ?? []
  const other = samples.get(yardstick) ?? []
  return spreadOf(own.map((sample, round) => sample[key] / (other[round]?.[key] ?? Number.NaN)))
}

/** The medians of each contender, as rows of a table. */
export function rowsOf(samples: ReadonlyMap<{ name: string }, Sample[]>): Record<string, string | number>[] {
  return [...samples].map(([{ name }, taken]) => {
    const median = (key: keyof Sample) => rounded(spreadOf(taken.map((sample) => sample[key])).median)
    return {
      contender: name,
      'per s': median('per_s'),
      'service µs': median('service_us'),
      'database µs': median('database_us'),
      'p50 ms': median('p50_ms'),
      'p99 ms': median('p99_ms'),
    }
  })
}
