import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '#core/log.ts'
import { metrics } from '#core/metrics.ts'
import { type ClockReading, EngineClock, jumpOf } from './clock.ts'

const start_ms = Date.parse('2026-03-02T09:00:00.000Z')
const reading = (now_ms: number, asked_at_ms: number, answered_at_ms: number): ClockReading => ({
  now: new Date(start_ms + now_ms).toISOString(),
  asked_at_ms,
  answered_at_ms,
})

test('a clock that moves as the monotonic one, whenever between question and answer, has not jumped', () => {
  const last = reading(0, 0, 50)
  assert.equal(jumpOf(last, reading(1_000, 1_000, 1_050)), 0)
  assert.equal(jumpOf(last, reading(950, 1_000, 1_050)), 0)
  // The process stood still after its question.
  assert.equal(jumpOf(last, reading(1_000, 1_000, 31_000)), 0)
})

test('a jump ahead or back is told with its size, and forgotten after an hour', async () => {
  const lines: string[] = []
  const log = createLog('info', { write: (line: string) => void lines.push(line) })
  let monotonic_ms = 0
  const watch = new EngineClock(
    log,
    () => start_ms + 2_000,
    () => monotonic_ms,
  )
  const value = async (name: string) => (await metrics.getSingleMetric(name)?.get())?.values[0]?.value
  const observe = (now_ms: number, at_ms: number) => {
    monotonic_ms = at_ms
    watch.ask()(new Date(start_ms + now_ms).toISOString())
  }
  observe(0, 0)
  observe(61_000, 1_000)
  assert.equal(await value('webhook_clock_jump_seconds'), 60)
  assert.equal(await value('webhook_clock_difference_seconds'), -59)
  observe(2_000, 2_000)
  assert.equal(await value('webhook_clock_jump_seconds'), -60)
  assert.equal(lines.filter((line) => line.includes('webhook_clock_jumped')).length, 2)
  observe(3_700_000, 3_700_000)
  assert.equal(await value('webhook_clock_jump_seconds'), 0)
})
