import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { createTimerJob } from '#core/jobs/fire-timers.ts'
import { cancelTimer, defineTimer, setTimer, type Timer, type TimerDefinition } from '#core/jobs/timer.ts'
import { createRegistry } from '#core/registry.ts'
import { Id, Type } from '#core/schema/schema.ts'
import { sql } from '#db/database.ts'
import { startTestService, type TestOrganization, type TestService } from '#test/service.ts'
import { defineEvent } from '../operation.ts'
import { newId } from '../values.ts'

const minute_ms = 60_000
const hour_ms = 60 * minute_ms

const rang = defineEvent({
  type: 'bell.rang',
  module: 'test',
  summary: 'A bell rang.',
  entry: Type.Object({ bell_id: Id, at: Type.String() }),
  example: { bell_id: '019c8b12-40a6-7f03-b2d8-91c5e6a7304d', at: '2026-03-02T09:00:00.000Z' },
})

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

let organization: TestOrganization
/** The bells that rang, in order, as `name of the bell` or its id. */
let rung: string[]
/** Bells that fail as long as they are in here, each with what happens before the failure. */
let broken: Map<string, (timer: Timer) => Promise<void>>
beforeEach(async () => {
  organization = await service.createOrganization()
  rung = []
  broken = new Map()
})

const bell = defineTimer({
  kind: 'bell',
  priority: 2,
  subject: 'bells',
  emits: [rang],
  async fire(timer, { tx, now, emit, audit }) {
    emit(rang, { bell_id: timer.subject_id, at: now })
    audit({ changed_fields: ['rung_at'] })
    // A row of the effect, so that a rollback can be seen.
    await tx.run(sql`update organizations set name = ${timer.subject_id} where id = ${timer.organization_id}`)
    await broken.get(timer.subject_id)?.(timer)
    rung.push(timer.subject_id)
  },
})

function timersOf(...definitions: readonly TimerDefinition[]): ReturnType<typeof createTimerJob> {
  return createTimerJob({ ...service.runtime, registry: createRegistry([], [rang]) }, definitions)
}

async function setBell(minutes: number, options: Partial<Timer> = {}): Promise<string> {
  const { organization_id = organization.id, subject_id = newId(service.clock.now()) } = options
  await service.runtime.database.transaction({ role: 'app', organization_id }, (tx) =>
    setTimer(tx, {
      organization_id,
      kind: 'bell',
      priority: 2,
      subject_id,
      sequence_id: null,
      due_at: new Date(service.clock.now() + minutes * minute_ms).toISOString(),
      ...options,
    }),
  )
  return subject_id
}

function read<Row extends object>(query: ReturnType<typeof sql>, organization_id = organization.id): Promise<Row[]> {
  return service.runtime.database.transaction({ role: 'app', organization_id, read_only: true }, (tx) =>
    tx.rows<Row>(query),
  )
}

const stateOf = async (subject_id: string, organization_id = organization.id) => {
  const query = sql`
    select fired_at is not null as fired, failures, extract(epoch from retry_at - app_now())::int as retry_in_s
    from timers where organization_id = ${organization_id} and subject_id = ${subject_id}`
  return (await read<{ fired: boolean; failures: number; retry_in_s: number | null }>(query, organization_id))[0]
}

const fails = async () => {
  throw new Error('the bell is cracked')
}

test('a timer fires when it is due, not before, and once', async () => {
  const timers = timersOf(bell)
  const id = await setBell(10)
  await service.clock.advance(10 * minute_ms - 1)
  assert.equal(await timers.runDue(), 0)
  await service.clock.advance(1)
  assert.equal(await timers.runDue(), 1)
  await service.clock.advance(hour_ms)
  assert.equal(await timers.runDue(), 0)
  assert.deepEqual(rung, [id])
})

test('effect, event and audit line carry the system, and business time is the time the timer was due', async () => {
  const id = await setBell(10)
  const due_at = new Date(service.clock.now() + 10 * minute_ms).toISOString()
  await service.clock.advance(3 * 24 * hour_ms)
  await timersOf(bell).runDue()
  assert.deepEqual(await service.takeEvents(organization.id), [
    { event_type: 'bell.rang', resource: [{ bell_id: id, at: due_at }] },
  ])
  assert.deepEqual(
    await read(sql`select occurred_at, recorded_at from events where organization_id = ${organization.id}`),
    [{ occurred_at: due_at, recorded_at: new Date(service.clock.now()).toISOString() }],
  )
  const [line, ...others] = await read(sql`
    select occurred_at, actor, action, subject_kind, subject_id, changed_fields, credential_id, request_id
    from audit_entries where organization_id = ${organization.id}`)
  assert.deepEqual(others, [])
  assert.deepEqual(line, {
    occurred_at: new Date(service.clock.now()).toISOString(),
    actor: { id: null, kind: 'system', name: 'System' },
    action: 'bell',
    subject_kind: 'bells',
    subject_id: id,
    changed_fields: ['rung_at'],
    credential_id: null,
    request_id: null,
  })
})

test('due timers fire by time, then priority, then contract, then id', async () => {
  const gong = { ...bell, kind: 'gong', priority: 1 }
  const [first, second] = [newId(service.clock.now()), newId(service.clock.now())]
  const expected = [
    ['late', { minutes: 3, kind: 'bell', priority: 2, sequence_id: first }],
    ['without a sequence', { minutes: 2, kind: 'bell', priority: 2, sequence_id: null }],
    ['second sequence', { minutes: 2, kind: 'bell', priority: 2, sequence_id: second }],
    ['first sequence', { minutes: 2, kind: 'bell', priority: 2, sequence_id: first }],
    ['higher priority', { minutes: 2, kind: 'gong', priority: 1, sequence_id: second }],
    ['early', { minutes: 1, kind: 'bell', priority: 2, sequence_id: second }],
  ] as const
  const names = new Map<string, string>()
  for (const [name, { minutes, ...options }] of expected) names.set(await setBell(minutes, options), name)
  await service.clock.advance(hour_ms)
  assert.equal(await timersOf(bell, gong).runDue(), 6)
  assert.deepEqual(
    rung.map((id) => names.get(id)),
    expected.map(([name]) => name).toReversed(),
  )
})

test('what a timer sets for a time that has passed fires in the same run', async () => {
  const cascade = defineTimer({
    kind: 'cascade',
    priority: 1,
    subject: 'bells',
    async fire(timer, { tx, now }) {
      const next = Date.parse(now) + hour_ms
      rung.push(now)
      await setTimer(tx, { ...timer, subject_id: newId(next), due_at: new Date(next).toISOString() })
    },
  })
  await setBell(60, { kind: 'cascade', priority: 1 })
  const start = service.clock.now()
  await service.clock.advance(3 * hour_ms + minute_ms)
  assert.equal(await timersOf(cascade).runDue(), 3)
  assert.deepEqual(
    rung,
    [1, 2, 3].map((hours) => new Date(start + hours * hour_ms).toISOString()),
  )
})

test('a failure leaves nothing behind but its note, and retries come after growing pauses up to an hour', async () => {
  const timers = timersOf(bell)
  const id = await setBell(0)
  broken.set(id, fails)
  const pauses_s: (number | null | undefined)[] = []
  for (let failures = 1; failures <= 14; failures += 1) {
    assert.equal(await timers.runDue(), 0)
    const state = await stateOf(id)
    assert.equal(state?.failures, failures)
    pauses_s.push(state?.retry_in_s)
    await service.clock.advance((state?.retry_in_s ?? 0) * 1_000 - 1)
    await timers.runDue()
    assert.equal((await stateOf(id))?.failures, failures, 'it was tried before its time')
    await service.clock.advance(1)
  }
  assert.deepEqual(pauses_s, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 3600, 3600])
  assert.deepEqual(await service.takeEvents(organization.id), [])
  assert.deepEqual(await read(sql`select name from organizations`), [{ name: 'Harbour Pine' }])
  broken.clear()
  assert.equal(await timers.runDue(), 1)
  assert.equal((await stateOf(id))?.fired, true)
})

test('a failed timer holds back its contract and nothing else', async () => {
  const timers = timersOf(bell)
  const [sequence_id, other] = [newId(service.clock.now()), newId(service.clock.now())]
  const elsewhere = await service.createOrganization()
  const first = await setBell(1, { sequence_id })
  const second = await setBell(2, { sequence_id })
  const ofOther = await setBell(3, { sequence_id: other })
  const ofNone = await setBell(3)
  const away = await setBell(4, { organization_id: elsewhere.id })
  broken.set(first, fails)
  await service.clock.advance(hour_ms)
  assert.equal(await timers.runDue(), 3)
  assert.deepEqual(new Set(rung), new Set([ofOther, ofNone, away]))
  broken.clear()
  await service.clock.advance(1_000)
  assert.equal(await timers.runDue(), 2)
  assert.deepEqual(rung.slice(3), [first, second])
})

test('parallel runs of several processes fire each timer once and in order', async () => {
  const sequence_id = newId(service.clock.now())
  const ids: string[] = []
  for (let minute = 0; minute < 12; minute += 1) ids.push(await setBell(minute, { sequence_id }))
  await service.clock.advance(hour_ms)
  const fired = await Promise.all([1, 2, 3, 4].map(() => timersOf(bell).runDue()))
  assert.equal(
    fired.reduce((all, one) => all + one),
    12,
  )
  assert.deepEqual(rung, ids)
  assert.equal((await service.takeEvents(organization.id)).length, 12)
})

test('a timer that is cancelled or moved while it is about to fire has no effect', async () => {
  const timers = timersOf(bell)
  const inAnother = (change: (timer: Timer) => Promise<void>) => (timer: Timer) => change(timer)
  const cancelled = await setBell(1)
  broken.set(
    cancelled,
    inAnother((timer) =>
      service.runtime.database.transaction({ role: 'app', organization_id: organization.id }, (tx) =>
        cancelTimer(tx, timer),
      ),
    ),
  )
  const moved = await setBell(1)
  broken.set(
    moved,
    inAnother(async () => void (await setBell(120, { subject_id: moved }))),
  )
  await service.clock.advance(hour_ms)
  assert.equal(await timers.runDue(), 0)
  assert.deepEqual(await service.takeEvents(organization.id), [])
  assert.equal((await stateOf(cancelled))?.fired, false)
  broken.clear()
  await service.clock.advance(2 * hour_ms)
  assert.equal(await timers.runDue(), 1)
  assert.equal(rung.at(-1), moved)
})

test('a run broken off in the middle fires the rest when it runs again', async () => {
  const ids = [await setBell(1), await setBell(2), await setBell(3)]
  const [, middle = ''] = ids
  const timers = timersOf(bell)
  broken.set(middle, async () => {
    // The server ends the connection, as it does when the process dies: its transaction is rolled back.
    broken.clear()
    await service.runtime.database
      .transaction({ role: 'owner' }, (tx) =>
        tx.rows(sql`select pg_terminate_backend(pid) from pg_locks
          where locktype = 'advisory' and objsubid = 2 and database = (select oid from pg_database where datname = current_database())`),
      )
      .catch(() => undefined)
  })
  await service.clock.advance(hour_ms)
  assert.equal(await timers.runDue(), 2)
  await service.clock.advance(minute_ms)
  assert.equal(await timers.runDue(), 1)
  const events = await service.takeEvents(organization.id)
  assert.deepEqual(new Set(events.map(({ resource }) => resource[0]?.bell_id)), new Set(ids))
  assert.equal(events.length, 3)
})

const chiming = (fire: TimerDefinition['fire']): TimerDefinition => ({
  ...{ ...bell, kind: 'chime', fire },
  async fireAll(firings) {
    for (const { timer, context } of firings) await fire(timer, context)
  },
})

/** Bells that ring together. */
const chime = chiming(bell.fire)

async function setChimes(count: number): Promise<string[]> {
  const ids: string[] = []
  for (let made = 0; made < count; made += 1) {
    const sequence_id = newId(service.clock.now())
    ids.push(await setBell(1, { kind: 'chime', sequence_id }))
  }
  return ids
}

/** The bells whose events were recorded, in that order. */
const told = async () => (await service.takeEvents(organization.id)).map(({ resource }) => resource[0]?.bell_id)

const transactions = async () => {
  const [row] = await read<{ count: number }>(sql`select count(distinct xmin::text)::int as count from audit_entries`)
  return row?.count
}

test('timers of one moment and of a kind that fires many fire in one transaction, others alone', async () => {
  const timers = timersOf(bell, chime)
  const chimes = await setChimes(4)
  const last = await setBell(1, { kind: 'chime' })
  const later = await setBell(2, { kind: 'chime' })
  await service.clock.advance(hour_ms)
  assert.equal(await timers.runDue(), 6)
  assert.deepEqual([await told(), await transactions()], [[...chimes, last, later], 2])
  const singles = [await setBell(0), await setBell(0)]
  assert.equal(await timers.runDue(), 2)
  assert.deepEqual([new Set(await told()), await transactions()], [new Set(singles), 4])
})

test('at most 100 fire in one transaction', async () => {
  const timers = timersOf(chime)
  const chimes = await setChimes(101)
  await service.clock.advance(hour_ms)
  assert.equal(await timers.runDue(), 101)
  assert.deepEqual([await told(), await transactions()], [chimes, 2])
})

test('of timers that fire together one that fails takes no other with it', async () => {
  const timers = timersOf(chime)
  const ids = await setChimes(5)
  const [, , third = ''] = ids
  broken.set(third, fails)
  await service.clock.advance(hour_ms)
  assert.equal(await timers.runDue(), 4)
  assert.deepEqual(await told(), ids.toSpliced(2, 1))
  assert.deepEqual(await stateOf(third), { fired: false, failures: 1, retry_in_s: 1 })
  broken.clear()
  await service.clock.advance(1_000)
  assert.equal(await timers.runDue(), 1)
  assert.deepEqual(await told(), [third])
})

test('one of them that cancels another or sets one for the same moment has its way', async () => {
  const [first = '', second = '', third = '', fourth = ''] = await setChimes(4)
  const urgent = newId(service.clock.now())
  const acting = chiming(async (timer, context) => {
    await bell.fire(timer, context)
    if (timer.subject_id === first) await cancelTimer(context.tx, { ...timer, subject_id: second })
    if (timer.subject_id === third) {
      await setTimer(context.tx, { ...timer, kind: 'bell', priority: 1, subject_id: urgent })
    }
  })
  await service.clock.advance(hour_ms)
  assert.equal(await timersOf(bell, acting).runDue(), 4)
  assert.deepEqual(await told(), [first, third, urgent, fourth])
  assert.equal((await stateOf(second))?.fired, false)
})

test('kinds that this process does not know are left to others', async () => {
  const id = await setBell(0, { kind: 'from_a_newer_release' })
  assert.equal(await timersOf(bell).runDue(), 0)
  assert.deepEqual(await stateOf(id), { fired: false, failures: 0, retry_in_s: null })
})

test('a started job fires by itself, says so in one log line, and ends with stop', async () => {
  const fired = Promise.withResolvers<void>()
  const first = await setBell(0)
  const timers = timersOf({
    ...bell,
    async fire(timer, context) {
      await bell.fire(timer, context)
      if (timer.subject_id === first) fired.resolve()
    },
  })
  const logged = service.logged.length
  timers.start()
  await fired.promise
  await timers.stop()
  assert.equal((await stateOf(first))?.fired, true)
  const lines = service.logged.slice(logged).map((line) => JSON.parse(line) as Record<string, unknown>)
  assert.deepEqual(
    lines.map(({ msg, fired, failed }) => ({ msg, fired, failed })),
    [{ msg: 'timers_fired', fired: 1, failed: 0 }],
  )
  await setBell(0)
  assert.deepEqual(rung, [first])
})

test('a kind defined twice and an event outside the catalogue stop the boot', () => {
  assert.throws(() => timersOf(bell, bell), /twice/)
  const stray = { ...rang, type: 'bell.broke' }
  assert.throws(() => timersOf({ ...bell, emits: [stray] }), /bell\.broke/)
})
