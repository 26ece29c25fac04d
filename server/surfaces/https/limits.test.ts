import assert from 'node:assert/strict'
import { once } from 'node:events'
import { constants } from 'node:http2'
import { type TestContext, test } from 'node:test'
import { connect, type TLSSocket } from 'node:tls'
import { echo, getHttp2, getHttps, openHttp2, readToEnd, startListener, type TestListener } from '#test/listener.ts'

const quick = { headers_timeout_ms: 20, request_timeout_ms: 40, timeout_check_interval_ms: 10 }

test('a header of HTTP/1.1 may have nearly 16 KiB, a larger one is reported and never served', async (t) => {
  const started = await startListener(t, { handler: echo() })
  assert.equal((await getHttps(started, { headers: { 'X-Large': 'x'.repeat(15_000) } })).status, 200)
  const reported = once(started.listener.server, 'clientError')
  const refused = assert.rejects(getHttps(started, { headers: { 'X-Large': 'x'.repeat(17_000) } }))
  const [error, socket] = await reported // for Fastify's clientErrorHandler to answer
  assert.equal(error.code, 'HPE_HEADER_OVERFLOW')
  socket.destroy()
  await refused
})

test('a header of HTTP/2 is let through up to 32 KiB, to be answered; a larger one ends its stream alone', async (t) => {
  const session = await openHttp2(t, await startListener(t, { handler: echo() }))
  const ask = (length: number) => session.request({ ':path': '/', 'x-large': 'x'.repeat(length) })
  const [answer] = await once(ask(30_000), 'response')
  assert.equal(answer[':status'], 200)
  await assert.rejects(once(ask(34_000), 'response'), /NGHTTP2_ENHANCE_YOUR_CALM|NGHTTP2_REFUSED_STREAM/)
  assert.equal((await getHttp2(session, '/')).status, 200)
})

test('a client is told that 100 HTTP/2 streams may run at a time', async (t) => {
  const session = await openHttp2(t, await startListener(t, { handler: echo() }))
  assert.equal(session.remoteSettings.maxConcurrentStreams, 100)
})

for (const { name, sent } of [
  { name: 'sends nothing', sent: '' },
  { name: 'sends half a header', sent: 'GET / HTTP/1.1\r\nHost: ' },
  { name: 'sends half a body', sent: 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf' },
]) {
  test(`an HTTP/1.1 client that ${name} is ended when its time is up`, async (t) => {
    const socket = await openHttp1(t, await startListener(t, { handler: echo(), limits: quick }))
    socket.write(sent)
    assert.match(await readToEnd(socket), /^(HTTP\/1\.1 408 |$)/)
  })
}

test('an HTTP/2 request whose body does not arrive in time is cancelled, the connection goes on', async (t) => {
  const session = await openHttp2(t, await startListener(t, { handler: echo(), limits: quick }))
  const stream = session.request({ ':path': '/', ':method': 'POST' })
  stream.write('half')
  await once(stream, 'close')
  assert.equal(stream.rstCode, constants.NGHTTP2_CANCEL)
  assert.equal((await getHttp2(session, '/', 'whole')).status, 200)
})

test('an answer may take longer than a request', async (t) => {
  const started = await startListener(t, {
    handler: (request, response) => {
      request.resume().on('end', () => setTimeout(() => response.end('late'), 3 * quick.request_timeout_ms))
    },
    limits: quick,
  })
  assert.equal((await getHttps(started, { method: 'POST', body: 'x' })).body, 'late')
  assert.equal((await getHttp2(await openHttp2(t, started), '/', 'x')).body, 'late')
})

test('a kept HTTP/1.1 connection is closed when no request follows', async (t) => {
  const started = await startListener(t, { handler: echo(), limits: { keep_alive_timeout_ms: 20 } })
  const socket = await openHttp1(t, started)
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  assert.match(await readToEnd(socket), /^HTTP\/1\.1 200 /)
})

test('an HTTP/2 connection without a byte in either direction is told to go away', async (t) => {
  const session = await openHttp2(t, await startListener(t, { handler: echo(), limits: { inactivity_timeout_ms: 30 } }))
  const [code] = await once(session, 'goaway')
  assert.equal(code, constants.NGHTTP2_NO_ERROR)
  await once(session, 'close')
})

test('a connection whose answer never comes is cut after a time without a byte', async (t) => {
  const started = await startListener(t, { handler: () => {}, limits: { inactivity_timeout_ms: 30 } })
  const stream = (await openHttp2(t, started)).request({ ':path': '/' })
  await once(stream, 'close')
  await assert.rejects(getHttps(started), { code: 'ECONNRESET' })
})

async function openHttp1(t: TestContext, { port, ca }: TestListener): Promise<TLSSocket> {
  const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', ca })
  t.after(() => socket.destroy())
  await once(socket, 'secureConnect')
  return socket
}
