import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TlsMaterial } from './tls-material.ts'
import { renewTls } from './tls-renewal.ts'

const check_interval_ms = 1_000
const material = (cert: string): TlsMaterial => ({ cert, key: 'k', ca_file: null, source: 'files', expires_at: 0 })

test('a renewed certificate is served once, a failed check keeps the old one and is tried again', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const checks = [
    () => Promise.resolve(material('first')),
    () => Promise.reject(new Error('half written')),
    () => Promise.resolve(material('second')),
    () => Promise.resolve(material('second')),
  ]
  const served: string[] = []
  const errors: unknown[] = []
  let checked = 0
  const stop = renewTls({
    current: material('first'),
    open: () => checks[checked++]?.() ?? Promise.reject(new Error('checked too often')),
    setTls: ({ cert }) => served.push(cert),
    onError: (error) => errors.push(error),
    check_interval_ms,
  })
  for (const _ of checks) {
    t.mock.timers.tick(check_interval_ms)
    await new Promise(setImmediate)
  }
  stop()
  t.mock.timers.tick(check_interval_ms)
  assert.equal(checked, checks.length)
  assert.deepEqual(served, ['second'])
  assert.equal(errors.length, 1)
})
