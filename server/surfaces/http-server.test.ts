import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { getHttp2, openHttp2, problem, test_tls } from '#test/listener.ts'
import { startTestService, type TestService } from '#test/service.ts'
import { createHttpServer } from './http-server.ts'
import { createSecureListener, type SecureListener } from './https/listener.ts'

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
  for (const url of ['/rest', '/rest/v1/organizations', '/rest/v2/Organizations', '/rest/v2/lookups/']) {
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

test('whatever is sent to a path that nothing stands at, by whatever method, answers 404', async () => {
  for (const method of ['QUERY', 'POST', 'PROPFIND', 'DELETE']) {
    const { status, body } = await service.call(method, '/nowhere')
    assert.equal(`${status} ${body.code}`, '404 not_found', method)
  }
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

test('regression: a body that cannot be read is refused over HTTP/2 without a warning of the runtime', async (t) => {
  const warnings: string[] = []
  const keep = ({ message }: Error) => void warnings.push(message)
  process.on('warning', keep)
  t.after(() => process.off('warning', keep))
  const made = Promise.withResolvers<SecureListener>()
  const app = createHttpServer({
    addresses: { base_url: 'https://stint.test/rest/v2', problem_base: '', resource_metadata: '' },
    hsts_max_age_s: 1,
    now: Date.now,
    serverFactory: (handler) => {
      const listener = createSecureListener({ tls: test_tls, handler, problem })
      made.resolve(listener)
      return listener.server
    },
  })
  app.post('/echo', ({ body }) => body)
  await app.listen({ port: 0, host: '127.0.0.1' })
  t.after(() => app.close())
  const { port } = app.server.address() as AddressInfo // a TCP server that listens has one
  const session = await openHttp2(t, { listener: await made.promise, port, ca: test_tls.ca })
  for (const [body, type, status] of [
    ['{x', 'application/json', 400],
    ['{}', 'text/plain', 415],
    [JSON.stringify('x'.repeat(1_048_577)), 'application/json', 413],
  ] as const) {
    const answer = await getHttp2(session, '/echo', body, { 'Content-Type': type })
    assert.deepEqual([answer.status, answer.headers.connection], [status, undefined])
  }
  assert.deepEqual(warnings, [])
})
