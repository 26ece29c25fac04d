import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Head, type QueueFacts, Schedule } from './schedule.ts'

const never = Number.POSITIVE_INFINITY
const facts = (changes: Partial<QueueFacts> = {}): QueueFacts => ({
  organization_id: 'one',
  consecutive_failures: 0,
  limit_now: null,
  mean_ms: null,
  ...changes,
})
const wanted = (schedule: Schedule, free: number) => {
  const wishes = schedule.choose(100, free)
  for (const wish of wishes) schedule.answered(wish, wish.heads)
  return wishes.map(({ subscription_id, want }) => `${subscription_id}${want}`)
}

/** Starts what a choice would, as if every wish had been granted whole. */
let deliveries = 0
function grant(schedule: Schedule, free: number): string[] {
  const wishes = schedule.choose(100, free)
  for (const { subscription_id, want } of wishes)
    for (let taken = 0; taken < want; taken += 1) schedule.started({ subscription_id, id: `d${deliveries++}` })
  for (const wish of wishes) schedule.answered(wish, wish.heads)
  return wishes.map(({ subscription_id, want }) => `${subscription_id}${want}`)
}

test('queues take turns, each up to its cap and all up to the slots', () => {
  const schedule = new Schedule({ concurrency: 64, in_flight_max: 4 })
  for (const queue of ['a', 'b', 'c']) schedule.learn(queue, 0, 100)
  assert.deepEqual(grant(schedule, 6), ['a4', 'b2'])
  assert.deepEqual(wanted(schedule, 6), ['c4', 'b2'])
})

test('only attempt numbers that are due are asked for, and the wait is the time to the next one', () => {
  const schedule = new Schedule({ concurrency: 64, in_flight_max: 4 })
  schedule.learn('a', 3, 100)
  schedule.learn('a', 0, 250)
  assert.equal(schedule.waitMs(50, 1), 50)
  assert.equal(schedule.waitMs(50, 0), never)
  assert.deepEqual(
    schedule.choose(100, 1).map(({ heads }) => heads.map(({ attempt_no }) => attempt_no)),
    [[3]],
  )
})

test('an exhausted attempt number is forgotten, unless something was learned while it was asked', () => {
  const schedule = new Schedule({ concurrency: 64, in_flight_max: 4 })
  schedule.learn('a', 0, 100)
  const [first] = schedule.choose(100, 4)
  schedule.learn('a', 0, 100)
  if (first) schedule.answered(first, [])
  assert.equal(schedule.waitMs(100, 4), 0)
  const [second] = schedule.choose(100, 4)
  if (second) schedule.answered(second, [])
  assert.equal(schedule.waitMs(100, 4), never)
})

test('the next claim goes on where the last one ended, or where something was learned meanwhile', () => {
  const schedule = new Schedule({ concurrency: 64, in_flight_max: 4 })
  const first = '00000000-0000-0000-0000-000000000000'
  const [earlier, later] = [
    { attempt_no: 0, due_at_ms: 50, id: 'b' },
    { attempt_no: 0, due_at_ms: 80, id: 'c' },
  ]
  const claim = (upTo: Head, meanwhile: number[] = []) => {
    const [wish] = schedule.choose(100, 4)
    assert.ok(wish)
    for (const due_at_ms of meanwhile) schedule.learn('a', 0, due_at_ms)
    schedule.answered(wish, [upTo])
    return asked()
  }
  /** The heads that would be asked next. */
  const asked = () => {
    const wishes = schedule.choose(100, 4)
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

test('a queue at its cap waits for its own results and for nothing else', () => {
  const schedule = new Schedule({ concurrency: 64, in_flight_max: 1 })
  const attempt = { subscription_id: 'a', id: 'd' }
  schedule.learn('a', 0, 100)
  schedule.started(attempt)
  assert.equal(schedule.waitMs(100, 4), never)
  assert.equal(schedule.isHeldBack(100), false)
  schedule.ended(attempt)
  assert.equal(schedule.isHeldBack(100), true)
  assert.deepEqual(schedule.choose(100, 4), [])
  schedule.recorded('a')
  assert.equal(schedule.waitMs(100, 4), 0)
})

test('a busy queue rests for a moment, and longer when it is busy again', () => {
  const schedule = new Schedule({ concurrency: 64, in_flight_max: 1 })
  schedule.learn('a', 0, 100)
  const [wish] = schedule.choose(100, 1)
  assert.ok(wish)
  schedule.answered(wish, wish.heads, true)
  assert.deepEqual(schedule.choose(100, 1), [])
  const first_ms = schedule.waitMs(100, 1)
  assert.ok(first_ms > 0 && first_ms <= 10, `${first_ms}`)
  for (let asked = 0; asked < 10; asked += 1) schedule.answered(wish, wish.heads, true)
  const last_ms = schedule.waitMs(100, 1)
  assert.ok(last_ms > 600 && last_ms <= 640, `${last_ms}`)
})

test('initial attempts go by the limit of the queue, re-attempts by the cap', () => {
  const schedule = new Schedule({ concurrency: 64, in_flight_max: 8 })
  for (const queue of ['halved', 'failing']) for (const attempt_no of [0, 2]) schedule.learn(queue, attempt_no, 100)
  schedule.know('halved', facts({ limit_now: 4 }))
  schedule.know('failing', facts({ consecutive_failures: 5 }))
  for (let running = 0; running < 4; running += 1) {
    schedule.started({ subscription_id: 'halved', id: `h${running}` })
    schedule.started({ subscription_id: 'failing', id: `f${running}` })
  }
  assert.deepEqual(
    schedule
      .choose(100, 64)
      .map(({ subscription_id, want, heads }) => [subscription_id, want, heads.map(({ attempt_no }) => attempt_no)]),
    [
      ['halved', 4, [2]],
      ['failing', 4, [2]],
    ],
  )
})

test('slow queues together have a quarter of the slots at most', () => {
  const schedule = new Schedule({ concurrency: 64, in_flight_max: 8 })
  for (let queue = 0; queue < 10; queue += 1) {
    schedule.know(`s${queue}`, facts({ mean_ms: 5_001 }))
    schedule.learn(`s${queue}`, 0, 100)
  }
  assert.deepEqual(grant(schedule, 64), ['s08', 's18'])
  assert.deepEqual(wanted(schedule, 48), [])
  assert.equal(schedule.waitMs(100, 48), never)
  schedule.learn('q', 0, 100)
  assert.deepEqual(wanted(schedule, 48), ['q8'])
})

test('slow queues are sure of a twentieth of the slots while something of theirs is due', () => {
  const schedule = new Schedule({ concurrency: 64, in_flight_max: 8 })
  for (let queue = 0; queue < 10; queue += 1) schedule.learn(`q${queue}`, 0, 100)
  schedule.know('slow', facts({ mean_ms: 5_001 }))
  schedule.learn('slow', 0, 100)
  assert.deepEqual(grant(schedule, 2), ['slow2'])
  assert.deepEqual(wanted(schedule, 2), ['q01', 'slow1'])
  grant(schedule, 2)
  assert.deepEqual(wanted(schedule, 2), ['q22'])
})

test('one queue has no more of a small process than slow queues may have, since any can turn out to be slow', () => {
  const schedule = new Schedule({ concurrency: 8, in_flight_max: 8 })
  schedule.learn('a', 0, 100)
  assert.deepEqual(grant(schedule, 8), ['a2'])
  assert.deepEqual(wanted(schedule, 6), [])
})

type Event = { queue: number; do: 'learn' | 'slow' | 'fail' | 'grant' | 'end' | 'record' | 'rest' }

const event: fc.Arbitrary<Event> = fc.record({
  queue: fc.nat(11),
  do: fc.constantFrom('learn', 'learn', 'slow', 'fail', 'grant', 'grant', 'end', 'end', 'record', 'rest'),
})

test('whatever happens: no bound is exceeded, and whoever need not wait is given something', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 120 }), fc.integer({ min: 8, max: 40 }), (events, concurrency) => {
      const schedule = new Schedule({ concurrency, in_flight_max: 4 })
      const running: { subscription_id: string; id: string }[] = []
      const ended: string[] = []
      for (const [place, { queue, do: what }] of events.entries()) {
        const id = `l${queue}`
        const organization_id = `o${queue % 3}`
        if (what === 'learn') schedule.learn(id, queue % 2, 100)
        if (what === 'slow') schedule.know(id, facts({ organization_id, mean_ms: 9_000 }))
        if (what === 'fail') schedule.know(id, facts({ organization_id, consecutive_failures: 7 }))
        if (what === 'end')
          for (const over of running.splice(0, 1 + queue)) schedule.ended(over) ?? ended.push(over.subscription_id)
        if (what === 'record') for (const over of ended.splice(0)) schedule.recorded(over)
        const free = concurrency - running.length
        const can_claim = schedule.waitMs(100, free) === 0
        const wishes = schedule.choose(100, free)
        // Unless a rest was over in between.
        if (can_claim === (schedule.waitMs(100, free) === 0)) assert.equal(can_claim, wishes.length > 0)
        assert.ok(wishes.reduce((sum, { want }) => sum + want, 0) <= free)
        for (const [index, wish] of wishes.entries())
          schedule.answered(wish, wish.heads, what === 'rest' && index === 0)
        if (what !== 'grant') continue
        const slow_before = schedule.counts().slow.running
        for (const { subscription_id, want } of wishes)
          for (let taken = 0; taken < want; taken += 1) {
            running.push({ subscription_id, id: `${place}.${subscription_id}.${taken}` })
            schedule.started(running.at(-1) ?? { subscription_id, id: '' })
          }
        // A queue can become slow with what it holds already; more is not given to it.
        assert.ok(schedule.counts().slow.running <= Math.max(slow_before, Math.floor(concurrency / 4)))
        for (const own of Map.groupBy(running, ({ subscription_id }) => subscription_id).values())
          assert.ok(own.length <= 4)
      }
    }),
    { numRuns: 2_000 },
  )
})

/** One queue of each organization, always due; `held` of the first many attempts are under way already. */
function organizations(queues: Record<string, number>, concurrency: number): Schedule {
  const schedule = new Schedule({ concurrency, in_flight_max: 8 })
  for (const [organization_id, count] of Object.entries(queues))
    for (let place = 0; place < count; place += 1) {
      schedule.know(`${organization_id}${place}`, facts({ organization_id }))
      schedule.learn(`${organization_id}${place}`, 0, 100)
    }
  return schedule
}

/** Lets attempts begin and end, each after as many ticks as its organization takes; answers attempts by queue. */
function play(schedule: Schedule, ticks_of: (subscription_id: string) => number, ticks: number, concurrency: number) {
  const made = new Map<string, number>()
  const running: { subscription_id: string; id: string; until: number }[] = []
  for (let tick = 0; tick < ticks; tick += 1) {
    for (const over of running.filter(({ until }) => until <= tick)) {
      schedule.ended(over)
      schedule.recorded(over.subscription_id)
      running.splice(running.indexOf(over), 1)
    }
    const wishes = schedule.choose(100, concurrency - running.length)
    for (const { subscription_id, want } of wishes)
      for (let taken = 0; taken < want; taken += 1) {
        const attempt = { subscription_id, id: `p${deliveries++}`, until: tick + ticks_of(subscription_id) }
        schedule.started(attempt)
        running.push(attempt)
        made.set(subscription_id, (made.get(subscription_id) ?? 0) + 1)
      }
    for (const wish of wishes) schedule.answered(wish, wish.heads)
  }
  for (const over of running) {
    schedule.ended(over)
    schedule.recorded(over.subscription_id)
  }
  return made
}

test('organizations have the same slot time, however many subscriptions each has', () => {
  const made = play(organizations({ small: 1, large: 9 }, 12), () => 1, 300, 12)
  const small = made.get('small0') ?? 0
  const large = [...made].reduce((sum, [id, attempts]) => (id.startsWith('large') ? sum + attempts : sum), 0)
  // One subscription has a quarter of the slots at most.
  assert.ok(small / (small + large) > 0.24, `${small} and ${large}`)
  for (let place = 0; place < 9; place += 1) {
    const own = made.get(`large${place}`) ?? 0
    assert.ok(Math.abs(own - large / 9) <= large / 90 + 4, `${own} of ${large}`)
  }
})

test('a receiver that takes ten times as long has a tenth of the attempts', () => {
  const made = play(organizations({ quick: 2, long: 2 }, 8), (id) => (id.startsWith('long') ? 10 : 1), 1_000, 8)
  const of = (organization: string) => (made.get(`${organization}0`) ?? 0) + (made.get(`${organization}1`) ?? 0)
  const ratio = of('quick') / of('long')
  assert.ok(ratio > 8 && ratio < 12, `${ratio}`)
})

test('who was idle comes back level with the others: nothing is saved up', () => {
  const schedule = organizations({ busy: 1 }, 4)
  play(schedule, () => 1, 1_000, 1)
  schedule.know('back', facts({ organization_id: 'back' }))
  schedule.learn('back', 0, 100)
  const made = play(schedule, () => 1, 10, 1)
  assert.deepEqual([made.get('back'), made.get('busy0')], [5, 5])
})

test('an organization holds half of the slots at most while another one has something due', () => {
  const schedule = organizations({ mine: 7 }, 64)
  for (let held = 0; held < 28; held += 1) schedule.started({ subscription_id: `mine${held % 7}`, id: `h${held}` })
  schedule.know('theirs', facts({ organization_id: 'theirs' }))
  schedule.learn('theirs', 0, 100)
  const sum = (ids: string[]) => ids.reduce((slots, id) => slots + Number(id.slice(-1)), 0)
  const [theirs, ...mine] = wanted(schedule, 36)
  assert.equal(theirs, 'theirs8')
  assert.equal(sum(mine), 4)
  const alone = organizations({ mine: 7 }, 64)
  for (let held = 0; held < 28; held += 1) alone.started({ subscription_id: `mine${held % 7}`, id: `h${held}` })
  assert.equal(sum(wanted(alone, 36)), 28)
})
