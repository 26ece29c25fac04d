import assert from 'node:assert/strict'
import { Agent } from 'node:https'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import fastify, { type FastifyInstance } from 'fastify'
import { getHttp2, getHttps, openHttp2, openPlain, problem, readToEnd, test_tls } from '#test/listener.ts'
import { verifies } from '#test/verifies.ts'
import { createSecureListener, type SecureListener } from './listener.ts'

const json = { 'Content-Type': 'application/json' }

/** Fastify as the service starts it: its server is the listener's. */
async function startFastify(t: TestContext) {
  const made = Promise.withResolvers<SecureListener>()
  const app: FastifyInstance = fastify({
    bodyLimit: 1_000,
    serverFactory: (handler) => {
      const listener = createSecureListener({ tls: test_tls, handler, problem })
      made.resolve(listener)
      return listener.server
    },
  })
  const listener = await made.promise
  app.all('/echo', (request) => ({
    version: request.raw.httpVersion,
    body: request.body,
    host: request.host,
    client: listener.clientAddress(request.raw),
  }))
  const arrived = Promise.withResolvers<void>()
  const held = Promise.withResolvers<string>()
  app.get('/held', () => {
    arrived.resolve()
    return held.promise
  })
  app.get('/failure', () => {
    throw new Error('on purpose')
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  t.after(() => app.close())
  const { port } = app.server.address() as AddressInfo // a TCP server that listens has one
  return { app, listener, port, ca: test_tls.ca, arrived: arrived.promise, finish: held.resolve }
}

test('Fastify serves HTTP/1.1 requests with bodies on a kept connection', async (t) => {
  const started = await startFastify(t)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.after(() => agent.destroy())
  let connections = 0
  started.listener.server.on('secureConnection', () => connections++)
  for (const body of [{ a: 1 }, { b: 2 }]) {
    const answer = await getHttps(started, {
      agent,
      method: 'POST',
      path: '/echo',
      headers: json,
      body: JSON.stringify(body),
    })
    const host = `127.0.0.1:${started.port}`
    const expected = { version: '1.1', body, host, client: '127.0.0.1' }
    verifies('1.json-over-https').deepEqual(JSON.parse(answer.body), expected)
  }
  assert.equal(connections, 1)
})

test('Fastify serves HTTP/2 requests with bodies side by side', async (t) => {
  const started = await startFastify(t)
  const session = await openHttp2(t, started)
  const bodies = Array.from({ length: 20 }, (_, n) => ({ n }))
  const answers = await Promise.all(bodies.map((body) => getHttp2(session, '/echo', JSON.stringify(body), json)))
  const host = `127.0.0.1:${started.port}`
  for (const [n, answer] of answers.entries()) {
    assert.deepEqual(JSON.parse(answer.body), { version: '2.0', body: { n }, host, client: '127.0.0.1' })
  }
})

for (const { name, path, body, status } of [
  { name: 'an unknown path', path: '/nowhere', body: undefined, status: 404 },
  { name: 'a failing handler', path: '/failure', body: undefined, status: 500 },
  { name: 'a body beyond the limit', path: '/echo', body: JSON.stringify('x'.repeat(1_001)), status: 413 },
]) {
  test(`Fastify's own answers come over both versions: ${name} is ${status}`, async (t) => {
    const started = await startFastify(t)
    const session = await openHttp2(t, started)
    assert.equal((await getHttp2(session, path, body, json)).status, status)
    const method = body === undefined ? 'GET' : 'POST'
    const request = { path, method, headers: json, ...(body !== undefined && { body }) }
    assert.equal((await getHttps(started, request)).status, status)
  })
}

test('plain HTTP never reaches Fastify', async (t) => {
  const started = await startFastify(t)
  let requests = 0
  started.app.server.on('request', () => requests++)
  const socket = await openPlain(t, started)
  socket.write('GET /echo HTTP/1.1\r\nHost: localhost\r\n\r\n')
  assert.match(await readToEnd(socket), /https_required/)
  assert.equal(requests, 0)
})

test('inject needs no connection', async (t) => {
  const { app } = await startFastify(t)
  const answer = await app.inject({ method: 'POST', url: '/echo', payload: { a: 1 }, remoteAddress: '192.0.2.1' })
  assert.deepEqual([answer.statusCode, answer.json().body, answer.json().client], [200, { a: 1 }, '192.0.2.1'])
})

for (const { name, close } of [
  {
    name: 'the listener, then Fastify',
    close: (app: FastifyInstance, listener: SecureListener) => listener.close(30_000).then(() => app.close()),
  },
  { name: 'Fastify alone', close: (app: FastifyInstance) => app.close() },
  {
    name: 'both at once',
    close: (app: FastifyInstance, listener: SecureListener) => Promise.all([app.close(), listener.close(30_000)]),
  },
]) {
  test(`closing ${name} lets a running request finish and keeps no connection`, async (t) => {
    const { app, listener, arrived, finish, ...started } = await startFastify(t)
    const agent = new Agent({ keepAlive: true })
    t.after(() => agent.destroy())
    const idle = new Agent({ keepAlive: true })
    t.after(() => idle.destroy())
    await getHttps({ listener, ...started }, { agent: idle, path: '/echo' })
    await openHttp2(t, { listener, ...started })
    const running = getHttps({ listener, ...started }, { agent, path: '/held' })
    await arrived
    const closed = close(app, listener)
    finish('done')
    assert.equal((await running).body, 'done')
    await closed
    assert.equal(listener.server.listening, false)
  })
}
