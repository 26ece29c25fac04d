import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { request } from 'undici'
import { createCertificateAuthority, issueServerCertificate } from '#surfaces/https/certificate-authority.ts'
import { certificateNames } from '#surfaces/https/tls-material.ts'
import { freePort, startServiceProcess } from '#test/process.ts'
import { dataFolder } from '#test/stint.ts'

test('a certificate that is expired and for another name is told at the start, in readiness and in metrics', async (t) => {
  const data_dir = await dataFolder(t)
  const issued_at = Date.parse('2020-01-01T00:00:00Z')
  const authority = await createCertificateAuthority(issued_at)
  const { cert, key } = await issueServerCertificate(authority, certificateNames(['old.example']), issued_at)
  const [STINT_TLS_CERT_FILE, STINT_TLS_KEY_FILE] = [join(data_dir, 'cert.pem'), join(data_dir, 'key.pem')]
  await Promise.all([writeFile(STINT_TLS_CERT_FILE, cert), writeFile(STINT_TLS_KEY_FILE, key)])
  const service = await startServiceProcess({
    data_dir,
    port: await freePort(),
    environment: { STINT_TLS_CERT_FILE, STINT_TLS_KEY_FILE, STINT_BASE_URL: 'https://stint.example' },
  })
  t.after(() => service.kill('SIGTERM'))
  assert.match(service.printed, /^Clients will object: the certificate in STINT_TLS_CERT_FILE expired on 20/m)
  assert.match(service.printed, /^Clients will object: .* is not for stint\.example/m)
  assert.doesNotMatch(service.printed, /cacert/)
  const management = /http:\/\/127\.0\.0\.1:\d+/.exec(service.printed)?.[0]
  const ready = await request(`${management}/health/ready`)
  const { status, checks, warnings } = (await ready.body.json()) as Record<string, Record<string, string>>
  assert.deepEqual([ready.statusCode, status, checks?.certificate, checks?.disk], [200, 'ok', null, null])
  assert.match(warnings?.certificate ?? '', /expired on 20.*; .*is not for stint\.example/)
  const told = await (await request(`${management}/metrics`)).body.text()
  assert.match(told, /^tls_certificate_expiry_timestamp_seconds\{source="files"\} 1[56]\d{8}$/m)
  assert.match(told, /^tls_certificate_missing_names\{source="files"\} 1$/m)
})
