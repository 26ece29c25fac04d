import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { startTestService, type TestService } from '#test/service.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

/** Places where JSON is read beside the REST API, whose operations have own tests, and how each says what is wrong. */
const places = {
  'the registration of clients': {
    url: '/oauth/register',
    headers: {},
    twice: '400 invalid_client_metadata',
    charset: '415 invalid_client_metadata',
    coding: '415 invalid_request',
  },
  'the console': {
    url: '/console/auth/session',
    headers: { 'stint-console': '1', 'sec-fetch-site': 'same-origin', host: 'stint.test' },
    twice: '400 malformed_json',
    charset: '415 unsupported_media_type',
    coding: '415 unsupported_media_type',
  },
  'the tool server': {
    url: '/mcp',
    headers: { accept: 'application/json, text/event-stream', host: 'stint.test' },
    twice: '400 -32700',
    charset: '415 415',
    coding: '415 415',
  },
}

for (const [name, { url, headers, twice, charset, coding }] of Object.entries(places)) {
  const post = async (payload: string | Buffer, more: Record<string, string> = {}) => {
    const all = { 'content-type': 'application/json', ...headers, ...more }
    const answer = await service.app.inject({ method: 'POST', url, headers: all, payload })
    const { error, code } = answer.json()
    return { said: `${answer.statusCode} ${code ?? error?.code ?? error}`, headers: answer.headers }
  }

  test(`${name}: a member that a body names twice is refused, at any depth`, async () => {
    assert.equal((await post('{"a":1,"a":1}')).said, twice)
    assert.equal((await post('{"a":[{"b":{"c":1,"c":2}}]}')).said, twice)
  })

  test(`${name}: a body in another charset is refused`, async () => {
    assert.equal((await post('{}', { 'content-type': 'application/json; charset=iso-8859-1' })).said, charset)
  })

  test(`${name}: a packed body is refused, and the answer says what is taken`, async () => {
    const refused = await post(gzipSync('{}'), { 'content-encoding': 'gzip' })
    assert.deepEqual([refused.said, refused.headers['accept-encoding']], [coding, 'identity'])
  })
}

test('a query that is not percent-encoded UTF-8 is refused at the authorization server too', async () => {
  const answer = await service.app.inject({ url: '/oauth/authorize?state=%ff', headers: { host: 'stint.test' } })
  assert.equal(answer.statusCode, 400)
})
