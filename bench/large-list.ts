import type { Benchmark, Extent, Outcome, Result } from './support/benchmark.ts'
import { fillContracts } from './support/contracts.ts'
import { openClient } from './support/https-client.ts'
import { install } from './support/installation.ts'
import { createOrganization } from './support/organization.ts'
import { addressOfPage } from './support/pages.ts'
import { measureRounds, ratioOf, rowsOf } from './support/rounds.ts'

const path = '/rest/v2/contracts?limit=50'
const small_rows = 1_000
const page_no = { small: 10, large: 1_000 }

/** G8: what a million rows in the organization do to the latency of its list, total included. */
export const largeList: Benchmark = {
  name: 'large-list',
  summary: 'G8: list with total_count at 1,000,000 contracts against 1,000, page 1 and page 1,000',
  async run({ rounds, round_ms, rows }: Extent): Promise<Result> {
    await using resources = new AsyncDisposableStack()
    const installation = resources.use(await install())
    const { service, server } = installation
    const contend = async (count: number, pages: number) => {
      const organization = await createOrganization(installation, `${count} contracts`)
      await fillContracts(installation, organization.id, count)
      const client = resources.use(await openClient(installation, service.origin, organization.token, 1))
      const deep = await addressOfPage(client, path, Math.min(pages, count / 50))
      return [path, deep].map((url, index) => ({
        name: `${count} contracts, page ${index === 0 ? 1 : pages}`,
        pid: service.pid,
        operate: () => client.call('GET', url),
      }))
    }
    const small = await contend(small_rows, page_no.small)
    const large = await contend(rows, page_no.large)
    const samples = await measureRounds([...small, ...large], {
      rounds,
      round_ms,
      concurrency: 1,
      databasePids: server.pids,
    })
    const outcomes = small.flatMap((yardstick, index): Outcome[] => {
      const contender = large[index]
      if (!contender) return []
      const measured = ratioOf(samples, contender, yardstick, 'p99_ms')
      const what = `p99 of page ${index === 0 ? 1 : page_no.large} at ${rows} contracts against ${small_rows}`
      return [{ goal: 'G8', what, measured, unit: '×', at_most: 2 }]
    })
    return {
      method: `latency of GET ${path} one at a time, ${rounds} interleaved rounds of ${round_ms} ms; the large total is counted anew every few seconds`,
      storage: server.description,
      rows: rowsOf(samples),
      outcomes,
    }
  },
}
