import { setTimeout as pause } from 'node:timers/promises'
import type { Benchmark, Result } from './support/benchmark.ts'
import { install } from './support/installation.ts'
import { proportionalSize_mib } from './support/process-usage.ts'
import { rounded, spreadOf } from './support/statistics.ts'

const idle_ms = 10_000
const samples = 5
const sample_every_ms = 1_000

/** G12: what an installation on the embedded database holds in memory. */
export const memory: Benchmark = {
  name: 'memory',
  summary: 'G12: memory of service and embedded database',
  async run(): Promise<Result> {
    await using installation = await install()
    const { service, server } = installation
    // Idle means: what the start needed once has been given back or is known not to be.
    await pause(idle_ms)
    const taken = { service: [] as number[], database: [] as number[] }
    for (let sample = 0; sample < samples; sample += 1) {
      taken.service.push(proportionalSize_mib([service.pid]))
      taken.database.push(proportionalSize_mib(server.pids()))
      await pause(sample_every_ms)
    }
    const total = spreadOf(taken.service.map((size, sample) => size + (taken.database[sample] ?? 0)))
    return {
      method: `proportional set size (/proc/<pid>/smaps_rollup) of the service and of all processes of its database, ${samples} readings from ${idle_ms / 1_000} s after the start on`,
      storage: server.description,
      rows: [
        {
          phase: 'idle',
          'service MiB': rounded(spreadOf(taken.service).median),
          'database MiB': rounded(spreadOf(taken.database).median),
          'total MiB': rounded(total.median),
        },
      ],
      outcomes: [{ goal: 'G12', what: 'service + database, idle', measured: total, unit: 'MiB', at_most: 220 }],
    }
  },
}
