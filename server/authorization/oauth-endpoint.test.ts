import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createRateLimit } from '#core/rate-limit.ts'
import { DatabaseUnavailable } from '#db/errors.ts'
import { createHttpServer } from '#surfaces/http-server.ts'
import { mountOAuthEndpoints, type OAuthEndpoint } from './oauth-endpoint.ts'
import { OAuthError } from './parameters.ts'

const now = () => 0

/** One endpoint in the HTTP application as the service makes it; it answers the parameters that it is asked to read. */
function applicationWith(t: TestContext, overrides: Partial<OAuthEndpoint> = {}) {
  const addresses = { base_url: '', problem_base: '', resource_metadata: '' }
  const app = createHttpServer({ addresses, hsts_max_age_s: 0, now })
  t.after(() => app.close())
  const endpoint: OAuthEndpoint = {
    operation: 'oauth.test',
    method: 'POST',
    path: '/oauth/test',
    handle: async ({ parameters, address }) => ({
      status: 200,
      body: { a: parameters.get('a') ?? null, address },
    }),
    ...overrides,
  }
  mountOAuthEndpoints(app, [endpoint], { networkOf: (address) => address })
  return (payload?: string | Buffer, headers: Record<string, string> = {}, method: 'POST' | 'GET' | 'HEAD' = 'POST') =>
    app.inject({
      method,
      url: '/oauth/test',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      ...(payload !== undefined && { payload }),
    })
}

const forms: [name: string, form: string, a: string | null][] = [
  ['a value', 'a=1&b=2', '1'],
  ['encoded', 'a=%C3%BC+x', 'ü x'],
  ['no value is absent', 'a=', null],
  ['an unknown name twice is ignored', 'b=1&b=2&a=3', '3'],
  ['a name that is the prototype', '__proto__=1&a=2', '2'],
  ['absent', 'b=1', null],
  ['nothing at all', '', null],
  ['no value beside a value', 'a=&a=1', '1'],
]
for (const [name, form, a] of forms) {
  test(`token.form: ${name}`, async (t) => {
    const { statusCode, body } = await applicationWith(t)(form)
    assert.deepEqual([statusCode, JSON.parse(body).a], [200, a])
  })
}

test('token.form: a charset and another spelling of the media type are the same type', async (t) => {
  const post = applicationWith(t)
  for (const type of ['application/x-www-form-urlencoded; charset=utf-8', 'APPLICATION/X-WWW-FORM-URLENCODED']) {
    assert.equal((await post('a=1', { 'content-type': type })).statusCode, 200)
  }
})

const bad: [name: string, form: string | Buffer, headers: Record<string, string>, status: number][] = [
  ['a parameter twice', 'a=1&a=2', {}, 400],
  ['NUL', 'a=%00', {}, 400],
  ['JSON', '{"a":1}', { 'content-type': 'application/json' }, 400],
  ['no media type', 'a=1', { 'content-type': '' }, 400],
  ['a broken media type', 'a=1', { 'content-type': 'form' }, 400],
  ['multipart', 'a=1', { 'content-type': 'multipart/form-data; boundary=x' }, 400],
  ['bytes that are no text', Buffer.from([0x61, 0x3d, 0xff]), {}, 400],
  ['more than 64 KiB', `a=${'x'.repeat(65_536)}`, {}, 413],
]
for (const [name, form, headers, status] of bad) {
  test(`token.form: ${name} is refused as invalid_request`, async (t) => {
    const answer = await applicationWith(t)(form, headers)
    assert.deepEqual([answer.statusCode, answer.json().error], [status, 'invalid_request'], answer.body)
    assert.equal(answer.headers['cache-control'], 'no-store')
  })
}

const thrown: [name: string, error: unknown, status: number, code: string, retry: string | undefined][] = [
  ['a database that is away', new DatabaseUnavailable('away'), 503, 'temporarily_unavailable', '5'],
  ['a defect', new Error('secret of ours'), 500, 'server_error', undefined],
  ['a refused client', new OAuthError('invalid_client', 'client: is unknown'), 401, 'invalid_client', undefined],
]
for (const [name, error, status, code, retry] of thrown) {
  test(`a fault of ours never looks like a bad credential: ${name} answers ${status} ${code}`, async (t) => {
    const answer = await applicationWith(t, { handle: () => Promise.reject(error) })('a=1')
    assert.deepEqual([answer.statusCode, answer.json().error], [status, code])
    assert.equal(answer.headers['retry-after'], retry)
    assert.equal('www-authenticate' in answer.headers, status === 401)
    assert.doesNotMatch(answer.body, /secret of ours|away/)
  })
}

test('beyond its limit a network is told to wait, and never that its request is bad', async (t) => {
  const post = applicationWith(t, { limit: createRateLimit('test', { requests_max: 1, window_s: 60, now }) })
  assert.equal((await post('a=1')).statusCode, 200)
  const answer = await post('{')
  assert.deepEqual([answer.statusCode, answer.json().error], [429, 'temporarily_unavailable'])
  assert.equal(answer.headers['retry-after'], '60')
})

test('without CORS no other origin reads the answer; with it every one does, but not with the cookies of the browser', async (t) => {
  const closed = await applicationWith(t)('a=1', { origin: 'https://evil.example' })
  assert.equal(closed.headers['access-control-allow-origin'], undefined)
  const open = await applicationWith(t, { cors: true })('a=1', { origin: 'https://evil.example' })
  assert.equal(open.headers['access-control-allow-origin'], '*')
  assert.equal(open.headers['access-control-allow-credentials'], undefined)
  assert.match(String(open.headers['access-control-expose-headers']), /www-authenticate/)
})

test('a GET has its parameters in the query, and HEAD answers like it without a body', async (t) => {
  const send = applicationWith(t, { method: 'GET' })
  assert.equal((await send(undefined, {}, 'GET')).statusCode, 200)
  const head = await send(undefined, {}, 'HEAD')
  assert.deepEqual([head.statusCode, head.body], [200, ''])
  const post = await send('a=1')
  assert.deepEqual([post.statusCode, post.headers.allow], [405, 'GET, HEAD'])
})
