import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type FailureLimits, faultDelayMs, type LaneState, type SettledAttempt, settle } from './settle.ts'

const minute_ms = 60_000
const delays_ms = [1, 2, 4, 8, 16, 32, 60, 120, 240, 960].map((minutes) => minutes * minute_ms)
const last = delays_ms.length
const limits = { disable_after: 10, warn_after: 5 }

const attempt = (fields: Partial<SettledAttempt> = {}): SettledAttempt => ({
  origin: 'event',
  attempt_no: 0,
  delays_ms,
  faults: 0,
  outcome: 'failed',
  error_class: 'http_5xx',
  ended_at_ms: 1_000_000,
  ...fields,
})
const active = (consecutive_failures = 0): LaneState => ({ status: 'active', consecutive_failures })
const disabled: LaneState = { status: 'disabled', consecutive_failures: 12 }

const cases: [
  name: string,
  attempt: SettledAttempt,
  lane: LaneState,
  expected: { decision: string; status: string; attempt_no?: number; due_in_ms?: number | null; lane: LaneState },
][] = [
  [
    'a success ends the delivery and resets the counter',
    attempt({ outcome: 'succeeded', attempt_no: 4 }),
    active(9),
    { decision: 'done', status: 'succeeded', attempt_no: 4, due_in_ms: null, lane: active(0) },
  ],
  [
    'a failure waits for the delay that follows its attempt',
    attempt({ attempt_no: 3 }),
    active(3),
    { decision: 'retry', status: 'pending', attempt_no: 4, due_in_ms: 8 * minute_ms, lane: active(4) },
  ],
  [
    'the tenth counted failure disables only on a last attempt',
    attempt({ attempt_no: 9 }),
    active(9),
    { decision: 'retry', status: 'pending', attempt_no: 10, due_in_ms: 960 * minute_ms, lane: active(10) },
  ],
  [
    'the tenth counted failure on a last attempt disables',
    attempt({ attempt_no: last }),
    active(9),
    {
      decision: 'exhausted',
      status: 'failed',
      due_in_ms: null,
      lane: { status: 'disabled', consecutive_failures: 10 },
    },
  ],
  [
    'the ninth on a last attempt ends the delivery only',
    attempt({ attempt_no: last }),
    active(8),
    { decision: 'exhausted', status: 'failed', due_in_ms: null, lane: active(9) },
  ],
  [
    'a simulation is not counted and disables nothing',
    attempt({ origin: 'simulation', attempt_no: last }),
    active(50),
    { decision: 'exhausted', status: 'failed', lane: active(50) },
  ],
  [
    'a redelivery that succeeds does not reset the counter',
    attempt({ origin: 'redelivery', outcome: 'succeeded' }),
    active(7),
    { decision: 'done', status: 'succeeded', lane: active(7) },
  ],
  [
    'a failure under way when the subscription was disabled is held, uncounted',
    attempt({ attempt_no: 2 }),
    disabled,
    { decision: 'held', status: 'held', attempt_no: 3, due_in_ms: null, lane: disabled },
  ],
  [
    'a last failure of a disabled subscription is final',
    attempt({ attempt_no: last }),
    disabled,
    { decision: 'exhausted', status: 'failed', lane: disabled },
  ],
  [
    'a success under way when the subscription was disabled counts as delivered',
    attempt({ outcome: 'succeeded' }),
    disabled,
    { decision: 'done', status: 'succeeded', lane: disabled },
  ],
  [
    'a failure of a deleted subscription is cancelled',
    attempt(),
    { status: 'deleted', consecutive_failures: 0 },
    { decision: 'cancelled', status: 'cancelled', lane: { status: 'deleted', consecutive_failures: 0 } },
  ],
  [
    'a lost worker repeats the same attempt at once',
    attempt({ outcome: 'unknown', error_class: 'worker_lost', attempt_no: 5 }),
    active(5),
    { decision: 'repeat', status: 'pending', attempt_no: 5, due_in_ms: 0, lane: active(5) },
  ],
  [
    'the third fault in a row waits 2 s',
    attempt({ outcome: 'unknown', error_class: 'internal', faults: 2 }),
    active(),
    { decision: 'repeat', status: 'pending', attempt_no: 0, due_in_ms: 2_000, lane: active() },
  ],
  [
    'the twentieth fault holds the delivery for a person',
    attempt({ outcome: 'unknown', error_class: 'internal', faults: 19 }),
    active(),
    { decision: 'held', status: 'held', attempt_no: 0, due_in_ms: null, lane: active() },
  ],
]

for (const [name, given, lane, expected] of cases) {
  test(name, () => {
    const { decision, delivery, lane: after } = settle(given, lane, limits)
    assert.equal(decision, expected.decision)
    assert.equal(delivery.status, expected.status)
    assert.deepEqual(after, expected.lane)
    if (expected.attempt_no !== undefined) assert.equal(delivery.attempt_no, expected.attempt_no)
    if (expected.due_in_ms !== undefined) {
      const due_in_ms = delivery.next_attempt_at_ms === null ? null : delivery.next_attempt_at_ms - given.ended_at_ms
      assert.equal(due_in_ms, expected.due_in_ms)
    }
  })
}

test('a shutdown is no fault, a recorded outcome forgets faults, and the nineteen waits make 3,210 s', () => {
  const shutdown = settle(attempt({ outcome: 'unknown', error_class: 'shutdown', faults: 7 }), active(), limits)
  assert.equal(shutdown.delivery.faults, 7)
  assert.equal(shutdown.delivery.next_attempt_at_ms, 1_000_000)
  assert.equal(settle(attempt({ faults: 7 }), active(), limits).delivery.faults, 0)
  const waits = Array.from({ length: 19 }, (_, index) => faultDelayMs(index + 1))
  assert.equal(
    waits.reduce((sum, wait_ms) => sum + wait_ms),
    3_210_000,
  )
})

test('ten parallel first failures count ten and disable nothing', () => {
  let lane = active()
  for (let delivery = 0; delivery < 10; delivery += 1) lane = settle(attempt(), lane, limits).lane
  assert.deepEqual(lane, active(10))
})

/** The rules once more, written down as the design tells them and not as the code computes them. */
function reference(history: readonly SettledAttempt[], { disable_after: threshold, warn_after }: FailureLimits) {
  let failures = 0
  let stopped = false
  /** Places in the history at which the others are told that the subscription is failing. */
  const warnings: number[] = []
  for (const [place, { origin, outcome, attempt_no, delays_ms: delays }] of history.entries()) {
    if (origin !== 'event' || stopped || outcome === 'unknown') continue
    failures = outcome === 'succeeded' ? 0 : failures + 1
    if (outcome === 'failed' && failures === warn_after) warnings.push(place)
    const was_last = attempt_no === delays.length
    if (outcome === 'failed' && was_last && failures >= threshold) stopped = true
  }
  return { lane: { status: stopped ? 'disabled' : 'active', consecutive_failures: failures }, warnings }
}

test('counter, status and warnings follow the reference over random histories', () => {
  const arbitrary = fc.record({
    origin: fc.constantFrom('event', 'event', 'event', 'simulation', 'redelivery', 'replay'),
    outcome: fc.constantFrom('failed', 'failed', 'failed', 'succeeded', 'unknown'),
    attempt_no: fc.nat(3),
    delays_ms: fc.constant([100, 200, 400]),
    faults: fc.constant(0),
    error_class: fc.constant('timeout'),
    ended_at_ms: fc.nat(),
  }) as fc.Arbitrary<SettledAttempt>
  const arbitraryLimits = fc
    .tuple(fc.integer({ min: 2, max: 12 }), fc.nat())
    .map(([disable_after, any]) => ({ disable_after, warn_after: 1 + (any % (disable_after - 1)) }))
  fc.assert(
    fc.property(fc.array(arbitrary, { maxLength: 60 }), arbitraryLimits, (history, thresholds) => {
      let lane = active()
      const warnings: number[] = []
      for (const [place, ended] of history.entries()) {
        const verdict = settle(ended, lane, thresholds)
        lane = verdict.lane
        if (verdict.warns) warnings.push(place)
      }
      assert.deepEqual({ lane, warnings }, reference(history, thresholds))
    }),
    { numRuns: 10_000 },
  )
})
