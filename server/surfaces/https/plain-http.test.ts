import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as startRequest } from 'node:http'
import { test } from 'node:test'
import { openPlain, problem, readToEnd, startListener } from '#test/listener.ts'
import { verifies } from '#test/verifies.ts'
import type { SecureListenerOptions } from './listener.ts'

/** A listener whose handler is the failure of the test. */
async function startClosedListener(
  t: Parameters<typeof startListener>[0],
  options: Partial<SecureListenerOptions> = {},
) {
  const served: unknown[] = []
  /** Ids of the requests that were refused. */
  const refused: string[] = []
  const started = await startListener(t, {
    handler: (request, response) => {
      served.push(request.url)
      response.end()
    },
    problem: (request_id) => {
      refused.push(request_id)
      return problem(request_id)
    },
    ...options,
  })
  return { ...started, served, refused }
}

for (const { name, sent } of [
  { name: 'GET of the API', sent: 'GET /rest/v2/contracts HTTP/1.1\r\nHost: localhost\r\n\r\n' },
  { name: 'GET of the root', sent: 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n' },
  { name: 'HTTP/1.0', sent: 'GET / HTTP/1.0\r\n\r\n' },
  { name: 'POST with a body', sent: 'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}' },
  { name: 'a method OpenSSL does not know', sent: 'PURGE / HTTP/1.1\r\nHost: localhost\r\n\r\n' },
  { name: 'CONNECT', sent: 'CONNECT localhost:443 HTTP/1.1\r\nHost: localhost\r\n\r\n' },
  { name: 'an upgrade', sent: 'GET / HTTP/1.1\r\nHost: a\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n' },
  { name: 'HTTP/2 without TLS', sent: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' },
  { name: 'a bearer token', sent: 'GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer stint_org_x\r\n\r\n' },
  { name: 'a claim to have come by HTTPS', sent: 'GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-Proto: https\r\n\r\n' },
  { name: 'a request that has only begun', sent: 'G' },
  { name: 'bytes that are no HTTP', sent: '\0\0\0' },
]) {
  test(`plain HTTP is refused and the connection closed: ${name}`, async (t) => {
    const started = await startClosedListener(t)
    const socket = await openPlain(t, started)
    socket.write(sent)
    const answer = await readToEnd(socket)
    const [head = '', body = ''] = answer.split('\r\n\r\n')
    verifies('7.plain-http').match(head, /^HTTP\/1\.1 403 Forbidden\r\n/)
    assert.match(head, /\r\nConnection: close/)
    assert.match(head, /\r\nContent-Type: application\/problem\+json\r\n/)
    assert.doesNotMatch(head, /location/i)
    const [request_id = '', ...others] = started.refused
    assert.match(request_id, /^[0-9a-f-]{36}$/)
    assert.match(head, new RegExp(`\\r\\nRequest-Id: ${request_id}(\\r\\n|$)`))
    assert.deepEqual(JSON.parse(body), problem(request_id))
    assert.deepEqual(others, [])
    verifies('5.1.https').deepEqual(started.served, [])
  })
}

test('an answer to HEAD has the length of the problem and no content', async (t) => {
  const socket = await openPlain(t, await startClosedListener(t))
  socket.write('HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  assert.match(await readToEnd(socket), /\r\nContent-Length: [1-9]\d+\r\n[^{]*\r\n\r\n$/)
})

test('each refusal has a request id of its own', async (t) => {
  const started = await startClosedListener(t)
  for (let connections = 0; connections < 3; connections += 1) {
    const socket = await openPlain(t, started)
    socket.write('GET / HTTP/1.1\r\n\r\n')
    await readToEnd(socket)
  }
  assert.equal(new Set(started.refused).size, 3)
})

test('a problem document is sent with its length in bytes', async (t) => {
  const socket = await openPlain(t, await startClosedListener(t, { problem: () => ({ code: 'own wörds' }) }))
  socket.write('GET / HTTP/1.1\r\n\r\n')
  assert.match(await readToEnd(socket), /\r\nContent-Length: 21\r\n[\s\S]*\r\n\r\n\{"code":"own wörds"\}$/)
})

test('a client in the middle of a long upload can still read the refusal', async (t) => {
  const { port } = await startClosedListener(t)
  const request = startRequest({ port, host: '127.0.0.1', method: 'POST', agent: false })
  request.on('error', () => request.destroy()) // the upload may fail; the answer must not
  request.write(Buffer.alloc(500_000))
  const [response] = await once(request, 'response')
  assert.equal(response.statusCode, 403)
  assert.match(Buffer.concat(await response.toArray()).toString(), /https_required/)
})

test('a refused connection that is held open is cut after the linger time', async (t) => {
  const socket = await openPlain(t, await startClosedListener(t, { limits: { linger_timeout_ms: 20 } }))
  socket.resume().write('GET / HTTP/1.1\r\n\r\n')
  await once(socket, 'end')
  const cut = once(socket, 'error')
  const drip = setInterval(() => socket.write('x'), 5)
  t.after(() => clearInterval(drip))
  assert.match(String(await cut), /ECONNRESET|EPIPE/)
})

test('a refused connection that goes on sending is cut at the linger bytes', async (t) => {
  const limits = { linger_timeout_ms: 60_000, linger_bytes_max: 100_000 }
  const socket = await openPlain(t, await startClosedListener(t, { limits }))
  const cut = once(socket, 'error')
  const pour = () => socket.write(Buffer.alloc(65_536), (error) => error ?? pour())
  pour()
  assert.match(String(await cut), /ECONNRESET|EPIPE/)
})

test('a connection that stays silent is dropped', async (t) => {
  const socket = await openPlain(t, await startClosedListener(t, { limits: { first_byte_timeout_ms: 20 } }))
  assert.equal(await readToEnd(socket), '')
})

test('a connection that ends without a byte is closed without an answer', async (t) => {
  const started = await startClosedListener(t)
  const socket = await openPlain(t, started)
  socket.end()
  assert.equal(await readToEnd(socket), '')
  assert.deepEqual(started.refused, [])
})

test('a connection reset before its first byte leaves the listener serving', async (t) => {
  const started = await startClosedListener(t)
  const accepted = once(started.listener.server, 'connection')
  const socket = await openPlain(t, started)
  const [taken] = await accepted
  const gone = new Promise((resolve) => taken.once('close', resolve))
  socket.resetAndDestroy()
  await gone
  const next = await openPlain(t, started)
  next.write('GET / HTTP/1.1\r\n\r\n')
  assert.match(await readToEnd(next), /https_required/)
})
