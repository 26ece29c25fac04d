import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestService, type TestService } from '#test/service.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

test('every answer carries its request id, which a caller may choose', async () => {
  const { headers } = await service.call('GET', '/organizations')
  assert.match(String(headers['request-id']), /^[0-9a-f-]{36}$/)
  const chosen = await service.call('GET', '/organizations', { headers: { 'request-id': 'my-own.1' } })
  assert.equal(chosen.headers['request-id'], 'my-own.1')
})

test('the request id of a refusal is in its body, its header and the log', async () => {
  const { headers, body } = await service.call('GET', '/organizations', { token: null })
  assert.equal(body.request_id, headers['request-id'])
  const lines = service.logged.map((line) => JSON.parse(line))
  assert.ok(lines.some((line) => line.request_id === body.request_id && line.problem === 'unauthenticated'))
})

for (const id of ['x'.repeat(65), 'a b', 'a\r\nSet-Cookie: b', '<b>', '']) {
  test(`a request id that could do harm is replaced: ${JSON.stringify(id).slice(0, 30)}`, async () => {
    const answer = await service.app.inject({ url: '/rest/v2/organizations', headers: { 'request-id': id } })
    assert.match(String(answer.headers['request-id']), /^[0-9a-f-]{36}$/)
  })
}

test('every answer is for this caller only and is what it says, also where the router itself refuses', async () => {
  for (const path of ['/organizations', '/nowhere', '/%zz', `/contracts/${'a'.repeat(300)}`]) {
    const { headers } = await service.call('GET', path)
    assert.match(String(headers['request-id']), /^[0-9a-f-]{36}$/)
    assert.equal(headers['cache-control'], 'no-store')
    assert.equal(headers['x-content-type-options'], 'nosniff')
  }
})

test('strict transport security is sent to public names, and to no name that stands for this computer', async () => {
  const sentTo = async (host: string) =>
    (await service.app.inject({ url: '/rest/v2/organizations', headers: { host } })).headers[
      'strict-transport-security'
    ]
  for (const host of ['stint.test', 'stint.test:8443', 'localhost.example.org'])
    assert.match(String(await sentTo(host)), /^max-age=31536000/, host)
  for (const host of ['localhost', 'localhost:8443', 'app.localhost:8443', '127.0.0.1:8443', '[::1]:8443'])
    assert.equal(await sentTo(host), undefined, host)
})

test('a path that is no UTF-8 is refused as what it is', async () => {
  for (const url of ['/%', '/rest/v2/%ff']) {
    const answer = await service.app.inject({ url })
    assert.deepEqual([answer.statusCode, answer.json().code], [400, 'validation_failed'], url)
  }
})

test('a path that nothing stands at answers 404 as a problem', async () => {
  for (const url of ['/rest', '/rest/v1/organizations', '/rest/v2/Organizations', '/rest/v2/organizations/']) {
    const answer = await service.app.inject({ url })
    assert.equal(answer.statusCode, 404, url)
    assert.match(String(answer.headers['content-type']), /^application\/problem\+json/, url)
    assert.equal(JSON.parse(answer.body).code, 'not_found', url)
  }
})

test('no answer names the software behind it', async () => {
  const { headers } = await service.call('GET', '/organizations')
  assert.deepEqual(
    ['server', 'x-powered-by'].filter((name) => name in headers),
    [],
  )
})

for (const method of ['OPTIONS', 'TRACE', 'PUT', 'QUERY']) {
  test(`${method} on a path that does not know it answers 405 and names what the path knows`, async () => {
    const { status, headers } = await service.call(method, '/organizations', { token: null })
    assert.deepEqual([status, headers.allow], [405, 'GET, HEAD'])
  })
}

test('an encoded spelling of a path knows the methods of the path', async () => {
  for (const url of ['/%6frganizations', '/webhooks/%65vents']) {
    const { status, headers } = await service.call('PATCH', url)
    assert.deepEqual([status, headers.allow], [405, 'GET, HEAD'], url)
  }
})

test('what the framework refuses is the caller’s mistake and no failure of ours', async () => {
  const { status, body } = await service.call('QUERY', '/nowhere')
  assert.equal(`${status} ${body.code}`, '415 unsupported_media_type')
})

test('a body field of an operation that takes none is unknown, named by its JSON Pointer', async () => {
  const { status, body } = await service.call('DELETE', '/api-tokens/019cadc6-9a80-70df-929e-750f1228d11d', {
    body: { 'a/b~c': 1 },
  })
  assert.deepEqual(
    [status, body.errors],
    [400, [{ pointer: '/a~1b~0c', message: 'is not a body field of this operation' }]],
  )
})

test('a caller without the scope is told so before its body is read', async () => {
  const token = await service.createToken(service.organization.id, { scopes: ['people:read'] })
  const { status } = await service.call('POST', '/contracts?stray=1', { token, body: '{ no JSON' })
  assert.equal(status, 403)
})
