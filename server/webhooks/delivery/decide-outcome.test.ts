import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type AttemptFacts,
  attemptLimit,
  decideOutcome,
  faultDelayMs,
  type OutcomeLimits,
  type QueueState,
} from './decide-outcome.ts'

const minute_ms = 60_000
const delays_ms = [1, 2, 4, 8, 16, 32, 60, 120, 240, 960].map((minutes) => minutes * minute_ms)
const last = delays_ms.length
const limits = { disable_after: 10, warn_after: 5, in_flight_max: 8 }

const attempt = ({ attempt_no = 0, ...fields }: Partial<AttemptFacts> = {}): AttemptFacts => ({
  origin: 'event',
  attempt_no,
  delay_ms: delays_ms[attempt_no] ?? null,
  faults: 0,
  outcome: 'failed',
  error_class: 'http_5xx',
  response_status: 500,
  total_ms: 10,
  ended_at_ms: 1_000_000,
  ...fields,
})
const fresh = { failing_since: null, window_size: 1, window_halved_at: null, is_quick: false }
/** The part of the state that the rules of the outcome change; the window has tests of its own. */
type Counter = Pick<QueueState, 'status' | 'consecutive_failures'>
const queueOf = (counter: Counter): QueueState => ({ ...fresh, ...counter })
const counterOf = ({ status, consecutive_failures }: QueueState): Counter => ({ status, consecutive_failures })
const active = (consecutive_failures = 0): Counter => ({ status: 'active', consecutive_failures })
const disabled: Counter = { status: 'disabled', consecutive_failures: 12 }
const decide = (facts: AttemptFacts, counter: Counter, thresholds: OutcomeLimits = limits) =>
  decideOutcome(facts, queueOf(counter), thresholds)

const cases: [
  name: string,
  attempt: AttemptFacts,
  queue: Counter,
  expected: { decision: string; status: string; attempt_no?: number; due_in_ms?: number | null; queue: Counter },
][] = [
  [
    'a success ends the delivery and resets the counter',
    attempt({ outcome: 'succeeded', attempt_no: 4 }),
    active(9),
    { decision: 'done', status: 'succeeded', attempt_no: 4, due_in_ms: null, queue: active(0) },
  ],
  [
    'a failure waits for the delay that follows its attempt',
    attempt({ attempt_no: 3 }),
    active(3),
    { decision: 'retry', status: 'pending', attempt_no: 4, due_in_ms: 8 * minute_ms, queue: active(4) },
  ],
  [
    'the tenth counted failure disables only on a last attempt',
    attempt({ attempt_no: 9 }),
    active(9),
    { decision: 'retry', status: 'pending', attempt_no: 10, due_in_ms: 960 * minute_ms, queue: active(10) },
  ],
  [
    'the tenth counted failure on a last attempt disables',
    attempt({ attempt_no: last }),
    active(9),
    {
      decision: 'exhausted',
      status: 'failed',
      due_in_ms: null,
      queue: { status: 'disabled', consecutive_failures: 10 },
    },
  ],
  [
    'the ninth on a last attempt ends the delivery only',
    attempt({ attempt_no: last }),
    active(8),
    { decision: 'exhausted', status: 'failed', due_in_ms: null, queue: active(9) },
  ],
  [
    'a simulation is not counted and disables nothing',
    attempt({ origin: 'simulation', attempt_no: last }),
    active(50),
    { decision: 'exhausted', status: 'failed', queue: active(50) },
  ],
  [
    'a redelivery that succeeds does not reset the counter',
    attempt({ origin: 'redelivery', outcome: 'succeeded' }),
    active(7),
    { decision: 'done', status: 'succeeded', queue: active(7) },
  ],
  [
    'a failure under way when the subscription was disabled is held, uncounted',
    attempt({ attempt_no: 2 }),
    disabled,
    { decision: 'held', status: 'held', attempt_no: 3, due_in_ms: null, queue: disabled },
  ],
  [
    'a last failure of a disabled subscription is final',
    attempt({ attempt_no: last }),
    disabled,
    { decision: 'exhausted', status: 'failed', queue: disabled },
  ],
  [
    'a success under way when the subscription was disabled counts as delivered',
    attempt({ outcome: 'succeeded' }),
    disabled,
    { decision: 'done', status: 'succeeded', queue: disabled },
  ],
  [
    'a failure of a deleted subscription is cancelled',
    attempt(),
    { status: 'deleted', consecutive_failures: 0 },
    { decision: 'cancelled', status: 'cancelled', queue: { status: 'deleted', consecutive_failures: 0 } },
  ],
  [
    'a lost worker repeats the same attempt at once',
    attempt({ outcome: 'unknown', error_class: 'worker_lost', attempt_no: 5 }),
    active(5),
    { decision: 'repeat', status: 'pending', attempt_no: 5, due_in_ms: 0, queue: active(5) },
  ],
  [
    'the third fault in a row waits 2 s',
    attempt({ outcome: 'unknown', error_class: 'internal', faults: 2 }),
    active(),
    { decision: 'repeat', status: 'pending', attempt_no: 0, due_in_ms: 2_000, queue: active() },
  ],
  [
    'the twentieth fault holds the delivery for a person',
    attempt({ outcome: 'unknown', error_class: 'internal', faults: 19 }),
    active(),
    { decision: 'held', status: 'held', attempt_no: 0, due_in_ms: null, queue: active() },
  ],
]

for (const [name, given, counter, expected] of cases) {
  test(name, () => {
    const { decision, delivery, queue: after } = decide(given, counter)
    assert.equal(decision, expected.decision)
    assert.equal(delivery.status, expected.status)
    assert.deepEqual(counterOf(after), expected.queue)
    if (expected.attempt_no !== undefined) assert.equal(delivery.attempt_no, expected.attempt_no)
    if (expected.due_in_ms !== undefined) {
      const due_in_ms = delivery.next_attempt_at_ms === null ? null : delivery.next_attempt_at_ms - given.ended_at_ms
      assert.equal(due_in_ms, expected.due_in_ms)
    }
  })
}

test('a shutdown is no fault, a recorded outcome forgets faults, and the nineteen waits make 3,210 s', () => {
  const shutdown = decide(attempt({ outcome: 'unknown', error_class: 'shutdown', faults: 7 }), active())
  assert.equal(shutdown.delivery.faults, 7)
  assert.equal(shutdown.delivery.next_attempt_at_ms, 1_000_000)
  assert.equal(decide(attempt({ faults: 7 }), active()).delivery.faults, 0)
  const waits = Array.from({ length: 19 }, (_, index) => faultDelayMs(index + 1))
  assert.equal(
    waits.reduce((sum, wait_ms) => sum + wait_ms),
    3_210_000,
  )
})

test('ten parallel first failures count ten and disable nothing', () => {
  let queue = queueOf(active())
  for (let delivery = 0; delivery < 10; delivery += 1) queue = decideOutcome(attempt(), queue, limits).queue
  assert.deepEqual(counterOf(queue), active(10))
})

/** The rules once more, written down as the design tells them and not as the code computes them. */
function reference(history: readonly AttemptFacts[], { disable_after: threshold, warn_after }: OutcomeLimits) {
  let failures = 0
  let stopped = false
  /** Places in the history at which the others are told that the subscription is failing. */
  const warnings: number[] = []
  for (const [place, { origin, outcome, delay_ms }] of history.entries()) {
    if (origin !== 'event' || stopped || outcome === 'unknown') continue
    failures = outcome === 'succeeded' ? 0 : failures + 1
    if (outcome === 'failed' && failures === warn_after) warnings.push(place)
    if (outcome === 'failed' && delay_ms === null && failures >= threshold) stopped = true
  }
  return { counter: { status: stopped ? 'disabled' : 'active', consecutive_failures: failures }, warnings }
}

test('counter, status and warnings follow the reference over random histories', () => {
  const arbitrary = fc.record({
    origin: fc.constantFrom('event', 'event', 'event', 'simulation', 'redelivery', 'replay'),
    outcome: fc.constantFrom('failed', 'failed', 'failed', 'succeeded', 'unknown'),
    attempt_no: fc.nat(3),
    delay_ms: fc.constantFrom(100, 200, 400, null),
    response_status: fc.constant(null),
    total_ms: fc.constant(10),
    faults: fc.constant(0),
    error_class: fc.constant('timeout'),
    ended_at_ms: fc.nat(),
  }) as fc.Arbitrary<AttemptFacts>
  const arbitraryLimits = fc
    .tuple(fc.integer({ min: 2, max: 12 }), fc.nat())
    .map(([disable_after, any]) => ({ ...limits, disable_after, warn_after: 1 + (any % (disable_after - 1)) }))
  fc.assert(
    fc.property(fc.array(arbitrary, { maxLength: 60 }), arbitraryLimits, (history, thresholds) => {
      let queue = queueOf(active())
      const warnings: number[] = []
      for (const [place, ended] of history.entries()) {
        const decided = decideOutcome(ended, queue, thresholds)
        queue = decided.queue
        if (decided.warns) warnings.push(place)
      }
      assert.deepEqual({ counter: counterOf(queue), warnings }, reference(history, thresholds))
    }),
    { numRuns: 10_000 },
  )
})

const cap = limits.in_flight_max
const ok = attempt({ outcome: 'succeeded', error_class: null, response_status: 200, ended_at_ms: 0 })
const timeout = { ...ok, outcome: 'failed', error_class: 'timeout', response_status: null } as const
const tooMany = { ...ok, outcome: 'failed', error_class: 'http_4xx', response_status: 429 } as const
const refused = { ...timeout, error_class: 'connect_refused' }
const whole = { ...queueOf(active()), window_size: cap, is_quick: true }
const after = (before: QueueState, ...attempts: AttemptFacts[]) =>
  attempts.reduce((queue, one) => decideOutcome(one, queue, limits).queue, before)
const times = (count: number, one: AttemptFacts) => Array.from({ length: count }, () => one)

test('a window begins at 1 and grows by one with each success under 5 seconds, up to the cap', () => {
  const sizes = [0, 1, 6, 7, 8].map((count) => after(queueOf(active()), ...times(count, ok)).window_size)
  assert.deepEqual(sizes, [1, 2, 7, 8, 8])
  assert.equal(after(queueOf(active()), ...times(9, { ...ok, total_ms: 5_000 })).window_size, 1)
})

for (const [name, one] of Object.entries({ timeout, 429: tooMany })) {
  test(`${name} halves the window down to 1, at most once in 10 seconds`, () => {
    const sizes: number[] = []
    let queue: QueueState = whole
    for (const ended_at_ms of [0, 9_999, 10_000, 20_000, 30_000]) {
      queue = after(queue, { ...one, ended_at_ms })
      sizes.push(queue.window_size)
    }
    assert.deepEqual(sizes, [4, 4, 2, 1, 1])
  })
}

test('other failures leave the window alone, and what our side cannot tell leaves everything', () => {
  assert.equal(after(whole, ...times(50, refused)).window_size, cap)
  const lost = { ...timeout, outcome: 'unknown', error_class: 'worker_lost', total_ms: 9_000 } as const
  assert.deepEqual(after(whole, lost), whole)
})

test('a clock that was put back does not keep the window from being halved', () => {
  assert.equal(after(whole, { ...timeout, ended_at_ms: 3_600_000 }, { ...timeout, ended_at_ms: 0 }).window_size, 2)
})

test('quick is who succeeded last in less than 5 seconds, whatever came before', () => {
  const isQuick = (...attempts: AttemptFacts[]) => after(queueOf(active()), ...attempts).is_quick
  assert.deepEqual(
    [isQuick(), isQuick(ok), isQuick(ok, { ...ok, total_ms: 5_000 }), isQuick(ok, refused), isQuick(refused, ok)],
    [false, true, false, false, true],
  )
})

test('five failures in a row leave one initial attempt at a time, re-attempts have the cap; a lower cap binds at once', () => {
  assert.equal(attemptLimit(0, { window_size: 8, consecutive_failures: 4 }, cap), 8)
  assert.equal(attemptLimit(0, { window_size: 8, consecutive_failures: 5 }, cap), 1)
  assert.equal(attemptLimit(1, { window_size: 1, consecutive_failures: 5 }, cap), 8)
  assert.equal(attemptLimit(0, { window_size: 6, consecutive_failures: 0 }, 2), 2)
})
