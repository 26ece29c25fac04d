import type { Benchmark, Extent, Outcome, Result } from './support/benchmark.ts'
import { fillHeavyLists, heavy_lists } from './support/heavy-lists.ts'
import { openClient } from './support/https-client.ts'
import { install } from './support/installation.ts'
import { createOrganization } from './support/organization.ts'
import { faultsOfLists } from './support/plans.ts'
import { measureRounds, ratioOf, rowsOf } from './support/rounds.ts'
import { spreadOf } from './support/statistics.ts'

const at_most = 2

/** W6: a page of the heavy lists against one of the contract list, and the plans of their main filters. */
export const lists: Benchmark = {
  name: 'lists',
  summary: 'W6: pages of 50 of the heavy lists against the contract list at 1,000,000 rows of each, and their plans',
  async run({ rounds, round_ms, rows }: Extent): Promise<Result> {
    await using resources = new AsyncDisposableStack()
    const installation = resources.use(await install())
    const { service, server } = installation
    const { id, token } = await createOrganization(installation, 'Harbour Pine')
    await fillHeavyLists(installation, id, rows)
    const client = resources.use(await openClient(installation, service.origin, token, 1))
    const contenders = Object.keys(heavy_lists).map((path) => ({
      name: path,
      pid: service.pid,
      operate: () => client.call('GET', `/rest/v2${path}?limit=50`),
    }))
    const [contracts, ...others] = contenders
    if (!contracts) throw new Error('there is no list of contracts')
    const samples = await measureRounds(contenders, { rounds, round_ms, concurrency: 1, databasePids: server.pids })
    for (const taken of samples.values())
      for (const sample of taken) Object.assign(sample, { cpu_us: sample.service_us + sample.database_us })
    const ratios = others.map((contender): Outcome => {
      // The cast holds because each sample has it since just now.
      const with_cpu = samples as never as ReadonlyMap<typeof contender, { cpu_us: number }[]>
      const measured = ratioOf(with_cpu, contender, contracts, 'cpu_us')
      return { goal: 'W6', what: `CPU of ${contender.name} against ${contracts.name}`, measured, unit: '×', at_most }
    })
    const faults = await faultsOfLists(installation, { id, token })
    for (const fault of faults) console.log(fault)
    const plans = {
      goal: 'W6',
      what: 'plans that read or sort the whole',
      measured: spreadOf([faults.length]),
      unit: '',
    }
    return {
      method: `CPU of service and database per GET of 50 rows one at a time, ${rows} rows of each list, ${rounds} interleaved rounds of ${round_ms} ms; plans by explain analyze`,
      storage: server.description,
      rows: rowsOf(samples),
      outcomes: [...ratios, { ...plans, at_most: 0 }],
    }
  },
}
