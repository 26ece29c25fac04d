import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createLog } from '#core/log.ts'
import { echo, getHttp2, getHttps, makeTls, openHttp2, startListener } from '#test/listener.ts'
import { dataFolder } from '#test/stint.ts'
import { day_ms } from './certificate-authority.ts'
import { watchCertificate } from './certificate-watch.ts'
import { openTlsMaterial } from './tls-material.ts'

interface Line {
  msg: string
  days_left?: number
}

/** A listener whose certificate is watched as in a service, but for how often; each kind of log line can be waited for. */
async function serve(t: TestContext, open: () => ReturnType<typeof openTlsMaterial>, now: () => number = Date.now) {
  const first = await open()
  const started = await startListener(t, { handler: echo(), tls: first })
  const lines: Line[] = []
  const waiting = new Map<string, (line: Line) => void>()
  const write = (text: string) => {
    const line: Line = JSON.parse(text)
    lines.push(line)
    waiting.get(line.msg)?.(line)
  }
  const setTls = started.listener.setTls
  const log = createLog('info', { write })
  const watched = watchCertificate(first, { hosts: ['localhost'], open, setTls, log, now, check_interval_ms: 20 })
  t.after(watched.stop)
  const logged = (msg: string) => new Promise<Line>((resolve) => void waiting.set(msg, resolve))
  return { started, lines, logged, faults: watched.faults }
}

test("the operator's new files are served to new connections, half of them are not, and open connections go on", async (t) => {
  const folder = await dataFolder(t)
  const [cert_file, key_file] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const [former, next] = [await makeTls(), await makeTls()]
  await Promise.all([writeFile(cert_file, former.cert), writeFile(key_file, former.key)])
  const open = () => openTlsMaterial({ data_dir: folder, hosts: [], cert_file, key_file, now: Date.now })
  const { started, logged, faults, lines } = await serve(t, open)
  const session = await openHttp2(t, { ...started, ca: former.ca })
  const refused = logged('certificate_not_renewed')
  await writeFile(key_file, next.key)
  await refused
  assert.equal((await getHttps({ ...started, ca: former.ca })).status, 200)
  assert.match(faults().join(), /former certificate is still served.*does not match the first certificate/)
  const served = logged('certificate_served')
  await writeFile(cert_file, next.cert)
  await served
  assert.equal((await getHttps({ ...started, ca: next.ca })).status, 200)
  await assert.rejects(getHttps({ ...started, ca: former.ca }), { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' })
  assert.equal((await getHttp2(session, '/')).status, 200)
  assert.deepEqual(faults(), [])
  assert.equal(lines.filter(({ msg }) => msg === 'certificate_served').length, 1)
})

test('the certificate of the local authority renews itself while it is served, and clients go on trusting it', async (t) => {
  const data_dir = await dataFolder(t)
  let ahead_ms = -370 * day_ms
  const now = () => Date.now() + ahead_ms
  const { started, logged } = await serve(t, () => openTlsMaterial({ data_dir, hosts: [], now }), now)
  const ca = await readFile(join(data_dir, 'tls', 'ca.pem'), 'utf8')
  const former = await readFile(join(data_dir, 'tls', 'cert.pem'), 'utf8')
  const served = logged('certificate_served')
  ahead_ms = 0
  await served
  assert.notEqual(await readFile(join(data_dir, 'tls', 'cert.pem'), 'utf8'), former)
  assert.equal((await getHttps({ ...started, ca })).status, 200)
})
