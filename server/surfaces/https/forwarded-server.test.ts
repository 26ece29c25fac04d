import assert from 'node:assert/strict'
import { once } from 'node:events'
import {
  Agent,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestOptions,
  request as startRequest,
} from 'node:http'
import { type TestContext, test } from 'node:test'
import {
  type Answer,
  echo,
  getHttp2,
  getHttps,
  openHttp2,
  openPlain,
  readToEnd,
  startListener,
} from '#test/listener.ts'
import type { SecureListener, SecureListenerOptions } from './listener.ts'

async function startTrusting(t: TestContext, options: Partial<SecureListenerOptions> = {}) {
  const urls: (string | undefined)[] = []
  let listener: SecureListener | undefined
  const answer = echo((request) => listener?.clientAddress(request) ?? '')
  const started = await startListener(t, {
    trusted_proxies: ['127.0.0.0/8'],
    handler: (request, response) => {
      urls.push(request.url)
      answer(request, response)
    },
    ...options,
  })
  listener = started.listener
  return { ...started, urls }
}

for (const { name, headers, status } of [
  { name: 'https', headers: { 'X-Forwarded-Proto': 'https' }, status: 200 },
  { name: 'nothing', headers: {}, status: 403 },
  { name: 'http', headers: { 'X-Forwarded-Proto': 'http' }, status: 403 },
  { name: 'HTTPS in capitals', headers: { 'X-Forwarded-Proto': 'HTTPS' }, status: 403 },
  { name: 'an empty value', headers: { 'X-Forwarded-Proto': '' }, status: 403 },
  { name: 'a list', headers: { 'X-Forwarded-Proto': 'https, http' }, status: 403 },
  { name: 'https twice', headers: { 'X-Forwarded-Proto': ['https', 'https'] }, status: 403 },
  { name: 'https in another header only', headers: { Forwarded: 'proto=https', 'X-Forwarded-Ssl': 'on' }, status: 403 },
]) {
  test(`a trusted proxy without TLS that forwards ${name} gets ${status}`, async (t) => {
    const started = await startTrusting(t)
    const answer = await getPlain(started, { headers, method: 'POST', body: 'hello' })
    assert.equal(answer.status, status)
    if (status === 200) return assert.equal(JSON.parse(answer.body).body, 'hello')
    assert.equal(JSON.parse(answer.body).code, 'https_required')
    assert.equal(answer.headers['content-type'], 'application/problem+json')
    assert.equal(answer.headers.connection, 'close')
    assert.equal(answer.headers.location, undefined)
    assert.deepEqual(started.urls, [])
  })
}

for (const { name, forwarded, status } of [
  { name: 'nothing', forwarded: undefined, status: 200 },
  { name: 'https', forwarded: 'https', status: 200 },
  { name: 'http', forwarded: 'http', status: 403 },
]) {
  test(`a trusted proxy with TLS that forwards ${name} gets ${status}`, async (t) => {
    const started = await startTrusting(t)
    const headers = forwarded === undefined ? {} : { 'X-Forwarded-Proto': forwarded }
    assert.equal((await getHttps(started, { headers })).status, status)
    const stream = (await openHttp2(t, started)).request({ ':path': '/', ...headers })
    const [answer] = await once(stream, 'response')
    assert.equal(answer[':status'], status)
  })
}

test('the forwarded client address counts from a trusted proxy, with and without TLS', async (t) => {
  const started = await startTrusting(t)
  const headers = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-For': '203.0.113.9' }
  assert.equal(JSON.parse((await getPlain(started, { headers })).body).client, '203.0.113.9')
  assert.equal(JSON.parse((await getHttps(started, { headers })).body).client, '203.0.113.9')
})

test('forwarded headers from anybody else mean nothing', async (t) => {
  const started = await startTrusting(t, { trusted_proxies: ['192.0.2.1'] })
  const headers = { 'X-Forwarded-Proto': 'http', 'X-Forwarded-For': '203.0.113.9' }
  const answer = await getHttps(started, { headers })
  assert.deepEqual([answer.status, JSON.parse(answer.body).client], [200, '127.0.0.1'])
  const session = await openHttp2(t, started)
  assert.equal(JSON.parse((await getHttp2(session, '/')).body).client, '127.0.0.1')
  const plain = await getPlain(started, { headers: { ...headers, 'X-Forwarded-Proto': 'https' } })
  assert.equal(plain.status, 403)
})

test('a kept connection of a proxy is checked at every request and closed by the first refusal', async (t) => {
  const started = await startTrusting(t)
  let connections = 0
  started.listener.server.on('connection', () => connections++)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.after(() => agent.destroy())
  const statuses = []
  for (const proto of ['https', 'https', 'http', 'https']) {
    statuses.push((await getPlain(started, { agent, headers: { 'X-Forwarded-Proto': proto } })).status)
  }
  assert.deepEqual(statuses, [200, 200, 403, 200])
  assert.equal(connections, 2)
})

test('a proxy in the middle of a long upload can still read the refusal', async (t) => {
  const { port } = await startTrusting(t)
  const request = startRequest({ port, host: '127.0.0.1', method: 'POST', agent: false })
  request.on('error', () => request.destroy()) // the upload may fail; the answer must not
  request.write(Buffer.alloc(500_000))
  const [response] = (await once(request, 'response')) as [IncomingMessage] // the event's declared argument
  assert.equal(response.statusCode, 403)
  assert.match(Buffer.concat(await response.toArray()).toString(), /https_required/)
})

test('a refused upload that never ends is cut after the linger time', async (t) => {
  const socket = await openPlain(t, await startTrusting(t, { limits: { linger_timeout_ms: 20 } }))
  socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n')
  assert.match(await readToEnd(socket), /^HTTP\/1\.1 403 /)
})

for (const { proto, first } of [
  { proto: 'https', first: 'HTTP/1.1 100 Continue' },
  { proto: 'http', first: 'HTTP/1.1 403 Forbidden' },
]) {
  test(`a proxy that asks before it sends a body is told ${first} where it forwards ${proto}`, async (t) => {
    const socket = await openPlain(t, await startTrusting(t))
    const head = `POST / HTTP/1.1\r\nHost: a\r\nX-Forwarded-Proto: ${proto}\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n`
    socket.write(head)
    const [chunk] = await once(socket, 'data')
    assert.equal(String(chunk).split('\r\n')[0], first)
  })
}

test('a request whose header is not complete in time is ended', async (t) => {
  const limits = { headers_timeout_ms: 20, timeout_check_interval_ms: 10 }
  const socket = await openPlain(t, await startTrusting(t, { limits }))
  socket.write('GET / HTTP/1.1\r\nX-Forwarded-Proto: https\r\n')
  assert.match(await readToEnd(socket), /^(HTTP\/1\.1 408 |$)/)
})

test('a request that is no HTTP is reported like one over TLS', async (t) => {
  const started = await startTrusting(t)
  const reported = once(started.listener.server, 'clientError')
  const socket = await openPlain(t, started)
  socket.write('nonsense\r\n\r\n')
  const [error, reported_socket] = await reported
  reported_socket.destroy()
  assert.match(error.code, /^HPE_/)
})

interface PlainRequest extends RequestOptions {
  headers?: OutgoingHttpHeaders
  body?: string
}

async function getPlain({ port }: { port: number }, options: PlainRequest): Promise<Answer> {
  const request = startRequest({ host: '127.0.0.1', port, agent: false, ...options })
  request.end(options.body)
  const [response] = (await once(request, 'response')) as [IncomingMessage] // the event's declared argument
  const body = Buffer.concat(await response.toArray()).toString()
  return { status: response.statusCode ?? 0, headers: response.headers, body }
}
