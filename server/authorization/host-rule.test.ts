import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useTestService } from '#test/service.ts'

const resource_metadata = '/.well-known/oauth-protected-resource/mcp'
const server_metadata = '/.well-known/oauth-authorization-server'

const hostile: Record<string, string>[] = [
  { host: 'evil.example' },
  { forwarded: 'host=evil.example;proto=http' },
  { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' },
  { 'x-forwarded-port': '1', 'x-original-url': '/evil' },
]
for (const headers of hostile) {
  test(`host.injection: ${Object.keys(headers).join(', ')} changes no issued address`, async (t) => {
    const { app } = await useTestService(t)
    for (const url of [resource_metadata, server_metadata]) {
      const [plain, forged] = await Promise.all([app.inject({ url }), app.inject({ url, headers })])
      assert.equal(forged.body, plain.body)
    }
    const challenge = (await app.inject({ url: '/rest/v2/organizations', headers })).headers['www-authenticate']
    assert.match(String(challenge), /^Bearer resource_metadata="https:\/\/stint\.test\//)
  })
}

const hosts: [host: string, listen_host: string, status: number][] = [
  ['stint.test', '0.0.0.0', 404],
  ['STINT.test:443', '0.0.0.0', 404],
  ['localhost:8443', '0.0.0.0', 403],
  ['evil.example', '0.0.0.0', 403],
  ['stint.test.evil.example', '0.0.0.0', 403],
  ['stint.test:8443', '0.0.0.0', 404],
  ['', '0.0.0.0', 403],
  ['localhost:8443', '127.0.0.1', 404],
  ['127.0.0.1:9', '::1', 404],
  ['[::1]:8443', 'localhost', 404],
  ['localhost.evil.example', '127.0.0.1', 403],
]
for (const [host, listen_host, status] of hosts) {
  test(`host.injection: ${host || 'no name'} at an endpoint of a service on ${listen_host} is answered ${status}`, async (t) => {
    const { app } = await useTestService(t, { STINT_HOST: listen_host })
    for (const url of ['/oauth/nothing', '/console/auth/nothing']) {
      const answer = await app.inject({ url, headers: { host } })
      assert.equal(answer.statusCode, status, url)
    }
    assert.equal((await app.inject({ url: '/openapi.json', headers: { host } })).statusCode, 200)
  })
}

test('host.injection: an encoded spelling that the router knows is refused as the plain one is', async (t) => {
  const { app } = await useTestService(t)
  for (const url of [
    '/%6fauth/authorize',
    '/oauth%2Fauthorize',
    '/%63onsole/sign-in',
    '/console/%61uth/session',
    '/%63onsole',
  ]) {
    for (const method of ['GET', 'DELETE'] as const) {
      const { statusCode, body } = await app.inject({ method, url, headers: { host: 'evil.example' } })
      assert.equal(statusCode, 403, `${method} ${url}`)
      assert.match(body, /this host is not served/i)
    }
  }
})

const apart: [host: string, url: string, status: number][] = [
  ['stint.test', '/rest/v2/organizations', 401],
  ['stint.test', resource_metadata, 200],
  ['stint.test', server_metadata, 404],
  ['stint.test', '/.well-known/oauth-%61uthorization-server', 404],
  ['stint.test', '/openapi.json', 200],
  ['login.stint.test', '/%72est/v2/organizations', 404],
  ['login.stint.test', '/rest/v2/%6frganizations', 404],
  ['login.stint.test', '/open%61pi.json', 404],
  ['login.stint.test', '/rest/v2/organizations', 404],
  ['login.stint.test', resource_metadata, 404],
  ['login.stint.test', server_metadata, 200],
  ['login.stint.test', '/openapi.json', 404],
]
test('where the addresses differ, each path answers on its own host only, and the issuer is the other address', async (t) => {
  const { app } = await useTestService(t, { STINT_AUTH_URL: 'https://login.stint.test' })
  for (const [host, url, status] of apart) {
    const { statusCode } = await app.inject({ url, headers: { host } })
    assert.equal(statusCode, status, `${host} ${url}`)
  }
  const { body } = await app.inject({ url: server_metadata, headers: { host: 'login.stint.test' } })
  const { issuer, protected_resources } = JSON.parse(body)
  assert.equal(issuer, 'https://login.stint.test')
  assert.deepEqual(protected_resources, ['https://stint.test/mcp', 'https://stint.test/rest/v2'])
})

const api_host = 'stint.test'
const auth_host = 'login.stint.test'
/** Every class of paths, the host it is at home on, and how it is asked. */
const classes: [home: string, method: 'GET' | 'POST' | 'OPTIONS' | 'PUT', paths: string[]][] = [
  [
    api_host,
    'GET',
    ['/rest/v2/contracts', '/mcp', '/mcp?readonly=1', '/docs', '/docs/problems/not_found', '/openapi.json'],
  ],
  [api_host, 'GET', [resource_metadata, '/.well-known/oauth-protected-resource']],
  [api_host, 'GET', ['/.well-known/oauth-protected-resource/rest/v2']],
  [api_host, 'POST', ['/rest/v2/contracts', '/mcp', '/docs', '/openapi.json', resource_metadata]],
  [api_host, 'OPTIONS', ['/mcp', '/docs', resource_metadata]],
  [api_host, 'PUT', ['/rest/v2/contracts', '/mcp', '/docs']],
  [
    auth_host,
    'GET',
    ['/oauth/authorize', '/oauth/token', '/console', '/console/', '/console/sign-in', '/console/auth/session'],
  ],
  [auth_host, 'GET', ['/console/authorize/x', server_metadata]],
  [
    auth_host,
    'POST',
    ['/oauth/token', '/oauth/register', '/oauth/introspect', '/oauth/revoke', '/console/auth/session'],
  ],
  [auth_host, 'OPTIONS', ['/oauth/token', '/oauth/register', '/oauth/revoke', server_metadata]],
  [auth_host, 'PUT', ['/oauth/token', '/console/auth/session', server_metadata]],
]
test('where the addresses differ, a path of the other host is not found whatever it is asked for, and leaves no stack in the log', async (t) => {
  const service = await useTestService(t, { STINT_AUTH_URL: `https://${auth_host}` })
  for (const [home, method, urls] of classes) {
    for (const url of urls) {
      const ask = (host: string) => {
        const headers = { host, authorization: 'Bearer nothing', 'content-type': 'application/json' }
        return service.app.inject({ method, url, headers, ...(method === 'POST' && { payload: '{}' }) })
      }
      const from = service.logged.length
      const stray = await ask(home === api_host ? auth_host : api_host)
      assert.equal(stray.statusCode, 404, `${method} ${url}`)
      for (const line of service.logged.slice(from)) {
        const { level, err } = JSON.parse(line)
        assert.deepEqual([level, err], ['info', undefined], `${method} ${url}: ${line}`)
      }
      assert.notEqual((await ask(home)).statusCode, 404, `${method} ${home}${url}`)
    }
  }
})
