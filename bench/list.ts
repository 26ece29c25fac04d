import { type BareServerOrder, startBareServer } from './support/bare-server.ts'
import type { Benchmark, Extent, Outcome, Result } from './support/benchmark.ts'
import { fillContracts } from './support/contracts.ts'
import { openClient } from './support/https-client.ts'
import { install } from './support/installation.ts'
import { createOrganization } from './support/organization.ts'
import { measureRounds, ratioOf, rowsOf } from './support/rounds.ts'
import { statementsOf } from './support/statements.ts'

const path = '/rest/v2/contracts?limit=50'
const contracts = 1_000
const concurrency = 8
const at_most = 1.25

/** G7: what the service adds to an authenticated list, in CPU time of its process. */
export const list: Benchmark = {
  name: 'list',
  summary: 'G7: authenticated list of 50 contracts over HTTPS against bare handlers with the same SQL',
  async run({ rounds, round_ms }: Extent): Promise<Result> {
    await using resources = new AsyncDisposableStack()
    const installation = resources.use(await install())
    const organization = await createOrganization(installation, 'Harbour Pine')
    await fillContracts(installation, organization.id, contracts)
    const contend = async (name: string, { pid, origin }: { pid: number; origin: string }) => {
      const client = resources.use(await openClient(installation, origin, organization.token, concurrency))
      const bytes = (await client.call('GET', path)).length
      return { name: `${name} (${bytes} bytes)`, pid, operate: () => client.call('GET', path) }
    }
    const bare = async (name: string, order: Pick<BareServerOrder, 'framework' | 'statements' | 'session'>) =>
      contend(name, resources.use(await startBareServer(installation, order)))

    const all = await statementsOf(installation, path, organization.token)
    const page = all.filter(
      (statement) => typeof statement === 'object' && statement.text.includes('total_count, page.*'),
    )
    const session = `set role stint_app; set app.organization_id = '${organization.id}'`
    const stint = await contend('Stint', installation.service)
    const yardsticks = {
      'bare node:https, same statements': await bare('node:https, same statements', {
        framework: 'node:https',
        statements: all,
        session: '',
      }),
      'bare node:https, the list statement alone': await bare('node:https, list statement', {
        framework: 'node:https',
        statements: page,
        session,
      }),
      'bare Fastify, the list statement alone': await bare('Fastify, list statement', {
        framework: 'fastify',
        statements: page,
        session,
      }),
    }
    const databasePids = installation.server.pids
    const contenders = [stint, ...Object.values(yardsticks)]
    const samples = await measureRounds(contenders, { rounds, round_ms, concurrency, databasePids })
    return {
      method: `CPU µs of the serving process per GET ${path}, ${contracts} contracts, ${concurrency} keep-alive TLS connections, ${rounds} interleaved rounds of ${round_ms} ms`,
      storage: installation.server.description,
      rows: rowsOf(samples),
      outcomes: Object.entries(yardsticks).map(([what, yardstick]): Outcome => {
        const measured = ratioOf(samples, stint, yardstick, 'service_us')
        return { goal: 'G7', what: `CPU against ${what}`, measured, unit: '×', at_most }
      }),
    }
  },
}
