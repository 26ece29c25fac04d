import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '#core/log.ts'
import { metrics } from '#core/metrics.ts'
import { EngineClock } from './clock.ts'

const start_ms = Date.parse('2026-03-02T09:00:00.000Z')

/** A clock that is asked at one moment of the monotonic clock and answered at another one. */
function clockOf(own_ms: number) {
  const lines: string[] = []
  const log = createLog('info', { write: (line: string) => void lines.push(line) })
  let monotonic_ms = 0
  const clock = new EngineClock(
    log,
    () => own_ms,
    () => monotonic_ms,
  )
  const observe = (now_ms: number, asked_at_ms: number, answered_at_ms = asked_at_ms) => {
    monotonic_ms = answered_at_ms
    clock.observe(new Date(start_ms + now_ms).toISOString(), asked_at_ms)
    return clock.has_jumped
  }
  return { clock, observe, jumps: () => lines.filter((line) => line.includes('webhook_clock_jumped')).length }
}

test('a clock that moves as the monotonic one, whenever between question and answer, has not jumped', () => {
  const { clock, observe } = clockOf(0)
  assert.equal(observe(0, 0, 50), false)
  assert.equal(observe(1_000, 1_000, 1_050), false)
  assert.equal(observe(950, 1_000, 1_050), false)
  // The process stood still after its question.
  assert.equal(observe(2_000, 2_000, 32_000), false)
  assert.equal(observe(32_000, 32_000, 32_010), false)
  assert.equal(clock.now(), start_ms + 32_000)
})

test('a jump ahead or back is told with its size, and forgotten after an hour', async () => {
  const { observe, jumps } = clockOf(start_ms + 2_000)
  const value = async (name: string) => (await metrics.getSingleMetric(name)?.get())?.values[0]?.value
  observe(0, 0)
  assert.equal(observe(61_000, 1_000), true)
  assert.equal(await value('webhook_clock_jump_seconds'), 60)
  assert.equal(await value('webhook_clock_difference_seconds'), -59)
  observe(2_000, 2_000)
  assert.equal(await value('webhook_clock_jump_seconds'), -60)
  assert.equal(jumps(), 2)
  observe(3_700_000, 3_700_000)
  assert.equal(await value('webhook_clock_jump_seconds'), 0)
})
