import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { startTestService } from '#test/service.ts'

const pages = [
  '/console',
  '/console/webhooks',
  '/console/sign-in',
  '/console/set-up',
  `/console/authorize/${'x'.repeat(43)}`,
  '/console/invite',
  '/console/worker',
  '/console/worker/contracts/1',
]

/** A build as `vite build` leaves it, small enough to compare. */
async function startWithBuild(t: TestContext, isBuilt = true) {
  const folder = await mkdtemp(join(tmpdir(), 'stint-console-'))
  await mkdir(join(folder, 'assets'))
  for (const name of isBuilt ? ['app.html', 'auth.html', 'worker.html'] : []) {
    await writeFile(join(folder, name), '<!doctype html><title>Stint</title>')
  }
  await writeFile(join(folder, 'assets', 'auth-12345678.js'), 'plain')
  await writeFile(join(folder, 'assets', 'auth-12345678.js.br'), 'as br')
  await writeFile(join(folder, 'assets', 'auth-12345678.js.gz'), 'as gzip')
  const service = await startTestService({}, { console_dir: folder })
  t.after(async () => {
    await service.close()
    await rm(folder, { recursive: true })
  })
  return (url: string, headers: Record<string, string> = {}) =>
    service.app.inject({ url, headers: { host: 'stint.test', ...headers } })
}

test('every page is HTML that is never stored, under a policy that allows nothing inline and no frame', async (t) => {
  const get = await startWithBuild(t)
  for (const page of pages) {
    const { statusCode, headers } = await get(page)
    assert.deepEqual([statusCode, headers['content-type']], [200, 'text/html; charset=utf-8'], page)
    assert.equal(
      headers['content-security-policy'],
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    )
    assert.deepEqual(
      [
        'cache-control',
        'referrer-policy',
        'x-frame-options',
        'x-content-type-options',
        'cross-origin-resource-policy',
      ].map((name) => headers[name]),
      ['no-store', 'no-referrer', 'DENY', 'nosniff', 'same-origin'],
    )
    assert.match(String(headers['strict-transport-security']), /^max-age=31536000/)
    assert.match(String(headers['permissions-policy']), /publickey-credentials-get=\(self\).*camera=\(\)/)
  }
})

test('popup.opener: only the pages that a client opens in a popup keep their opener', async (t) => {
  const get = await startWithBuild(t)
  const policies = await Promise.all(pages.map(async (page) => (await get(page)).headers['cross-origin-opener-policy']))
  const isolated = pages.map((page) => (/sign-in|authorize/.test(page) ? 'unsafe-none' : 'same-origin'))
  assert.deepEqual(policies, isolated)
})

const encodings: [accepted: string, encoding: string | undefined, body: string][] = [
  ['gzip, deflate, br', 'br', 'as br'],
  ['gzip', 'gzip', 'as gzip'],
  ['br;q=0, gzip;q=0.5', 'gzip', 'as gzip'],
  ['br;q=0.000', undefined, 'plain'],
  ['brotli', undefined, 'plain'],
  ['', undefined, 'plain'],
]
test('a hashed file is immutable and comes as the client takes it', async (t) => {
  const get = await startWithBuild(t)
  for (const [accepted, encoding, body] of encodings) {
    const answer = await get('/console/assets/auth-12345678.js', { 'accept-encoding': accepted })
    assert.deepEqual(
      [answer.statusCode, answer.headers['content-encoding'], answer.body, answer.headers.vary],
      [200, encoding, body, 'Accept-Encoding'],
      accepted,
    )
    assert.equal(answer.headers['cache-control'], 'public, max-age=31536000, immutable')
    assert.equal(answer.headers['content-type'], 'text/javascript; charset=utf-8')
  }
})

const nothing = [
  'auth-12345678.js.br',
  '..%2fauth.html',
  '%2e%2e%2fauth.html',
  '__proto__',
  'auth.html',
  'a-87654321.js',
]
test('there are no files but those that pages name', async (t) => {
  const get = await startWithBuild(t)
  for (const name of nothing) {
    const { statusCode, headers } = await get(`/console/assets/${name}`)
    assert.deepEqual([statusCode, headers['cache-control']], [404, 'no-store'], name)
  }
})

test('an unknown page is a page of 404; an unknown endpoint a problem', async (t) => {
  const get = await startWithBuild(t)
  const page = await get('/console/nothing/here')
  assert.deepEqual([page.statusCode, page.headers['content-type']], [404, 'text/html; charset=utf-8'])
  for (const path of ['/console/auth/nothing', '/console/rest/v2/nothing']) {
    const endpoint = await get(path)
    assert.deepEqual([endpoint.statusCode, endpoint.json().code], [404, 'not_found'])
  }
})

test('without a build every page says with 503 how to make it, and the API runs on', async (t) => {
  const get = await startWithBuild(t, false)
  for (const page of pages) {
    const { statusCode, body, headers } = await get(page)
    assert.deepEqual([statusCode, headers['x-frame-options']], [503, 'DENY'])
    assert.match(body, /npm run build/)
  }
  const session = await get('/console/auth/session', { 'stint-console': '1', 'sec-fetch-site': 'same-origin' })
  assert.deepEqual([session.statusCode, session.json().session], [200, null])
  assert.equal((await get('/openapi.json')).statusCode, 200)
})
