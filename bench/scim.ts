import { sql } from '#db/database.ts'
import { atRate } from './support/at-rate.ts'
import type { Benchmark, Extent, Outcome, Result } from './support/benchmark.ts'
import { type HttpsClient, openClient } from './support/https-client.ts'
import { type Installation, install } from './support/installation.ts'
import { type BenchOrganization, createOrganization } from './support/organization.ts'
import { fillPeople } from './support/people.ts'
import { interleave, measure, ratioOf, rowsOf, type Sample } from './support/rounds.ts'
import { faultsOfFilters } from './support/scim-plans.ts'
import { percentile, spreadOf } from './support/statistics.ts'

const few_people = 1_000
const callers = 8
const members = 5_000
const calls_alone = 100
const mixed_per_s = 50
const mixed_s = 10
const growth_max = 1.2
const unlimited = { STINT_RATE_LIMIT_SCIM: '1000000' }

interface Filled {
  installation: Installation
  organization: BenchOrganization
  client: HttpsClient
  people: number
}

/** Provisioning beside few people and beside many. */
export const scim: Benchmark = {
  name: 'scim',
  summary:
    'provisioning: create, look-up, PATCH and a page at 1,000,000 people against 1,000; 5,000 members; 50 mixed a second',
  async run({ rounds, round_ms, rows }: Extent): Promise<Result> {
    await using resources = new AsyncDisposableStack()
    const open = async (people: number): Promise<Filled> => {
      const installation = resources.use(await install(unlimited))
      const organization = await createOrganization(installation, `${people} people`)
      await fillPeople(installation, organization.id, people)
      const { origin } = installation.service
      return {
        installation,
        organization,
        people,
        client: resources.use(await openClient(installation, origin, organization.token, callers)),
      }
    }
    const [few, some, many] = [await open(few_people), await open(rows / 10), await open(rows)]
    console.log('filled')
    const [small, large] = [contendersOf(few), contendersOf(many)]
    const samples = await interleave([...small, ...large], rounds, ({ take }) => take(round_ms))
    for (const taken of samples.values())
      for (const sample of taken) Object.assign(sample, { cpu_us: sample.service_us + sample.database_us })
    const growth = large.flatMap((contender, at): Outcome[] => {
      const yardstick = small[at]
      if (!yardstick) return []
      // The cast holds because each sample has it since just now.
      const with_cpu = samples as never as ReadonlyMap<typeof contender, (Sample & { cpu_us: number })[]>
      const measured = ratioOf(with_cpu, contender, yardstick, 'cpu_us')
      // A page tells how many there are in all, and those are counted.
      const limit = contender.what === page ? {} : { at_most: growth_max }
      return [{ goal: 'SCIM', what: `CPU of ${contender.what}`, measured, unit: '×', ...limit }]
    })
    // Before so many change at once that any window of time holds thousands.
    const faults = await faultsOfFilters(many.installation, many.organization)
    for (const fault of faults) console.log(fault)
    const at = ({ people }: Filled) => `${people} people`
    const { someone, find, list } = requestsOf(some)
    const outcome = (what: string, ms: readonly number[], at_most?: number): Outcome => ({
      ...{ goal: 'SCIM', what, measured: spreadOf(ms), unit: 'ms', ...(at_most !== undefined && { at_most }) },
    })
    const p95 = (ms: readonly number[]) => [percentile(ms, 95)]
    const outcomes = [
      ...growth,
      outcome(`p95 of userName eq, one at a time, ${at(some)}`, p95(await oneByOne(() => find(someone()))), 20),
      outcome(`p95 of a page of 100, one at a time, ${at(some)}`, p95(await oneByOne(list)), 150),
      outcome(`replacing ${members} members, ${at(some)}`, await replaceMembers(some), 2_000),
      outcome(`replacing ${members} members, ${at(many)}`, await replaceMembers(many), 2_000),
      outcome(`p95 of ${mixed_per_s} mixed a second, none failed, ${at(some)}`, p95(await mix(some))),
    ]
    const plans = { goal: 'SCIM', what: 'filters that read more people than they find', unit: '', at_most: 0 }
    return {
      method: `CPU of service and database per request over HTTPS, ${callers} at once, ${rows} people against ${few_people} in another installation, ${rounds} interleaved rounds of ${round_ms} ms; latencies of ${calls_alone} calls; ${members} members replaced by as many others in one PATCH; look-ups, creates, PATCHes and pages at ${mixed_per_s}/s for ${mixed_s} s, each of which has to succeed; plans by explain analyze`,
      storage: many.installation.server.description,
      rows: rowsOf(samples),
      outcomes: [...outcomes, { ...plans, measured: spreadOf([faults.length]) }],
    }
  },
}

/** The time that each call takes while nothing else is done. */
async function oneByOne(call: () => Promise<unknown>): Promise<number[]> {
  const taken_ms: number[] = []
  for (let calls = 0; calls < calls_alone; calls += 1) {
    const began_ms = performance.now()
    await call()
    taken_ms.push(performance.now() - began_ms)
  }
  return taken_ms
}

const page = 'page of 100'
const users = '/scim/v2/Users'
let made = 0

/** The requests of a provider, each about another person; the ids are those that look-ups tell. */
function requestsOf({ client, people }: Filled) {
  const someone = () => `mira.sato.${1 + Math.floor(Math.random() * people)}@example.org`
  const find = async (userName: string) => {
    const filter = encodeURIComponent(`userName eq "${userName}"`)
    const { Resources } = JSON.parse(String(await client.call('GET', `${users}?filter=${filter}`)))
    return String(Resources[0].id)
  }
  const create = async () => {
    made += 1
    const userName = `ana.alder.${made}@example.org`
    const body = {
      ...{ userName, externalId: `new-${made}`, displayName: 'Ana Alder', active: true },
      name: { givenName: 'Ana', familyName: `Alder ${made}` },
      emails: [{ value: userName, type: 'work', primary: true }],
      'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': {
        employeeNumber: `${made}`,
        manager: { value: `mira.sato.1@example.org` },
      },
    }
    await client.call('POST', users, JSON.stringify(body))
  }
  const patch = (id: string) => {
    made += 1
    const Operations = [{ op: 'Replace', path: 'title', value: `Clerk ${made}` }]
    return client.call('PATCH', `${users}/${id}`, JSON.stringify({ Operations }))
  }
  return { someone, find, create, patch, list: () => client.call('GET', `${users}?count=100`) }
}

interface Contender {
  what: string
  name: string
  take(round_ms: number): Promise<Sample>
}

function contendersOf(filled: Filled): Contender[] {
  const { installation, people } = filled
  const { someone, find, create, patch, list } = requestsOf(filled)
  const ids: string[] = []
  const contend = (what: string, operate: () => Promise<unknown>, before = async () => {}): Contender => ({
    ...{ what, name: `${what}, ${people} people` },
    async take(round_ms) {
      await before()
      const order = { round_ms, concurrency: callers, databasePids: installation.server.pids }
      return measure({ name: what, pid: installation.service.pid, operate }, order)
    },
  })
  /** People to change, found beforehand. */
  const findSome = async () => {
    while (ids.length < 200) ids.push(await find(someone()))
  }
  let turn = 0
  return [
    contend('create', create),
    contend('userName eq', () => find(someone())),
    contend('PATCH', () => patch(ids[turn++ % ids.length] ?? ''), findSome),
    contend(page, list),
  ]
}

/** Replaces the members of a group by as many others, three times; answers how long each took. */
async function replaceMembers({ client, installation, organization }: Filled): Promise<number[]> {
  const ids = await someIds(installation, organization.id, 2 * members)
  const halves = [ids.slice(0, ids.length / 2), ids.slice(ids.length / 2)].map((half) =>
    half.map((value) => ({ value })),
  )
  const body = { displayName: 'Everybody', members: halves[0] }
  const { id } = JSON.parse(String(await client.call('POST', '/scim/v2/Groups', JSON.stringify(body))))
  const taken_ms: number[] = []
  for (const half of [1, 0, 1]) {
    const Operations = [{ op: 'replace', path: 'members', value: halves[half] }]
    const began_ms = performance.now()
    await client.call('PATCH', `/scim/v2/Groups/${id}`, JSON.stringify({ Operations }))
    taken_ms.push(performance.now() - began_ms)
  }
  return taken_ms
}

async function someIds({ database }: Installation, organization_id: string, count: number): Promise<string[]> {
  const rows = await database.transaction({ role: 'app', organization_id, read_only: true }, (tx) =>
    tx.rows<{ id: string }>(sql`
      select id from people where organization_id = ${organization_id} order by created_at limit ${count}`),
  )
  return rows.map(({ id }) => id)
}

/** Requests of every kind at a fixed rate; throws at the first that fails. */
async function mix(filled: Filled): Promise<number[]> {
  const { someone, find, create, patch, list } = requestsOf(filled)
  const kinds = [() => find(someone()), create, async () => patch(await find(someone())), () => find(someone()), list]
  const taken_ms: number[] = []
  await atRate(mixed_per_s, mixed_per_s * mixed_s, async (tick) => {
    const began_ms = performance.now()
    await kinds[tick % kinds.length]?.()
    taken_ms.push(performance.now() - began_ms)
  })
  return taken_ms
}
