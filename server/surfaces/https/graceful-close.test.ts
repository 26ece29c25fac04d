import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { Agent } from 'node:https'
import { type TestContext, test } from 'node:test'
import { connect } from 'node:tls'
import { echo, getHttp2, getHttps, openHttp2, openPlain, readToEnd, startListener } from '#test/listener.ts'

const grace_ms = 30_000

/** A listener that answers when the test says so. */
async function startHolding(t: TestContext, trusted_proxies: string[] = []) {
  const held: ServerResponse[] = []
  let arrived = Promise.withResolvers<void>()
  const started = await startListener(t, {
    trusted_proxies,
    handler: (_request, response) => {
      held.push(response)
      arrived.resolve()
      arrived = Promise.withResolvers()
    },
  })
  return {
    ...started,
    arrival: () => arrived.promise,
    answerAll() {
      for (const response of held.splice(0)) response.end('done')
    },
  }
}

test('a running HTTP/1.1 request finishes, learns that its connection ends, and then all is closed', async (t) => {
  const { listener, arrival, answerAll, ...started } = await startHolding(t)
  const agent = new Agent({ keepAlive: true })
  t.after(() => agent.destroy())
  const arrived = arrival()
  const answer = getHttps({ listener, ...started }, { agent })
  await arrived
  const closed = listener.close(grace_ms)
  answerAll()
  const { status, body, headers } = await answer
  assert.deepEqual([status, body, headers.connection], [200, 'done', 'close'])
  await closed
  await assert.rejects(getHttps({ listener, ...started }), { code: 'ECONNREFUSED' })
})

test('an HTTP/1.1 answer that has begun is sent to its end', async (t) => {
  const begun = Promise.withResolvers<ServerResponse>()
  const started = await startListener(t, {
    handler: (_request, response) => {
      response.write('first ', () => begun.resolve(response))
    },
  })
  const agent = new Agent({ keepAlive: true })
  t.after(() => agent.destroy())
  const answer = getHttps(started, { agent })
  const response = await begun.promise
  const closed = started.listener.close(grace_ms)
  response.end('last')
  assert.equal((await answer).body, 'first last')
  await closed
})

test('a running HTTP/2 request finishes, its session is told to go away and takes no other', async (t) => {
  const { arrival, answerAll, ...started } = await startHolding(t)
  const session = await openHttp2(t, started)
  const gone = once(session, 'goaway')
  const arrived = arrival()
  const answer = getHttp2(session, '/')
  await arrived
  const closed = started.listener.close(grace_ms)
  await gone
  await assert.rejects(getHttp2(session, '/'), { code: 'ERR_HTTP2_GOAWAY_SESSION' })
  answerAll()
  assert.equal((await answer).body, 'done')
  await closed
})

test('a running request of a trusted proxy finishes', async (t) => {
  const { arrival, answerAll, ...started } = await startHolding(t, ['127.0.0.1'])
  const socket = await openPlain(t, started)
  const arrived = arrival()
  socket.write('GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-Proto: https\r\n\r\n')
  await arrived
  const closed = started.listener.close(grace_ms)
  answerAll()
  const answer = await readToEnd(socket)
  assert.match(answer, /^HTTP\/1\.1 200 OK\r\nConnection: close\r\n[\s\S]*done/)
  socket.end()
  await closed
})

test('connections on which nothing runs are closed at once, whatever they speak', async (t) => {
  const started = await startListener(t, { handler: echo(), trusted_proxies: ['127.0.0.1'] })
  const agent = new Agent({ keepAlive: true })
  t.after(() => agent.destroy())
  await getHttps(started, { agent }) // kept after a request
  const accepted = once(started.listener.server, 'connection')
  const silent = await openPlain(t, started)
  await accepted
  const session = await openHttp2(t, started)
  const unused = connect({ port: started.port, host: '127.0.0.1', ca: started.ca })
  unused.resume()
  await once(unused, 'secureConnect')
  const ends = [silent, unused].map((socket) => once(socket, 'close'))
  silent.resume().on('end', () => silent.end())
  await Promise.all([started.listener.close(grace_ms), once(session, 'close'), ...ends])
})

test('what still runs after the grace is cut', async (t) => {
  const { arrival, ...started } = await startHolding(t)
  const first = arrival()
  const http1 = getHttps(started)
  await first
  const second = arrival()
  const http2 = getHttp2(await openHttp2(t, started), '/')
  await second
  const cut = [assert.rejects(http1), assert.rejects(http2)]
  await started.listener.close(10)
  await Promise.all(cut)
})

test('closing twice, or before listening, is closing once', async (t) => {
  const { listener } = await startListener(t, { handler: echo() })
  await Promise.all([listener.close(grace_ms), listener.close(grace_ms)])
  await listener.close(grace_ms)
})
