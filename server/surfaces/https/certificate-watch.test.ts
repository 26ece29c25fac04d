import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createLog } from '#core/log.ts'
import { metrics } from '#core/metrics.ts'
import {
  createCertificateAuthority,
  day_ms,
  issueServerCertificate,
  server_lifetime_days,
} from './certificate-authority.ts'
import { certificateFaults, watchCertificate } from './certificate-watch.ts'
import type { TlsMaterial } from './tls-material.ts'
import { certificateNames } from './tls-material.ts'

const now = Date.parse('2026-11-22T12:00:00Z')

/** A certificate of the operator's for these names, of which so many days are left. */
async function certificateFor(hosts: string[], days_left: number): Promise<TlsMaterial> {
  const issued_at = now + (days_left - server_lifetime_days) * day_ms
  const pair = await issueServerCertificate(
    await createCertificateAuthority(issued_at),
    certificateNames(hosts),
    issued_at,
  )
  return { ...pair, ca_file: null, source: 'files', expires_at: now + days_left * day_ms }
}

const cases: { name: string; days_left: number; hosts: string[]; says: RegExp[] }[] = [
  { name: 'good for a while', days_left: 40, hosts: ['stint.example', 'localhost', '127.0.0.1'], says: [] },
  { name: 'good for two more weeks', days_left: 14.5, hosts: ['stint.example'], says: [] },
  {
    name: 'near its end',
    days_left: 13,
    hosts: ['stint.example'],
    says: [/STINT_TLS_CERT_FILE expires on 2026-12-05/],
  },
  { name: 'expired', days_left: -1, hosts: ['stint.example'], says: [/STINT_TLS_CERT_FILE expired on 2026-11-21/] },
  {
    name: 'for other names',
    days_left: 40,
    hosts: ['stint.example', 'login.stint.example', '192.0.2.1', '[2001:db8::1]'],
    says: [/is not for login\.stint\.example, 192\.0\.2\.1, \[2001:db8::1\], .* it is for .*DNS:stint\.example/],
  },
  {
    name: 'expired and for another name',
    days_left: -1,
    hosts: ['other.example'],
    says: [/expired/, /is not for other/],
  },
]
for (const { name, days_left, hosts, says } of cases) {
  test(`what clients object to in a certificate ${name} is told`, async () => {
    const faults = certificateFaults(await certificateFor(['stint.example'], days_left), hosts, now)
    assert.equal(faults.length, says.length, faults.join('\n'))
    for (const [place, words] of says.entries()) assert.match(faults[place] ?? '', words)
  })
}

test('a certificate that is not valid yet is told', async () => {
  const material = await certificateFor(['stint.example'], server_lifetime_days + 3)
  assert.match(certificateFaults(material, ['stint.example'], now)[0] ?? '', /is not valid before 2026-11-2/)
})

const check_interval_ms = 1_000

/** Watches a certificate; each look opens the next of `opened`, where an error is one that was thrown. */
function watch(
  t: TestContext,
  first: TlsMaterial,
  opened: (TlsMaterial | Error)[],
  hosts: string[],
  at: () => number = () => now,
) {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const lines: { level: string; msg: string; days_left?: number }[] = []
  const served: string[] = []
  const watched = watchCertificate(first, {
    hosts,
    open: async () => {
      const next = opened.shift()
      if (next instanceof Error || !next) throw next ?? new Error('looked too often')
      return next
    },
    setTls: ({ cert }) => served.push(cert),
    log: createLog('info', { write: (line: string) => void lines.push(JSON.parse(line)) }),
    now: at,
    check_interval_ms,
  })
  const look = async () => {
    t.mock.timers.tick(check_interval_ms)
    await new Promise(setImmediate)
  }
  return { ...watched, look, served, lines, logged: () => lines.map(({ level, msg }) => [level, msg]) }
}

test('a fault is logged once, gone with a good certificate, and both are in the metrics', async (t) => {
  const expired = await certificateFor(['stint.example'], -1)
  const good = await certificateFor(['stint.example', 'b.example'], 40)
  const { look, logged, faults, stop } = watch(t, expired, [expired, good], ['stint.example', 'b.example'])
  t.after(stop)
  await look()
  assert.deepEqual(logged(), [
    ['warn', 'certificate_fault'],
    ['warn', 'certificate_fault'],
  ])
  const told = await metrics.metrics()
  assert.match(
    told,
    new RegExp(`^tls_certificate_expiry_timestamp_seconds{source="files"} ${now / 1_000 - 86_400}$`, 'm'),
  )
  assert.match(told, /^tls_certificate_missing_names{source="files"} 1$/m)
  await look()
  assert.deepEqual(faults(), [])
  assert.match(await metrics.metrics(), /^tls_certificate_missing_names{source="files"} 0$/m)
})

test('a renewed certificate is served once, a failed check keeps the old one and is tried again', async (t) => {
  const first = await certificateFor(['stint.example'], 40)
  const second = await certificateFor(['stint.example'], 80)
  const opened = [first, new Error('half written'), second, second]
  const { look, logged, served, stop } = watch(t, first, opened, ['stint.example'])
  for (const _ of [...opened]) await look()
  stop()
  await look()
  assert.deepEqual(served, [second.cert])
  assert.deepEqual(logged(), [
    ['error', 'certificate_not_renewed'],
    ['info', 'certificate_served'],
  ])
})

test('the end of a certificate is told 30, 14, 7 and 1 days before, once each, however often it is looked at', async (t) => {
  const first = await certificateFor(['stint.example'], 31)
  const opened = Array.from({ length: 7 }, () => first)
  let passed_days = 0
  const { look, lines, stop } = watch(t, first, opened, ['stint.example'], () => now + passed_days * day_ms)
  t.after(stop)
  for (const days of [0, 1.5, 2, 17, 24.5, 30.5, 32]) {
    passed_days = days
    await look()
  }
  assert.deepEqual(
    lines.filter(({ msg }) => msg === 'certificate_expires').map(({ days_left }) => days_left),
    [29.5, 14, 6.5, 0.5],
  )
})
