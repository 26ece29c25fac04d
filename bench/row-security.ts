import type { Benchmark, Extent, Outcome, Result } from './support/benchmark.ts'
import { fillContracts } from './support/contracts.ts'
import { openClient } from './support/https-client.ts'
import { type Installation, install } from './support/installation.ts'
import { newContracts } from './support/new-contract.ts'
import { createOrganization } from './support/organization.ts'
import { measureRounds, ratioOf, rowsOf } from './support/rounds.ts'

const contracts = 1_000
const concurrency = 8

/** G14: two installations that differ in one thing, whether PostgreSQL holds the rows of organizations apart. */
export const rowSecurity: Benchmark = {
  name: 'row-security',
  summary: 'G14: row-level security on against off, list and create',
  async run({ rounds, round_ms }: Extent): Promise<Result> {
    await using resources = new AsyncDisposableStack()
    const installations = [resources.use(await install()), resources.use(await install())] as const
    const [on, off] = installations
    await disableRowSecurity(off)
    const contend = async (installation: Installation, state: string) => {
      const { id, token } = await createOrganization(installation, 'Harbour Pine')
      await fillContracts(installation, id, contracts)
      const { origin, pid } = installation.service
      const client = resources.use(await openClient(installation, origin, token, concurrency))
      const contract = await newContracts(client)
      const create = () => client.call('POST', '/rest/v2/contracts', JSON.stringify(contract()))
      const list = () => client.call('GET', '/rest/v2/contracts?limit=50')
      return [
        { name: `list, ${state}`, pid, operate: list },
        { name: `create, ${state}`, pid, operate: create },
      ]
    }
    const protectedOnes = await contend(on, 'row-level security')
    const bareOnes = await contend(off, 'no row-level security')
    const databasePids = () => installations.flatMap(({ server }) => server.pids())
    const contenders = [...protectedOnes, ...bareOnes]
    const samples = await measureRounds(contenders, { rounds, round_ms, concurrency, databasePids })
    return {
      method: `requests per second over HTTPS, ${concurrency} at once, ${contracts} contracts at the start, two installations, ${rounds} interleaved rounds of ${round_ms} ms`,
      storage: on.server.description,
      rows: rowsOf(samples),
      outcomes: protectedOnes.flatMap((contender, index): Outcome[] => {
        const yardstick = bareOnes[index]
        if (!yardstick) return []
        const what = index === 0 ? 'list' : 'create'
        const rate = ratioOf(samples, contender, yardstick, 'per_s')
        const cpu = ratioOf(samples, contender, yardstick, 'database_us')
        return [
          {
            goal: 'G14',
            what: `rate of ${what}, row-level security on against off`,
            measured: rate,
            unit: '×',
            at_least: 0.9,
          },
          { goal: 'G14', what: `database CPU of ${what}, on against off`, measured: cpu, unit: '×' },
        ]
      }),
    }
  },
}

async function disableRowSecurity({ database }: Installation): Promise<void> {
  const client = await database.connect()
  await client.query(`do $$
    declare
      name regclass;
    begin
      for name in select oid from pg_class where relrowsecurity loop
        execute format('alter table %s disable row level security', name);
      end loop;
    end
    $$`)
  client.release()
}
