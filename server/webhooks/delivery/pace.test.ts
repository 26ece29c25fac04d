import assert from 'node:assert/strict'
import { test } from 'node:test'
import { initialLimit, type Pace, type PacedAttempt, paceAfter } from './pace.ts'

const cap = 8
const fresh: Pace = { limit_now: null, limit_halved_at_ms: null, success_run: 0, mean_ms: null }
const ok: PacedAttempt = { outcome: 'succeeded', error_class: null, response_status: 200, total_ms: 10, ended_at_ms: 0 }
const timeout = { ...ok, outcome: 'failed', error_class: 'timeout', response_status: null } as const
const tooMany = { ...ok, outcome: 'failed', error_class: 'http_4xx', response_status: 429 } as const
const refused = { ...timeout, error_class: 'connect_refused' }
const after = (pace: Pace, ...attempts: PacedAttempt[]) =>
  attempts.reduce((before, attempt) => paceAfter(before, attempt, cap), pace)
const times = (count: number, attempt: PacedAttempt) => Array.from({ length: count }, () => attempt)

for (const [name, attempt] of Object.entries({ timeout, 429: tooMany })) {
  test(`${name} halves the limit down to 1, at most once in 10 seconds`, () => {
    const limits: (number | null)[] = []
    let pace = fresh
    for (const ended_at_ms of [0, 9_999, 10_000, 20_000, 30_000]) {
      pace = after(pace, { ...attempt, ended_at_ms })
      limits.push(pace.limit_now)
    }
    assert.deepEqual(limits, [4, 4, 2, 1, 1])
  })
}

test('twenty successes in a row raise the limit by one, until it is the cap again', () => {
  const halved = after(fresh, timeout)
  assert.equal(after(halved, ...times(19, ok)).limit_now, 4)
  assert.equal(after(halved, ...times(20, ok)).limit_now, 5)
  assert.equal(after(halved, ...times(19, ok), refused, ...times(19, ok)).limit_now, 4)
  assert.equal(after(halved, ...times(60, ok)).limit_now, 7)
  assert.equal(after(halved, ...times(80, ok)).limit_now, null)
})

test('other failures, and what our side cannot tell, leave the limit alone', () => {
  assert.equal(after(fresh, ...times(50, refused)).limit_now, null)
  const lost = { ...timeout, outcome: 'unknown', error_class: 'worker_lost' } as const
  assert.deepEqual(after(fresh, lost), fresh)
})

test('a clock that was put back does not keep the limit from being halved', () => {
  const halved = after(fresh, { ...timeout, ended_at_ms: 3_600_000 })
  assert.equal(after(halved, { ...timeout, ended_at_ms: 0 }).limit_now, 2)
})

test('the mean duration moves by a fifth of the difference', () => {
  assert.equal(after(fresh, { ...ok, total_ms: 30_000 }).mean_ms, 30_000)
  assert.equal(after(fresh, { ...ok, total_ms: 1_000 }, { ...ok, total_ms: 6_000 }).mean_ms, 2_000)
})

test('five failures in a row leave one initial attempt at a time; a lower cap binds at once', () => {
  assert.equal(initialLimit({ limit_now: null, consecutive_failures: 4 }, cap), 8)
  assert.equal(initialLimit({ limit_now: null, consecutive_failures: 5 }, cap), 1)
  assert.equal(initialLimit({ limit_now: 6, consecutive_failures: 0 }, 2), 2)
})
