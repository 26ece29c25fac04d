import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { timers } from '#boot/operations.ts'
import { createTimerJob } from '#core/jobs/fire-timers.ts'
import { addDays } from '#core/values.ts'
import { raw, sql } from '#db/database.ts'
import { createContract, workerLogin } from '#test/factories.ts'
import { inOrganization, type TestService, useTestService } from '#test/service.ts'

const whole_days = 120

/** A contract and when, in days from now, things of it fall due; two at one moment come often. */
const contracts = fc.array(
  fc.record({
    is_signed: fc.boolean(),
    ends_in: fc.option(fc.integer({ min: 40, max: 200 })),
    leaves_in: fc.option(fc.integer({ min: 1, max: 60 })),
    amended_in: fc.option(fc.constantFrom(31, 62, 92)),
  }),
  { minLength: 1, maxLength: 4 },
)
/** The days at which the way is cut into steps, and how many sweeps run beside each. */
const cuts = fc.array(fc.record({ day: fc.integer({ min: 1, max: whole_days - 1 }), sweeps: fc.nat({ max: 2 }) }), {
  maxLength: 5,
})
/** Contracts that come to all that a history is to come to, whatever chance makes of the others. */
const nothing = { is_signed: true, ends_in: null, leaves_in: null, amended_in: null }
const telling = [
  { ...nothing, ends_in: 60 },
  { ...nothing, leaves_in: 40 },
  { ...nothing, amended_in: 62 as const },
  { ...nothing, is_signed: false },
]
type Story = typeof contracts extends fc.Arbitrary<infer Value> ? Value : never

async function play(t: TestService, story: Story, start: string): Promise<void> {
  const post = async (path: string, body: object, token = t.organization.token) => {
    const answer = await t.call('POST', path, { body, token })
    assert.ok(answer.status < 300, `${path} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const today = start.slice(0, 10)
  for (const [place, { is_signed, ends_in, leaves_in, amended_in }] of story.entries()) {
    // Ids of one millisecond are in an order of chance, and what falls due at once goes by them.
    await t.clock.set(new Date(Date.parse(start) + place).toISOString())
    const { id, worker_id } = await createContract(t, {
      external_id: `C${place}`,
      start_date: today,
      end_date: ends_in === null ? null : addDays(today, ends_in),
      worker: { first_name: 'Jo', last_name: 'Weber', email: `jo-${place}@harbour.example`, country: 'DE' },
    })
    if (!is_signed) {
      await post(`/contracts/${id}/invite`, {})
      continue
    }
    await post(`/contracts/${id}/sign`, { signer_name: 'Nora Pine' })
    const worker = await workerLogin(t, worker_id)
    await post(`/worker/contracts/${id}/sign`, { signer_name: 'Jo Weber', terms_version: 1 }, worker)
    if (amended_in !== null) {
      const amendments = `/contracts/${id}/amendments`
      const effective_date = addDays(today.replace(/..$/, '01'), amended_in).replace(/..$/, '01')
      const draft = { effective_date, terms: { amount: '4800.00' } }
      const { status, body } = await t.call('POST', amendments, { body: draft })
      if (status === 201) {
        await post(`${amendments}/${body.id}/sign`, { signer_name: 'Nora Pine' })
        const { terms_version } = body
        await post(`/worker${amendments}/${body.id}/sign`, { signer_name: 'Jo Weber', terms_version }, worker)
      }
    }
    if (leaves_in === null) continue
    const completion_date = addDays(today, leaves_in)
    await t.call('POST', `/contracts/${id}/terminate`, { body: { type: 'resignation', completion_date } })
  }
}

async function go(t: TestService, to: string, sweeps: number): Promise<void> {
  const sweep = () => t.timers.runDue()
  const [answer] = await Promise.all([
    t.call('POST', '/sandbox/clock/advance', { body: { to } }),
    ...Array.from({ length: sweeps }, sweep),
  ])
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
}

const told_by_chance = new Set(['invitation_sealed', 'digest', 'fired'])
const uuid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** All business rows and events of an organization, without what differs by chance. */
async function stateOf(
  { database, organization: { id } }: TestService,
  ignored: ReadonlySet<string> = new Set(),
): Promise<string[]> {
  const rows = await database.database.transaction({ role: 'owner' }, async (tx) => {
    const tables = await tx.rows<{ name: string }>(sql`
      select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id'
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and not c.relispartition
        and has_table_privilege('stint_operator', c.oid, 'delete') and c.relname !~ '^(access_tokens|oauth_)'
      union select 'events' union select 'sandbox_clocks'`)
    const all: [string, object][] = []
    for (const { name } of tables) {
      if (name === 'timers') continue
      const found = await tx.rows<{ row: object }>(sql`
        select to_jsonb(t) as row from ${raw(name)} t where organization_id = ${id}`)
      all.push(...found.map(({ row }): [string, object] => [name, row]))
    }
    return all
  })
  return rows
    .filter(([table, row]) => table !== 'events' || !JSON.stringify(row).includes('organization.clock.advanced'))
    .map(([table, row]) => {
      const kept = Object.fromEntries(Object.entries(row).filter(([column]) => !told_by_chance.has(column)))
      const text = JSON.stringify(kept, (name, value) => (ignored.has(name) ? undefined : value))
      return `${table} ${text.replaceAll(uuid, 'id')}`
    })
    .sort()
}

test('advancing in one step or in many, with sweeps beside it, gives the same business rows and events', async (t) => {
  const service = await useTestService(t)
  const start = '2026-06-01T06:00:00.000Z'
  await service.clock.set(start)
  const at = (day: number) => `${addDays(start.slice(0, 10), day)}${start.slice(10)}`
  const told = new Set<string>()
  const property = fc.asyncProperty(contracts, cuts, async (story, steps) => {
    const pair = [1, 2].map(async () => inOrganization(service, await service.createOrganization({ is_sandbox: true })))
    const [once, often] = await Promise.all(pair)
    assert.ok(once && often)
    for (const each of [once, often]) await play(each, story, start)
    await go(once, at(whole_days), 0)
    const days = new Map(steps.map(({ day, sweeps }) => [day, sweeps]))
    for (const [day, sweeps] of [...days].sort(([a], [b]) => a - b)) await go(often, at(day), sweeps)
    await go(often, at(whole_days), 2)
    assert.deepEqual(await stateOf(often), await stateOf(once))
    for (const { event_type } of await once.takeEvents()) told.add(event_type)
  })
  await fc.assert(property, { numRuns: 15, examples: [[telling, [{ day: 20, sweeps: 1 }]]] })
  for (const type of ['contract.completed', 'contract.terminated', 'contract.amended', 'contract.invitation.expired']) {
    assert.ok(told.has(type), `no history came to ${type}: ${[...told].join(' ')}`)
  }
})

/**
 * Columns, and members of events, that tell when a change was made, and the places of
 * invoices and bookings, which one that failed at first has behind its neighbours. Dates and events are those of the time it was due.
 */
const of_the_run: ReadonlySet<string> = new Set([
  ...['created_at', 'updated_at', 'recorded_at'],
  ...['number', 'description', 'sequence', 'previous_sequence', 'balance_after'],
])

/** Any number; with the hash of an organization it names the lock under which its timers fire. */
const firing_lock = 7_316_413

/** Keeps every sweep away from an organization while `work` runs. */
function withoutSweeps({ database, organization: { id } }: TestService, work: () => Promise<void>): Promise<void> {
  return database.database.transaction({ role: 'owner' }, async (tx) => {
    await tx.run(sql`select pg_advisory_xact_lock(${firing_lock}, hashtext(${id}))`)
    await work()
  })
}

test('a sweep that runs late, in parallel and again after faults gives the same business rows and events', async (t) => {
  const service = await useTestService(t)
  const fault = { in: 0 }
  const { fanOut } = service.runtime
  const faulty: typeof fanOut = async (...given) => {
    fault.in -= 1
    if (fault.in === 0) throw new Error('the process ends here')
    return fanOut(...given)
  }
  const late = createTimerJob({ ...service.runtime, fanOut: faulty }, timers)
  const property = fc.asyncProperty(contracts, fc.integer({ min: 1, max: 6 }), async (story, fails_at) => {
    const start = new Date(service.clock.now()).toISOString()
    const [punctual, behind] = [await service.createOrganization(), await service.createOrganization()].map((each) =>
      inOrganization(service, each),
    )
    assert.ok(punctual && behind)
    for (const each of [punctual, behind]) await play(each, story, start)
    await withoutSweeps(behind, async () => {
      for (let day = 0; day < whole_days; day += 1) {
        await service.clock.advance(86_400_000)
        await service.timers.runDue()
      }
    })
    fault.in = fails_at
    await Promise.all([late.runDue(), late.runDue()])
    // Past the pause after a failure.
    await service.clock.advance(3_600_000)
    await Promise.all([late.runDue(), service.timers.runDue()])
    assert.deepEqual(await stateOf(behind, of_the_run), await stateOf(punctual, of_the_run))
  })
  await fc.assert(property, { numRuns: 8 })
})
