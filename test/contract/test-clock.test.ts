import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isMutation } from '#core/operation.ts'
import { addDays } from '#core/values.ts'
import { sql } from '#db/database.ts'
import { contractBody, createContract } from '#test/factories.ts'
import { isWaitingForLock } from '#test/lock-wait.ts'
import { inOrganization, type TestService } from '#test/service.ts'
import { contractService } from './derived/contract-service.ts'
import { everyOperation, hasBody, holdsFor } from './derived/every-operation.ts'
import { realPath, referredRow } from './derived/rows.ts'
import { sampleInput } from './derived/sample-input.ts'
import { tokenFor } from './derived/tokens.ts'

const day_ms = 86_400_000

const { service, ours } = await contractService()

const inSandbox = async () => inOrganization(service, await service.createOrganization({ is_sandbox: true }))

const advance = (t: TestService, body: object, headers: Record<string, string> = {}) =>
  t.call('POST', '/sandbox/clock/advance', { body, headers })

/** Sends a clock on its way as a process does that is killed right after it. */
async function sendAway(t: TestService, to: string, headers: Record<string, string> = {}) {
  const { sandbox } = t.runtime.rooms
  const { arrive } = sandbox
  let calls = 0
  sandbox.arrive = async (id) => {
    calls += 1
    if (calls > 1) throw new Error('the process ends here')
    return arrive(id)
  }
  assert.equal((await advance(t, { to }, headers)).status, 500)
  sandbox.arrive = arrive
}

const later = (days: number) => new Date(service.clock.now() + days * day_ms).toISOString()

test('every change is refused while the clock moves, and changes nothing; reads go on', async () => {
  const changes = everyOperation.filter(isMutation).filter(({ id }) => id !== 'sandbox.advance_clock')
  const calls = new Map<string, () => ReturnType<TestService['call']>>()
  await holdsFor(changes, async (operation) => {
    const path = await realPath(service, ours, operation)
    const token = await tokenFor(service, ours, operation)
    const body = await sampleInput(service, operation, (field) => referredRow(service, ours, field))
    calls.set(operation.id, () => service.call(operation.method, path, { token, ...(hasBody(operation) && { body }) }))
  })
  const t = inOrganization(service, ours)
  await sendAway(t, later(30))
  await holdsFor(changes, async ({ id }) => {
    const { status, body } = (await calls.get(id)?.()) ?? {}
    assert.equal(`${status} ${body?.code}`, '409 clock_advancing')
  })
  assert.equal((await t.call('GET', '/contracts')).status, 200)
  await service.timers.runDue()
  assert.equal((await t.call('GET', '/sandbox/clock')).body.now, later(30))
  assert.equal((await t.call('POST', '/contracts', { body: contractBody(service) })).status, 201)
})

test('rows, events and `now` follow the clock; tokens, webhooks and the audit log go by real time', async () => {
  const t = await inSandbox()
  const now = later(400)
  const real = new Date(service.clock.now()).toISOString()
  await advance(t, { to: now })
  const { id, created_at, updated_at } = await createContract(t, { start_date: now.slice(0, 10) })
  assert.deepEqual({ created_at, updated_at }, { created_at: now, updated_at: now })
  const { body: token } = await t.call('POST', '/api-tokens', {
    body: { name: 'x', type: 'organization', scopes: ['contracts:read'] },
  })
  assert.equal(token.created_at, real)
  assert.equal((await t.call('GET', '/organizations')).body.data[0].clock_now, now)
  const { events, lines } = await t.database.database.transaction(
    { role: 'app', organization_id: t.organization.id },
    async (tx) => ({
      events: await tx.rows(sql`
        select event_type, occurred_at, recorded_at from events
        where organization_id = ${t.organization.id} order by event_type`),
      lines: await tx.rows(sql`
        select action, occurred_at from audit_entries where organization_id = ${t.organization.id} order by action`),
    }),
  )
  assert.deepEqual(events, [
    { event_type: 'api-token.created', occurred_at: real, recorded_at: real },
    { event_type: 'contract.created', occurred_at: now, recorded_at: real },
    { event_type: 'organization.clock.advanced', occurred_at: now, recorded_at: real },
    { event_type: 'person.created', occurred_at: now, recorded_at: real },
  ])
  for (const line of lines) assert.partialDeepStrictEqual(line, { occurred_at: real })
  assert.equal(lines.length, 4)
  assert.equal((await t.call('GET', `/contracts/${id}`)).body.created_at, now)
})

test('what a timer changes on the way is changed at the moment it was due, one moment after the other', async () => {
  const t = await inSandbox()
  const start_date = later(0).slice(0, 10)
  const ends = [20, 10].map((days) => later(days).slice(0, 10))
  for (const end_date of ends) {
    // Payroll is outside: no cycles, whose timers would fire too.
    const of_employee = { type: 'employee', compensation: { amount: '4200.00', currency: 'EUR' } }
    const dates = { start_date, end_date, external_id: end_date, timezone: 'UTC' }
    const { id } = await createContract(t, { ...of_employee, ...dates })
    await t.call('POST', `/contracts/${id}/sign`, { body: { signer_name: 'Nora Pine' } })
    await t.call('POST', `/sandbox/contracts/${id}/worker-signature`, { body: {} })
  }
  const { body } = await advance(t, { by: 'P30D' })
  assert.equal(body.fired_timers, 2)
  const { data } = (await t.call('GET', '/contracts')).body
  // Made at one moment of the clock, they are listed in an order of chance.
  const contracts = data.toSorted((a: { external_id: string }, b: typeof a) => (a.external_id < b.external_id ? -1 : 1))
  for (const { status, updated_at, external_id } of contracts) {
    const due_at = `${addDays(external_id, 1)}T00:00:00.000Z`
    assert.deepEqual({ status, updated_at }, { status: 'completed', updated_at: due_at })
  }
  const told = (await t.takeEvents()).filter(({ event_type }) => /completed|advanced/.test(event_type))
  assert.deepEqual(
    told.map(({ resource: [entry] }) => entry?.contract_id ?? entry?.now),
    [...contracts.map(({ id }: { id: string }) => id), body.now],
  )
})

test('a clock that was set stands, and a live organization and another sandbox notice nothing', async () => {
  const [t, other] = [await inSandbox(), await inSandbox()]
  await createContract(other, { end_date: later(20).slice(0, 10) })
  await advance(t, { by: 'P60D' })
  const { now } = (await t.call('GET', '/sandbox/clock')).body
  await service.clock.advance(day_ms)
  assert.equal((await t.call('GET', '/sandbox/clock')).body.now, now)
  const at = new Date(service.clock.now()).toISOString()
  assert.equal((await other.call('GET', '/sandbox/clock')).body.now, at)
  const live = inOrganization(service, await service.createOrganization())
  assert.equal((await createContract(live)).created_at, at)
})

test('a warning of a token comes by real time, and no advance brings it', async () => {
  const t = await inSandbox()
  const body = { name: 'x', type: 'organization', scopes: ['contracts:read'], expires_at: later(20) }
  assert.equal((await t.call('POST', '/api-tokens', { body })).status, 201)
  const { body: moved } = await advance(t, { by: 'P1Y' })
  assert.equal(moved.fired_timers, 0)
  await t.takeEvents()
  await service.clock.advance(7 * day_ms)
  await service.timers.runDue()
  assert.deepEqual(
    (await t.takeEvents()).map(({ event_type }) => event_type),
    ['api-token.expiring'],
  )
})

test('an advance that was cut off is finished by the next call, the same key answers the same, and nothing moves twice', async () => {
  const t = await inSandbox()
  const to = later(10)
  const key = { 'idempotency-key': 'one-advance' }
  await sendAway(t, to, key)
  const [first, second] = [await advance(t, { to }, key), await advance(t, { to }, key)]
  assert.deepEqual([first.status, first.body], [200, { now: to, fired_timers: 0 }])
  assert.equal(first.headers['idempotent-replayed'], 'true')
  assert.deepEqual(second.body, first.body)
  const events = (await t.takeEvents()).filter(({ event_type }) => event_type === 'organization.clock.advanced')
  assert.equal(events.length, 1)
  const again = await advance(t, { by: 'P1D' })
  assert.equal(again.body.now, new Date(Date.parse(to) + day_ms).toISOString())
})

test('an advance waits for a change that is under way, which so is made at one moment of the clock', async () => {
  const t = await inSandbox()
  const start = (await t.call('GET', '/sandbox/clock')).body.now
  let calls: Promise<unknown[]> = Promise.resolve([])
  await t.database.database.transaction({ role: 'owner' }, async (tx) => {
    // A lock of rows would find none where the owner of the tables does not pass row-level security.
    await tx.run(sql`lock table legal_entities in exclusive mode`)
    const change = createContract(t)
    await isWaitingForLock(t)
    calls = Promise.all([change, advance(t, { by: 'P1D' })])
    await isWaitingForLock(t, 2)
  })
  const [contract, advanced] = (await calls) as [{ created_at: string }, { status: number }]
  assert.deepEqual([contract.created_at, advanced.status], [start, 200])
})

test('advances at once come one after the other or are refused, and each is told of once', async () => {
  const t = await inSandbox()
  const start = (await t.call('GET', '/sandbox/clock')).body.now
  const done: { body: { now: string } }[] = []
  for (let round = 0; round < 10; round += 1) {
    const answers = await Promise.all(Array.from({ length: 4 }, () => advance(t, { by: 'PT1H' })))
    for (const { status, body } of answers) assert.ok(status === 200 || body.code === 'clock_advancing', body.code)
    done.push(...answers.filter(({ status }) => status === 200))
  }
  const arrivals = done.map(({ body }) => (Date.parse(body.now) - Date.parse(start)) / 3_600_000)
  assert.deepEqual(
    arrivals.toSorted((a, b) => a - b),
    done.map((_, at) => at + 1),
  )
  const { now } = (await t.call('GET', '/sandbox/clock')).body
  assert.equal(Date.parse(now) - Date.parse(start), done.length * 3_600_000)
  assert.equal((await t.takeEvents()).length, done.length)
})
