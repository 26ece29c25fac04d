import type { Logger } from 'pino'
import { Gauge } from 'prom-client'
import { metrics } from '#core/metrics.ts'

const registers = [metrics]

const jumps = new Gauge({
  name: 'webhook_clock_jump_seconds',
  help: 'The last jump of the database clock by over a second, within an hour; negative when it went back.',
  registers,
})
const difference = new Gauge({
  name: 'webhook_clock_difference_seconds',
  help: 'By how much the clock of this process is ahead of that of the database; ids and partitions follow the former.',
  registers,
})

const jump_min_ms = 1_000
const told_for_ms = 3_600_000

/** When a transaction asked the database for its time, and when it had the answer, on the monotonic clock. */
export interface ClockReading {
  now: string
  asked_at_ms: number
  answered_at_ms: number
}

export interface ClockWatch {
  /** Called with a question to the database; what it answers is called with the database's time. */
  ask(): (now: string) => void
}

/** Compares the database's clock with the monotonic one of this process, within what the way there can explain. */
export function createClockWatch(log: Logger, now_ms: () => number, monotonic_ms: () => number): ClockWatch {
  let last: ClockReading | undefined
  let jumped_at_ms = Number.NEGATIVE_INFINITY
  const observe = (reading: ClockReading) => {
    const jump_ms = last ? jumpOf(last, reading) : 0
    last = reading
    difference.set((now_ms() - Date.parse(reading.now)) / 1_000)
    if (Math.abs(jump_ms) > jump_min_ms) {
      jumped_at_ms = reading.answered_at_ms
      jumps.set(jump_ms / 1_000)
      log.warn({ jump_ms: Math.round(jump_ms) }, 'webhook_clock_jumped')
    } else if (reading.answered_at_ms - jumped_at_ms > told_for_ms) jumps.set(0)
  }
  return {
    ask() {
      const asked_at_ms = monotonic_ms()
      return (now) => observe({ now, asked_at_ms, answered_at_ms: monotonic_ms() })
    },
  }
}

/** How far the clock is beyond where it can be, whenever between question and answer it was read. */
export function jumpOf(last: ClockReading, reading: ClockReading): number {
  const moved_ms = Date.parse(reading.now) - Date.parse(last.now)
  const most_ms = reading.answered_at_ms - last.asked_at_ms
  const least_ms = reading.asked_at_ms - last.answered_at_ms
  if (moved_ms > most_ms) return moved_ms - most_ms
  return Math.min(0, moved_ms - least_ms)
}
