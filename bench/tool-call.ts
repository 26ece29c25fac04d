import { startBareToolServer } from './support/bare-server.ts'
import type { Benchmark, Extent, Outcome, Result } from './support/benchmark.ts'
import { fillContracts } from './support/contracts.ts'
import { openClient } from './support/https-client.ts'
import { install } from './support/installation.ts'
import { listCalls } from './support/list-calls.ts'
import { createOrganization, createPersonalToken } from './support/organization.ts'
import { type Contender, measureRounds, ratioOf, rowsOf, type Samples } from './support/rounds.ts'
import { statementsOf } from './support/statements.ts'
import { type Spread, spreadOf } from './support/statistics.ts'

const contracts = 1_000
const rows = 20
const concurrency = 8
const rate_at_least = 0.8
const beyond_list_us_max = 1_000
const list_path = `/rest/v2/contracts?limit=${rows}`

/**
 * G9: what the service around a tool call leaves of the rate of the SDK with a bare handler. As in G7, that one runs the same
 * statements; one that asks no database at all is measured beside it, and the same list over REST.
 */
export const toolCall: Benchmark = {
  name: 'tool-call',
  summary: 'G9: authenticated list_contracts, 20 rows, in both eras, against the SDK with a bare handler',
  async run({ rounds, round_ms }: Extent): Promise<Result> {
    await using resources = new AsyncDisposableStack()
    const installation = resources.use(await install())
    const organization = await createOrganization(installation, 'Harbour Pine')
    await fillContracts(installation, organization.id, contracts)
    const token = await createPersonalToken(installation, organization.id)
    const { service } = installation
    const statements = await statementsOf(installation, list_path, token)
    const outcomes: Outcome[] = []
    const measured: Result['rows'] = []
    for (const [era, { body, headers }] of Object.entries(listCalls(rows))) {
      const contend = async (name: string, { pid, origin }: { pid: number; origin: string }) => {
        const client = resources.use(await openClient(installation, origin, token, concurrency, headers))
        return { name: `${name}, ${era}`, pid, operate: () => client.call('POST', '/mcp', body) }
      }
      const stint = await contend('Stint', service)
      const { result } = JSON.parse(String(await stint.operate()))
      const bare = async (name: string, order: { statements: typeof statements }) =>
        contend(name, resources.use(await startBareToolServer(installation, { result, ...order })))
      const same = await bare('SDK, same statements', { statements })
      const alone = await bare('SDK, no database', { statements: [] })
      const list = resources.use(await openClient(installation, service.origin, token, concurrency))
      const rest = {
        name: `GET /contracts, ${era}`,
        pid: service.pid,
        operate: () => list.call('GET', list_path),
      }
      const samples = await measureRounds([stint, same, alone, rest], {
        rounds,
        round_ms,
        concurrency,
        databasePids: installation.server.pids,
      })
      measured.push(...rowsOf(samples))
      for (const [what, yardstick] of Object.entries({
        'running the same statements': same,
        'asking no database': alone,
      })) {
        outcomes.push({
          goal: 'G9',
          what: `rate in ${era} against the SDK with a bare handler ${what}`,
          measured: ratioOf(samples, stint, yardstick, 'per_s'),
          unit: '×',
          at_least: rate_at_least,
        })
      }
      outcomes.push({
        goal: 'G9',
        what: `CPU of service and database in ${era} beyond GET /contracts`,
        measured: cpuBeyond(samples, stint, [rest]),
        unit: 'µs',
        at_most: beyond_list_us_max,
      })
      const cost = ratioOf(samples, stint, rest, 'service_us')
      outcomes.push({ goal: '', what: `CPU in ${era} against GET /contracts`, measured: cost, unit: '×' })
      const both = cpuBeyond(samples, stint, [alone, rest])
      outcomes.push({ goal: '', what: `CPU in ${era} beyond list and SDK together`, measured: both, unit: 'µs' })
    }
    return {
      method: `POST /mcp tools/call list_contracts of ${rows} rows, ${contracts} contracts, ${concurrency} keep-alive TLS connections, ${rounds} interleaved rounds of ${round_ms} ms`,
      storage: installation.server.description,
      rows: measured,
      outcomes,
    }
  },
}

/** CPU µs of service and database per call beyond what others take, which are measured on connections of their own. */
function cpuBeyond(samples: Samples, own: Contender, others: readonly Contender[]): Spread {
  const cpu = (contender: Contender, round: number) => {
    const { service_us = Number.NaN, database_us = Number.NaN } = samples.get(contender)?.[round] ?? {}
    return service_us + database_us
  }
  const rounds = (samples.get(own) ?? []).map((_, round) => round)
  return spreadOf(
    rounds.map((round) => cpu(own, round) - others.reduce((sum, contender) => sum + cpu(contender, round), 0)),
  )
}
