import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Head, LaneFacts } from './lane.ts'
import { LaneHints } from './lane-hints.ts'

const never = Number.POSITIVE_INFINITY
const facts = (changes: Partial<LaneFacts> = {}): LaneFacts => ({
  organization_id: 'one',
  consecutive_failures: 0,
  limit_now: null,
  mean_ms: null,
  ...changes,
})
const wanted = (hints: LaneHints, free: number) =>
  hints.choose(100, free).map(({ subscription_id, want }) => `${subscription_id}${want}`)

/** Starts what a choice would, as if every wish had been granted whole. */
let deliveries = 0
function grant(hints: LaneHints, free: number): string[] {
  const wishes = hints.choose(100, free)
  for (const { subscription_id, want } of wishes)
    for (let taken = 0; taken < want; taken += 1) hints.started({ subscription_id, id: `d${deliveries++}` })
  return wishes.map(({ subscription_id, want }) => `${subscription_id}${want}`)
}

test('lanes take turns, each up to its cap and all up to the slots', () => {
  const hints = new LaneHints({ concurrency: 64, in_flight_max: 4 })
  for (const lane of ['a', 'b', 'c']) hints.learn(lane, 0, 100)
  assert.deepEqual(grant(hints, 6), ['a4', 'b2'])
  assert.deepEqual(wanted(hints, 6), ['c4', 'b2'])
})

test('only attempt numbers that are due are asked for, and the wait is the time to the next one', () => {
  const hints = new LaneHints({ concurrency: 64, in_flight_max: 4 })
  hints.learn('a', 3, 100)
  hints.learn('a', 0, 250)
  assert.equal(hints.waitMs(50, 1), 50)
  assert.equal(hints.waitMs(50, 0), never)
  assert.deepEqual(
    hints.choose(100, 1).map(({ heads }) => heads.map(({ attempt_no }) => attempt_no)),
    [[3]],
  )
})

test('an exhausted attempt number is forgotten, unless something was learnt while it was asked', () => {
  const hints = new LaneHints({ concurrency: 64, in_flight_max: 4 })
  hints.learn('a', 0, 100)
  const [first] = hints.choose(100, 4)
  hints.learn('a', 0, 100)
  if (first) hints.exhausted(first, [0])
  assert.equal(hints.waitMs(100, 4), 0)
  const [second] = hints.choose(100, 4)
  if (second) hints.exhausted(second, [0])
  assert.equal(hints.waitMs(100, 4), never)
})

test('the next claim goes on where the last one ended, or where something was learnt meanwhile', () => {
  const hints = new LaneHints({ concurrency: 64, in_flight_max: 4 })
  const first = '00000000-0000-0000-0000-000000000000'
  const [earlier, later] = [
    { attempt_no: 0, due_at_ms: 50, id: 'b' },
    { attempt_no: 0, due_at_ms: 80, id: 'c' },
  ]
  const claim = (upTo: Head, meanwhile: number[] = []) => {
    const [wish] = hints.choose(100, 4)
    assert.ok(wish)
    for (const due_at_ms of meanwhile) hints.learn('a', 0, due_at_ms)
    hints.claimed(wish, [upTo])
    return hints.choose(100, 4).flatMap(({ heads }) => heads)
  }
  hints.learn('a', 0, 10)
  assert.deepEqual(claim(earlier), [earlier])
  assert.deepEqual(claim(later, [90]), [later])
  assert.deepEqual(claim(later, [90, 70]), [{ attempt_no: 0, due_at_ms: 70, id: first }])
  assert.deepEqual(claim(later), [later])
  // Known by its time only: any delivery of that time may be meant.
  hints.learn('a', 0, 80)
  assert.deepEqual(
    hints.choose(100, 4).flatMap(({ heads }) => heads),
    [{ attempt_no: 0, due_at_ms: 80, id: first }],
  )
})

test('a lane at its cap waits for its own results and for nothing else', () => {
  const hints = new LaneHints({ concurrency: 64, in_flight_max: 1 })
  const attempt = { subscription_id: 'a', id: 'd' }
  hints.learn('a', 0, 100)
  hints.started(attempt)
  assert.equal(hints.waitMs(100, 4), never)
  assert.equal(hints.isHeldBack(100), false)
  hints.ended(attempt)
  assert.equal(hints.isHeldBack(100), true)
  assert.deepEqual(hints.choose(100, 4), [])
  hints.recorded('a')
  assert.equal(hints.waitMs(100, 4), 0)
})

test('a busy lane rests for a moment, and longer when it is busy again', () => {
  const hints = new LaneHints({ concurrency: 64, in_flight_max: 1 })
  hints.learn('a', 0, 100)
  const [wish] = hints.choose(100, 1)
  assert.ok(wish)
  hints.rest(wish)
  assert.deepEqual(hints.choose(100, 1), [])
  const first_ms = hints.waitMs(100, 1)
  assert.ok(first_ms > 0 && first_ms <= 10, `${first_ms}`)
  for (let asked = 0; asked < 10; asked += 1) hints.rest(wish)
  const last_ms = hints.waitMs(100, 1)
  assert.ok(last_ms > 600 && last_ms <= 640, `${last_ms}`)
})

test('initial attempts go by the limit of the lane, re-attempts by the cap', () => {
  const hints = new LaneHints({ concurrency: 64, in_flight_max: 8 })
  for (const lane of ['halved', 'failing']) for (const attempt_no of [0, 2]) hints.learn(lane, attempt_no, 100)
  hints.know('halved', facts({ limit_now: 4 }))
  hints.know('failing', facts({ consecutive_failures: 5 }))
  for (let running = 0; running < 4; running += 1) {
    hints.started({ subscription_id: 'halved', id: `h${running}` })
    hints.started({ subscription_id: 'failing', id: `f${running}` })
  }
  assert.deepEqual(
    hints
      .choose(100, 64)
      .map(({ subscription_id, want, heads }) => [subscription_id, want, heads.map(({ attempt_no }) => attempt_no)]),
    [
      ['halved', 4, [2]],
      ['failing', 4, [2]],
    ],
  )
})

test('slow lanes together have a quarter of the slots at most', () => {
  const hints = new LaneHints({ concurrency: 64, in_flight_max: 8 })
  for (let lane = 0; lane < 10; lane += 1) {
    hints.know(`s${lane}`, facts({ mean_ms: 5_001 }))
    hints.learn(`s${lane}`, 0, 100)
  }
  assert.deepEqual(grant(hints, 64), ['s08', 's18'])
  assert.deepEqual(wanted(hints, 48), [])
  assert.equal(hints.waitMs(100, 48), never)
  hints.learn('q', 0, 100)
  assert.deepEqual(wanted(hints, 48), ['q8'])
})

test('slow lanes are sure of a twentieth of the slots while something of theirs is due', () => {
  const hints = new LaneHints({ concurrency: 64, in_flight_max: 8 })
  for (let lane = 0; lane < 10; lane += 1) hints.learn(`q${lane}`, 0, 100)
  hints.know('slow', facts({ mean_ms: 5_001 }))
  hints.learn('slow', 0, 100)
  assert.deepEqual(grant(hints, 2), ['slow2'])
  assert.deepEqual(wanted(hints, 2), ['q01', 'slow1'])
  grant(hints, 2)
  assert.deepEqual(wanted(hints, 2), ['q12'])
})

test('one lane has no more of a small process than slow lanes may have, since any can turn out to be slow', () => {
  const hints = new LaneHints({ concurrency: 8, in_flight_max: 8 })
  hints.learn('a', 0, 100)
  assert.deepEqual(grant(hints, 8), ['a2'])
  assert.deepEqual(wanted(hints, 6), [])
})

type Event = { lane: number; do: 'learn' | 'slow' | 'fail' | 'grant' | 'end' | 'record' | 'rest' }

const event: fc.Arbitrary<Event> = fc.record({
  lane: fc.nat(11),
  do: fc.constantFrom('learn', 'learn', 'slow', 'fail', 'grant', 'grant', 'end', 'end', 'record', 'rest'),
})

test('whatever happens: no bound is exceeded, and whoever need not wait is given something', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 120 }), fc.integer({ min: 8, max: 40 }), (events, concurrency) => {
      const hints = new LaneHints({ concurrency, in_flight_max: 4 })
      const running: { subscription_id: string; id: string }[] = []
      const ended: string[] = []
      for (const [place, { lane, do: what }] of events.entries()) {
        const id = `l${lane}`
        const organization_id = `o${lane % 3}`
        if (what === 'learn') hints.learn(id, lane % 2, 100)
        if (what === 'slow') hints.know(id, facts({ organization_id, mean_ms: 9_000 }))
        if (what === 'fail') hints.know(id, facts({ organization_id, consecutive_failures: 7 }))
        if (what === 'end')
          for (const over of running.splice(0, 1 + lane)) hints.ended(over) ?? ended.push(over.subscription_id)
        if (what === 'record') for (const over of ended.splice(0)) hints.recorded(over)
        const free = concurrency - running.length
        const can_claim = hints.waitMs(100, free) === 0
        const wishes = hints.choose(100, free)
        // Unless a rest was over in between.
        if (can_claim === (hints.waitMs(100, free) === 0)) assert.equal(can_claim, wishes.length > 0)
        assert.ok(wishes.reduce((sum, { want }) => sum + want, 0) <= free)
        if (what === 'rest') for (const wish of wishes.slice(0, 1)) hints.rest(wish)
        if (what !== 'grant') continue
        const slow_before = hints.counts().slow.running
        for (const { subscription_id, want } of wishes)
          for (let taken = 0; taken < want; taken += 1) {
            running.push({ subscription_id, id: `${place}.${subscription_id}.${taken}` })
            hints.started(running.at(-1) ?? { subscription_id, id: '' })
          }
        // A lane can become slow with what it holds already; more is not given to it.
        assert.ok(hints.counts().slow.running <= Math.max(slow_before, Math.floor(concurrency / 4)))
        for (const own of Map.groupBy(running, ({ subscription_id }) => subscription_id).values())
          assert.ok(own.length <= 4)
      }
    }),
    { numRuns: 2_000 },
  )
})
