import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AttemptResult } from '#outbound/attempt.ts'
import { createEgressWatch } from './metrics.ts'

const ended = (error_class: string | null, error_phase: AttemptResult['error_phase'] = null) => ({
  outcome: error_class ? ('failed' as const) : ('succeeded' as const),
  error_class,
  error_phase,
})

function watch() {
  let now_ms = 0
  const egress = createEgressWatch(() => now_ms)
  const note = (hosts: number, result: Parameters<typeof egress.note>[1], attempts_each = 1) => {
    for (let host = 0; host < hosts; host += 1)
      for (let attempt = 0; attempt < attempts_each; attempt += 1) egress.note(`https://r${host}.example/hook`, result)
  }
  return { egress, note, wait: (by_ms: number) => (now_ms += by_ms) }
}

test('the egress is suspect when nearly nothing of a minute came as far as HTTP, at 20 hosts or more', () => {
  const { egress, note, wait } = watch()
  note(19, ended('dns'), 5)
  assert.equal(egress.isSuspect(), false)
  note(20, ended('connect_refused'))
  assert.equal(egress.isSuspect(), true)
  wait(60_001)
  assert.equal(egress.isSuspect(), false)
})

test('a tenth that got through, or that failed in HTTP, clears it', () => {
  const { egress, note } = watch()
  note(27, ended('timeout', 'connect'))
  assert.equal(egress.isSuspect(), true)
  note(2, ended(null))
  assert.equal(egress.isSuspect(), true)
  note(1, ended('http_5xx'))
  assert.equal(egress.isSuspect(), false)
})

test('timeouts of a receiver that was reached, refused addresses and our own faults say nothing of the network', () => {
  const { egress, note } = watch()
  note(30, ended('timeout', 'head'))
  note(30, ended('blocked_address'))
  note(30, { ...ended('internal'), outcome: 'unknown' })
  assert.equal(egress.isSuspect(), false)
})
