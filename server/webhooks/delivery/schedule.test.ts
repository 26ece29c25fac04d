import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Head, type QueueFacts, Schedule } from './schedule.ts'

const never = Number.POSITIVE_INFINITY
/** A queue that is quick and has its whole window, unless changed. */
const facts = (changes: Partial<QueueFacts> = {}): QueueFacts => ({
  organization_id: 'one',
  consecutive_failures: 0,
  window_size: 8,
  is_quick: true,
  ...changes,
})
const slow = { is_quick: false }

/** A schedule in which each of these queues has something due. */
function scheduleOf(queues: Record<string, Partial<QueueFacts>>, concurrency = 128, in_flight_max = 8): Schedule {
  const schedule = new Schedule({ concurrency, in_flight_max })
  for (const [id, changes] of Object.entries(queues)) {
    schedule.know(id, facts(changes))
    schedule.learn(id, 0, 100)
  }
  return schedule
}
const queuesOf = (count: number, name: string, changes: Partial<QueueFacts> = {}) =>
  Object.fromEntries(Array.from({ length: count }, (_, place) => [`${name}${place}`, changes]))

const wanted = (schedule: Schedule) => {
  const wishes = schedule.choose(100)
  for (const wish of wishes) schedule.answered(wish, wish.heads)
  return wishes.map(({ subscription_id, want }) => `${subscription_id}:${want}`)
}
const canClaim = (schedule: Schedule) => wanted(schedule).length > 0

/** Starts what a choice would, as if every wish had been granted whole; answers the attempts. */
let deliveries = 0
function grant(schedule: Schedule): { subscription_id: string; id: string }[] {
  const wishes = schedule.choose(100)
  const attempts = wishes.flatMap(({ subscription_id, want }) =>
    Array.from({ length: want }, () => ({ subscription_id, id: `d${deliveries++}` })),
  )
  for (const attempt of attempts) schedule.started(attempt)
  for (const wish of wishes) schedule.answered(wish, wish.heads)
  return attempts
}
const grants = (schedule: Schedule) => {
  const own = Map.groupBy(grant(schedule), ({ subscription_id }) => subscription_id)
  return [...own].map(([id, attempts]) => `${id}:${attempts.length}`)
}

test('queues take turns, each up to its window, and one organization alone up to half of the half', () => {
  const schedule = scheduleOf({ a: {}, b: { window_size: 3 }, c: {}, d: {} }, 64)
  assert.deepEqual(grants(schedule), ['a:8', 'b:3', 'c:5'])
  assert.deepEqual(grants(schedule), [])
})

test('only attempt numbers that are due are asked for, and the wait is the time to the next one', () => {
  const schedule = new Schedule({ concurrency: 64, in_flight_max: 4 })
  schedule.learn('a', 3, 100)
  schedule.learn('a', 0, 250)
  assert.equal(schedule.waitMs(50), 50)
  assert.deepEqual(
    schedule.choose(100).map(({ heads }) => heads.map(({ attempt_no }) => attempt_no)),
    [[3]],
  )
})

test('an exhausted attempt number is forgotten, unless something was learned while it was asked', () => {
  const schedule = scheduleOf({ a: {} })
  const [first] = schedule.choose(100)
  schedule.learn('a', 0, 100)
  if (first) schedule.answered(first, [])
  const [second] = schedule.choose(100)
  if (second) schedule.answered(second, [])
  assert.equal(canClaim(schedule), false)
  assert.equal(schedule.waitMs(100), never)
})

test('the next claim goes on where the last one ended, or where something was learned meanwhile', () => {
  const schedule = new Schedule({ concurrency: 64, in_flight_max: 4 })
  const first = '00000000-0000-0000-0000-000000000000'
  const [earlier, later] = [
    { attempt_no: 0, due_at_ms: 50, id: 'b' },
    { attempt_no: 0, due_at_ms: 80, id: 'c' },
  ]
  const claim = (upTo: Head, meanwhile: number[] = []) => {
    const [wish] = schedule.choose(100)
    assert.ok(wish)
    for (const due_at_ms of meanwhile) schedule.learn('a', 0, due_at_ms)
    schedule.answered(wish, [upTo])
    return asked()
  }
  /** The heads that would be asked next. */
  const asked = () => {
    const wishes = schedule.choose(100)
    for (const wish of wishes) schedule.answered(wish, wish.heads)
    return wishes.flatMap(({ heads }) => heads)
  }
  schedule.learn('a', 0, 10)
  assert.deepEqual(claim(earlier), [earlier])
  assert.deepEqual(claim(later, [90]), [later])
  assert.deepEqual(claim(later, [90, 70]), [{ attempt_no: 0, due_at_ms: 70, id: first }])
  assert.deepEqual(claim(later), [later])
  // Known by its time only: any delivery of that time may be meant.
  schedule.learn('a', 0, 80)
  assert.deepEqual(asked(), [{ attempt_no: 0, due_at_ms: 80, id: first }])
})

test('a queue at its window waits for its own results and for nothing else', () => {
  const schedule = scheduleOf({ a: { window_size: 1 } })
  const [attempt] = grant(schedule)
  assert.ok(attempt)
  assert.equal(schedule.waitMs(100), never)
  assert.equal(schedule.isHeldBack(100), false)
  schedule.ended(attempt)
  assert.equal(schedule.isHeldBack(100), true)
  assert.deepEqual(schedule.choose(100), [])
  schedule.recorded('a')
  assert.equal(canClaim(schedule), true)
})

test('a busy queue rests for a moment, and longer when it is busy again', (t) => {
  const now_ms = 1_000
  t.mock.method(performance, 'now', () => now_ms)
  const schedule = scheduleOf({ a: {} })
  const [wish] = schedule.choose(100)
  assert.ok(wish)
  schedule.answered(wish, wish.heads, true)
  assert.deepEqual(schedule.choose(100), [])
  const first_ms = schedule.waitMs(100)
  assert.equal(first_ms, 10)
  for (let asked = 0; asked < 10; asked += 1) schedule.answered(wish, wish.heads, true)
  const last_ms = schedule.waitMs(100)
  assert.equal(last_ms, 640)
})

test('initial attempts go by the window of the queue, re-attempts by the cap', () => {
  const schedule = scheduleOf({ halved: { window_size: 4 }, failing: { consecutive_failures: 5 } })
  grant(schedule)
  for (const queue of ['halved', 'failing']) schedule.learn(queue, 2, 100)
  assert.deepEqual(
    schedule
      .choose(100)
      .map(({ subscription_id, want, heads }) => [subscription_id, want, heads.map(({ attempt_no }) => attempt_no)]),
    [
      ['failing', 7, [2]],
      ['halved', 4, [2]],
    ],
  )
})

test('a queue that is new, or did not succeed last, or runs an attempt for over 5 seconds is served from the other half', (t) => {
  const schedule = scheduleOf({ quick: { window_size: 1 }, failed: slow, late: {} }, 8)
  schedule.learn('new', 0, 100)
  const classes = () => {
    const { quick, slow } = schedule.counts()
    return [quick.queues, slow.queues]
  }
  assert.deepEqual(classes(), [2, 2])
  grant(schedule)
  const now = performance.now.bind(performance)
  t.mock.method(performance, 'now', () => now() + 5_001)
  assert.deepEqual(classes(), [0, 4])
})

test('slots of one half are never given to the other, and stay with it until their attempts end', (t) => {
  const queues = { ...queuesOf(9, 'hanging'), ...queuesOf(9, 'new', { ...slow, organization_id: 'two' }) }
  const schedule = scheduleOf(queues, 64)
  assert.equal(grant(schedule).length, 2 * 16)
  const now = performance.now.bind(performance)
  t.mock.method(performance, 'now', () => now() + 5_001)
  const running = () => Object.values(schedule.counts()).map((count) => count.running)
  assert.deepEqual(running(), [16, 16])
  // All that hang count as slow now, and leave the quick half no emptier.
  assert.deepEqual([grant(schedule).length, ...running()], [0, 16, 16])
})

test('one queue has no more of a small process than half of what its organization may have: any can turn out to be slow', () => {
  assert.deepEqual(grants(scheduleOf({ a: {}, b: {}, c: {} }, 32)), ['a:4', 'b:4'])
})

type Event = { queue: number; do: 'learn' | 'slow' | 'fail' | 'grant' | 'end' | 'record' | 'rest' }

const event: fc.Arbitrary<Event> = fc.record({
  queue: fc.nat(11),
  do: fc.constantFrom('learn', 'learn', 'slow', 'fail', 'grant', 'grant', 'end', 'end', 'record', 'rest'),
})

test('whatever happens: no bound is exceeded, and whoever may have a slot that is free is given one', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 120 }), fc.integer({ min: 8, max: 40 }), (events, concurrency) => {
      const half = Math.floor(concurrency / 2)
      const schedule = new Schedule({ concurrency, in_flight_max: 4 })
      const running: { subscription_id: string; id: string }[] = []
      const ended: string[] = []
      for (const { queue, do: what } of events) {
        const id = `l${queue}`
        const organization_id = `o${queue % 3}`
        if (what === 'learn') {
          schedule.know(id, facts({ organization_id }))
          schedule.learn(id, queue % 2, 100)
        }
        if (what === 'slow') schedule.know(id, facts({ organization_id, ...slow }))
        if (what === 'fail') schedule.know(id, facts({ organization_id, ...slow, consecutive_failures: 7 }))
        if (what === 'end')
          for (const over of running.splice(0, 1 + queue)) schedule.ended(over) ?? ended.push(over.subscription_id)
        if (what === 'record') for (const over of ended.splice(0)) schedule.recorded(over)
        if (what === 'rest')
          for (const wish of schedule.choose(100)) schedule.answered(wish, wish.heads, wish.subscription_id === id)
        if (what !== 'grant') continue
        running.push(...grant(schedule))
        for (const count of Object.values(schedule.counts())) assert.ok(count.running <= half)
        for (const own of Map.groupBy(running, ({ subscription_id }) => subscription_id).values())
          assert.ok(own.length <= 4)
      }
    }),
    { numRuns: 2_000 },
  )
})

test('a queue of which nothing is known has no slot before that: subscriptions made anew have no share of their own', () => {
  const schedule = new Schedule({ concurrency: 64, in_flight_max: 8 })
  for (let wave = 0; wave < 5; wave += 1) {
    const fresh = Array.from({ length: 40 }, (_, place) => `${wave}.${place}`)
    for (const id of fresh) schedule.learn(id, 0, 100)
    const wishes = schedule.choose(100)
    assert.deepEqual(
      wishes.filter(({ want }) => want === 0).map(({ subscription_id }) => subscription_id),
      fresh,
    )
    for (const wish of wishes) schedule.answered(wish, wish.heads)
    for (const id of fresh) schedule.know(id, facts({ ...slow, window_size: 1 }))
    grant(schedule)
    assert.equal(schedule.counts().slow.running, 16)
  }
})

test('whatever three organizations hold, in whatever order they began, a fourth one finds slots in both halves', () => {
  const hostile = fc.record({ organization: fc.nat(2), quick: fc.boolean(), end: fc.nat(3) })
  fc.assert(
    fc.property(fc.array(hostile, { maxLength: 60 }), (waves) => {
      const schedule = new Schedule({ concurrency: 256, in_flight_max: 8 })
      let running: { subscription_id: string; id: string }[] = []
      for (const [wave, { organization, quick, end }] of waves.entries()) {
        for (let place = 0; place < 40; place += 1) {
          schedule.know(`${wave}.${place}`, facts({ organization_id: `o${organization}`, is_quick: quick }))
          schedule.learn(`${wave}.${place}`, 0, 100)
        }
        running.push(...grant(schedule))
        for (const over of running.slice(0, end)) schedule.ended(over)
        running = running.slice(end)
      }
      for (const [id, changes] of Object.entries({ healthy: {}, new: slow })) {
        schedule.know(id, facts({ organization_id: 'fourth', ...changes }))
        schedule.learn(id, 0, 100)
      }
      const own = wanted(schedule).filter((wish) => /healthy|new/.test(wish))
      assert.deepEqual(own, ['healthy:8', 'new:8'])
    }),
    { numRuns: 300 },
  )
})

/** Lets attempts begin and end, each after as many ticks as its organization takes; answers attempts by queue. */
function play(schedule: Schedule, ticks_of: (subscription_id: string) => number, ticks: number) {
  const made = new Map<string, number>()
  let running: { subscription_id: string; id: string; until: number }[] = []
  for (let tick = 0; tick < ticks; tick += 1) {
    for (const over of running.filter(({ until }) => until <= tick)) {
      schedule.ended(over)
      schedule.recorded(over.subscription_id)
    }
    running = running.filter(({ until }) => until > tick)
    for (const attempt of grant(schedule)) {
      running.push({ ...attempt, until: tick + ticks_of(attempt.subscription_id) })
      made.set(attempt.subscription_id, (made.get(attempt.subscription_id) ?? 0) + 1)
    }
  }
  for (const over of running) {
    schedule.ended(over)
    schedule.recorded(over.subscription_id)
  }
  return made
}
const attemptsOf = (made: ReadonlyMap<string, number>, organization: string) =>
  [...made].reduce((sum, [id, attempts]) => (id.startsWith(organization) ? sum + attempts : sum), 0)
const organizations = (queues: Record<string, number>) =>
  Object.assign(
    {},
    ...Object.entries(queues).map(([organization_id, count]) => queuesOf(count, organization_id, { organization_id })),
  )

test('organizations have the same slot time, however many subscriptions each has', () => {
  const made = play(scheduleOf(organizations({ small: 2, large: 9 }), 24), () => 1, 300)
  const [small, large] = [attemptsOf(made, 'small'), attemptsOf(made, 'large')]
  assert.ok(Math.abs(small - large) <= large / 50, `${small} and ${large}`)
  for (let place = 0; place < 9; place += 1) {
    const own = made.get(`large${place}`) ?? 0
    assert.ok(Math.abs(own - large / 9) <= large / 90 + 4, `${own} of ${large}`)
  }
})

test('a receiver that takes ten times as long has a tenth of the attempts', () => {
  const schedule = scheduleOf(organizations({ brief: 2, long: 2 }), 24)
  const made = play(schedule, (id) => (id.startsWith('long') ? 10 : 1), 1_000)
  const ratio = attemptsOf(made, 'brief') / attemptsOf(made, 'long')
  assert.ok(ratio > 8 && ratio < 12, `${ratio}`)
})

test('who was idle comes back level with the others: nothing is saved up', () => {
  const schedule = scheduleOf(organizations({ busy: 1 }), 2)
  play(schedule, () => 1, 1_000)
  schedule.know('back', facts({ organization_id: 'back' }))
  schedule.learn('back', 0, 100)
  const made = play(schedule, () => 1, 10)
  assert.deepEqual([made.get('back'), made.get('busy0')], [5, 5])
})
