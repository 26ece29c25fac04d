import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '#core/log.ts'
import { metrics } from '#core/metrics.ts'
import {
  createCertificateAuthority,
  day_ms,
  issueServerCertificate,
  server_lifetime_days,
} from './certificate-authority.ts'
import { certificateNames } from './certificate-names.ts'
import { certificateFaults, watchCertificate } from './certificate-watch.ts'
import type { TlsMaterial } from './tls-material.ts'

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

test('a fault is logged once, gone with a good certificate, and both are in the metrics', async () => {
  const logged: string[] = []
  const log = createLog('info', { write: (line: string) => void logged.push(line) })
  const expired = await certificateFor(['stint.example'], -1)
  const watch = watchCertificate(expired, { hosts: ['stint.example', 'b.example'], log, now: () => now })
  watch.look(expired)
  assert.deepEqual(
    logged.map((line) => JSON.parse(line)).map(({ level, msg }) => [level, msg]),
    [
      ['warn', 'certificate_fault'],
      ['warn', 'certificate_fault'],
    ],
  )
  const told = await metrics.metrics()
  assert.match(
    told,
    new RegExp(`^tls_certificate_expiry_timestamp_seconds{source="files"} ${now / 1_000 - 86_400}$`, 'm'),
  )
  assert.match(told, /^tls_certificate_missing_names{source="files"} 1$/m)
  watch.look(await certificateFor(['stint.example', 'b.example'], 40))
  assert.deepEqual(watch.faults(), [])
  assert.match(await metrics.metrics(), /^tls_certificate_missing_names{source="files"} 0$/m)
})
