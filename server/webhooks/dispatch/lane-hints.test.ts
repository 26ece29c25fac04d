import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LaneHints } from './lane-hints.ts'

const never = Number.POSITIVE_INFINITY

test('lanes take turns, each up to its cap and all up to the slots', () => {
  const hints = new LaneHints(4)
  for (const lane of ['a', 'b', 'c']) hints.learn(lane, 0, 100)
  const wanted = (slots: number) =>
    hints.choose(100, slots).map(({ subscription_id, want }) => `${subscription_id}${want}`)
  assert.deepEqual(wanted(6), ['a4', 'b2'])
  assert.deepEqual(wanted(6), ['c4', 'a2'])
})

test('only attempt numbers that are due are asked for, and the wait is the time to the next one', () => {
  const hints = new LaneHints(4)
  hints.learn('a', 3, 100)
  hints.learn('a', 0, 250)
  assert.equal(hints.waitMs(50), 50)
  assert.deepEqual(
    hints.choose(100, 1).map(({ attempt_nos }) => attempt_nos),
    [[3]],
  )
})

test('an exhausted lane is forgotten, unless something was learnt while it was asked', () => {
  const hints = new LaneHints(4)
  hints.learn('a', 0, 100)
  const [first] = hints.choose(100, 4)
  hints.learn('a', 0, 100)
  if (first) hints.exhausted(first)
  assert.equal(hints.waitMs(100), 0)
  const [second] = hints.choose(100, 4)
  if (second) hints.exhausted(second)
  assert.equal(hints.waitMs(100), never)
})

test('a lane at its cap waits for its own results and for nothing else', () => {
  const hints = new LaneHints(1)
  hints.learn('a', 0, 100)
  hints.started('a')
  assert.equal(hints.waitMs(100), never)
  assert.equal(hints.isHeldBack(100), true)
  assert.deepEqual(hints.choose(100, 4), [])
  hints.recorded('a')
  assert.equal(hints.waitMs(100), 0)
})

test('a busy lane rests for a moment', () => {
  const hints = new LaneHints(1)
  hints.learn('a', 0, 100)
  const [wish] = hints.choose(100, 1)
  if (wish) hints.rest(wish)
  assert.deepEqual(hints.choose(100, 1), [])
  const wait_ms = hints.waitMs(100)
  assert.ok(wait_ms > 0 && wait_ms <= 10, `${wait_ms}`)
})
