import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent } from 'node:https'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import { Agent as UndiciAgent, request as undiciRequest } from 'undici'
import {
  echo,
  getHttp2,
  getHttps,
  makeTls,
  openHttp2,
  openPlain,
  readToEnd,
  startListener,
  type TestListener,
} from '#test/listener.ts'

for (const { name, options, protocol, alpn } of [
  {
    name: 'HTTP/2 where the client prefers it',
    options: { ALPNProtocols: ['h2', 'http/1.1'] },
    protocol: 'TLSv1.3',
    alpn: 'h2',
  },
  {
    name: 'HTTP/1.1 where the client wants it',
    options: { ALPNProtocols: ['http/1.1'] },
    protocol: 'TLSv1.3',
    alpn: 'http/1.1',
  },
  { name: 'HTTP/1.1 where the client does not say', options: {}, protocol: 'TLSv1.3', alpn: false },
  { name: 'TLS 1.2', options: { maxVersion: 'TLSv1.2' as const }, protocol: 'TLSv1.2', alpn: false },
]) {
  test(`the listener agrees on ${name}`, async (t) => {
    const socket = await openTls(t, await startListener(t, { handler: echo() }), options)
    assert.deepEqual([socket.getProtocol(), socket.alpnProtocol], [protocol, alpn])
  })
}

for (const { name, options } of [
  {
    name: 'TLS 1.1',
    options: { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const,
  },
  { name: 'another protocol', options: { ALPNProtocols: ['spdy/3'] } },
]) {
  test(`the listener does not speak ${name}`, async (t) => {
    await assert.rejects(openTls(t, await startListener(t, { handler: echo() }), options), {
      code: /ALERT|NO_PROTOCOLS/,
    })
  })
}

test('HTTP/1.1 requests with bodies share one kept connection', async (t) => {
  const started = await startListener(t, { handler: echo() })
  let connections = 0
  started.listener.server.on('secureConnection', () => connections++)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.after(() => agent.destroy())
  for (const body of ['one', 'two', 'x'.repeat(1_000_000)]) {
    const answer = await getHttps(started, { agent, method: 'POST', path: '/a', body })
    assert.equal(answer.headers.connection, 'keep-alive')
    assert.deepEqual(JSON.parse(answer.body), { version: '1.1', method: 'POST', url: '/a', body, client: '' })
  }
  assert.equal(connections, 1)
})

test('HTTP/2 requests with bodies run side by side on one connection', async (t) => {
  const session = await openHttp2(t, await startListener(t, { handler: echo() }))
  const bodies = ['one', 'two', 'x'.repeat(1_000_000)]
  const answers = await Promise.all(bodies.map((body) => getHttp2(session, '/a', body)))
  for (const [i, body] of bodies.entries()) {
    const answer = JSON.parse(answers[i]?.body ?? '')
    assert.deepEqual(answer, { version: '2.0', method: 'POST', url: '/a', body, client: '' })
  }
})

for (const allowH2 of [true, false]) {
  test(`a client of another make is served over HTTP/${allowH2 ? '2' : '1.1'}`, async (t) => {
    const { port, ca } = await startListener(t, { handler: echo() })
    const dispatcher = new UndiciAgent({ allowH2, connect: { ca } })
    t.after(() => dispatcher.destroy())
    const answer = await undiciRequest(`https://localhost:${port}/`, { dispatcher, method: 'POST', body: 'hello' })
    const { version, body } = (await answer.body.json()) as Record<string, string> // as echo wrote it
    assert.deepEqual([answer.statusCode, version, body], [200, allowH2 ? '2.0' : '1.1', 'hello'])
  })
}

test('a TLS connection whose bytes arrive one by one is served like any other', async (t) => {
  const started = await startListener(t, { handler: echo() })
  const socket = await openTls(t, started, { socket: dripping(await openPlain(t, started)) })
  socket.write('GET /slow HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
  assert.match(await readToEnd(socket), /"url":"\/slow"/)
})

test('a renewed certificate is served to new connections, and open ones go on', async (t) => {
  const started = await startListener(t, { handler: echo() })
  const session = await openHttp2(t, started)
  const renewed = await makeTls()
  started.listener.setTls(renewed)
  assert.equal((await getHttp2(session, '/')).status, 200)
  assert.equal((await getHttps({ ...started, ca: renewed.ca })).status, 200)
  await assert.rejects(getHttps(started), { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' })
})

test('a pair that does not match is refused and the certificate in use stays', async (t) => {
  const started = await startListener(t, { handler: echo() })
  const { cert } = await makeTls()
  assert.throws(() => started.listener.setTls({ cert, key: 'nonsense' }))
  assert.equal((await getHttps(started)).status, 200)
})

test('connections beyond the most are closed at once', async (t) => {
  const started = await startListener(t, { handler: echo(), limits: { connections_max: 2 } })
  await Promise.all([openTls(t, started), openTls(t, started)])
  await assert.rejects(openTls(t, started), { code: /ECONNRESET|EPIPE/ })
})

test('a handshake that is not finished in time is cut', async (t) => {
  const started = await startListener(t, { handler: echo(), limits: { handshake_timeout_ms: 20 } })
  const socket = await openPlain(t, started)
  socket.write(Buffer.from([0x16, 3, 1]))
  assert.equal(await readToEnd(socket), '')
})

async function openTls(
  t: TestContext,
  { port, ca }: TestListener,
  options: ConnectionOptions = {},
): Promise<TLSSocket> {
  const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', ca, ...options })
  t.after(() => socket.destroy())
  await once(socket, 'secureConnect')
  return socket
}

/** Sends each byte in a packet of its own. */
function dripping(tcp: Socket): Duplex {
  tcp.setNoDelay()
  const slow = new Duplex({
    read() {},
    async write(chunk: Buffer, _encoding, done) {
      for (const byte of chunk) {
        tcp.write(Buffer.of(byte))
        await setImmediate()
      }
      done()
    },
  })
  tcp.on('data', (chunk) => slow.push(chunk)).on('end', () => slow.push(null))
  return slow
}
