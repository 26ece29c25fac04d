import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { settingsTable } from '#boot/config.ts'
import { createWholeService } from '#boot/service.ts'
import { readSettings } from '#boot/settings.ts'
import { createLog } from '#core/log.ts'
import { newId } from '#core/values.ts'
import { openDatabase } from '#db/database.ts'
import { newToken } from '#identity/token-format.ts'
import { freePort } from '#test/process.ts'

const client_id = 'cli_0000000000000000000000'
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const page = { 'stint-console': '1', 'sec-fetch-site': 'same-origin' }

/** The service with a database that is away. */
async function serviceWithout() {
  const connection = { host: '127.0.0.1', port: await freePort(), user: 'nobody', database: 'nothing' }
  const service = createWholeService({
    config: readSettings(settingsTable, {}),
    origin: 'https://stint.test',
    database: openDatabase(connection, { connections_max: 2 }),
    connection,
    secrets: { sealing_keys: [{ id: 'test', key: randomBytes(32) }] },
    clock: { now: Date.now },
    log: createLog('silent'),
    strict: true,
  })
  await service.app.ready()
  return service
}

const bearer = () => ({ authorization: `Bearer ${newToken('oauth', false)}` })
const posts: [url: string, payload: Record<string, string>][] = [
  ['/oauth/token', { grant_type: 'refresh_token', client_id, refresh_token: newToken('refresh', false) }],
  ['/oauth/token', { grant_type: 'authorization_code', client_id, code: newToken('code', false) }],
  ['/oauth/revoke', { client_id, token: newToken('refresh', false) }],
  ['/oauth/introspect', { client_id, token: newToken('oauth', false) }],
]

test('a database that is away looks like nothing else: 503 with Retry-After, and no credential is called bad', async (t) => {
  const service = await serviceWithout()
  t.after(() => service.app.close())
  for (const [url, parameters] of posts) {
    const payload = new URLSearchParams(parameters).toString()
    const answer = await service.app.inject({ method: 'POST', url, headers: form, payload })
    assert.deepEqual([answer.statusCode, answer.json().error], [503, 'temporarily_unavailable'], url)
    assert.ok(Number(answer.headers['retry-after']) > 0)
    assert.equal(answer.headers['www-authenticate'], undefined)
  }
  const cookie = `__Host-stint_session=${randomBytes(32).toString('base64url')}`
  const others = [
    { url: `/oauth/authorize?client_id=${client_id}&redirect_uri=http://127.0.0.1/callback` },
    { url: `/console/auth/consent/${'x'.repeat(43)}`, headers: { ...page, cookie } },
    { url: '/rest/v2/contracts', headers: bearer() },
    { method: 'DELETE' as const, url: `/rest/v2/oauth-grants/${newId(0)}`, headers: bearer() },
  ]
  for (const request of others) {
    const answer = await service.app.inject(request)
    assert.equal(answer.statusCode, 503, request.url)
    assert.ok(Number(answer.headers['retry-after']) > 0, request.url)
    assert.equal(answer.headers['www-authenticate'], undefined)
    if (request.url.startsWith('/oauth/authorize')) assert.match(answer.body, /The service is not available/)
  }
  assert.equal((await service.app.inject({ url: '/.well-known/oauth-authorization-server' })).statusCode, 200)
})
