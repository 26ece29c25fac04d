import type { PoolClient } from 'pg'
import type { Benchmark, Extent, Outcome, Result } from './support/benchmark.ts'
import { fillHeavyLists, heavy_lists, valuesOfFilters } from './support/heavy-lists.ts'
import { openClient } from './support/https-client.ts'
import { type Installation, install } from './support/installation.ts'
import { createOrganization } from './support/organization.ts'
import { faultsOfPlan, type PlanNode } from './support/plans.ts'
import { measureRounds, ratioOf, rowsOf } from './support/rounds.ts'
import { type Statement, statementsOf } from './support/statements.ts'
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
    const faults = await plansWithFaults(installation, { id, token })
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

async function plansWithFaults(installation: Installation, { id, token }: { id: string; token: string }) {
  const faults: string[] = []
  const filled = await valuesOfFilters(installation, id)
  const client = await installation.database.connect()
  for (const [path, filters] of Object.entries(heavy_lists)) {
    for (const filter of filters) {
      const url = `/rest/v2${path}?${filled(['limit=50', filter].filter((part) => part !== '').join('&'))}`
      const all = await statementsOf(installation, url, token, { first: true })
      for (const statement of all.filter(isPage)) {
        const plan = await explained(client, id, statement)
        faults.push(...faultsOfPlan(plan).map((fault) => `${path}?${filter}: ${fault}`))
      }
    }
  }
  client.release()
  return faults
}

const isPage = (statement: Statement) => typeof statement === 'object' && statement.text.includes('total_count, page.*')

async function explained(client: PoolClient, organization_id: string, statement: Statement): Promise<PlanNode> {
  if (typeof statement === 'string') throw new Error('a page is read by a statement with values')
  await client.query(`begin; set local role stint_app; set local app.organization_id = '${organization_id}'`)
  const { text, values = [] } = statement
  const { rows } = await client.query({ text: `explain (analyze, timing off, format json) ${text}`, values })
  await client.query('rollback')
  return rows[0]['QUERY PLAN'][0].Plan
}
