import assert from 'node:assert/strict'
import { once } from 'node:events'
import type net from 'node:net'
import { test } from 'node:test'
import fc from 'fast-check'
import { answer, answerAfter, type Behaviour, hang, raw, reset, startReceiver } from '#test/receiver.ts'
import { openSenderBench } from '#test/sender-bench.ts'
import { egressPolicy } from './address-rules.ts'
import { createSender } from './sender.ts'

const closeOrderly: Behaviour = (socket) => void socket.end()

test('a connection is reused, and then tells no times of connecting', async (t) => {
  const { send, receiver } = await openSenderBench(t)
  const first = await send()
  const second = await send()
  assert.deepEqual([first.connection_reused, second.connection_reused], [false, true])
  assert.deepEqual([second.connect_ms, second.tls_ms, second.tls_version], [null, null, 'TLSv1.3'])
  assert.equal(second.resolved_ip, '127.0.0.1')
  assert.deepEqual(
    receiver.requests.map(({ connection }) => connection),
    [1, 1],
  )
})

for (const [name, status] of [
  ['a failure by status', 500],
  ['an empty 204', 204],
] as const)
  test(`${name} leaves the connection for the next attempt`, async (t) => {
    const { send, receiver } = await openSenderBench(t)
    receiver.script(answer({ status }))
    await send()
    assert.equal((await send()).connection_reused, true)
  })

for (const [name, gone] of [
  ['closed', closeOrderly],
  ['reset', reset],
] as const)
  test(`a reused connection that is ${name} before any answer byte is replaced within the attempt`, async (t) => {
    const { send, receiver } = await openSenderBench(t)
    receiver.script(answer(), gone)
    await send()
    const result = await send()
    assert.equal(result.outcome, 'succeeded')
    assert.equal(result.connection_reused, false)
    assert.ok(result.connect_ms !== null && result.tls_ms !== null)
    const tried = result.addresses.map(({ address, connection_reused, error_class }) => [
      ...[address, connection_reused, error_class],
    ])
    assert.deepEqual(tried, [
      ['127.0.0.1', true, gone === reset ? 'connect_reset' : 'closed'],
      ['127.0.0.1', false, null],
    ])
    assert.deepEqual(
      receiver.requests.map(({ connection }) => connection),
      [1, 1, 2],
    )
  })

test('it is replaced once only', async (t) => {
  const { send, receiver } = await openSenderBench(t)
  receiver.script(answer(), closeOrderly, closeOrderly)
  await send()
  const result = await send()
  assert.equal(result.error_class, 'closed')
  assert.equal(result.connection_reused, false)
  assert.equal(receiver.requests.length, 3)
})

test('it is not replaced once a byte of the answer has arrived', async (t) => {
  const { send, receiver } = await openSenderBench(t)
  receiver.script(answer(), (socket) => void socket.end('H'))
  await send()
  const result = await send()
  assert.equal(result.error_class, 'closed')
  assert.equal(result.connection_reused, true)
  assert.equal(receiver.requests.length, 2)
})

test('a fresh connection that closes is a failure, not repeated', async (t) => {
  const { send, receiver } = await openSenderBench(t)
  receiver.script(closeOrderly)
  assert.equal((await send()).error_class, 'closed')
  assert.equal(receiver.requests.length, 1)
})

test('a receiver that closed while the connection was idle is simply connected to again', async (t) => {
  const { send, receiver } = await openSenderBench(t)
  await send()
  receiver.dropConnections()
  await receiver.waitForIdle()
  const result = await send()
  assert.equal(result.outcome, 'succeeded')
  assert.equal(receiver.requests.length, 2)
})

test('an answer with connection: close is complete and its connection is not kept', async (t) => {
  const { send, receiver, sender } = await openSenderBench(t)
  receiver.script(answer({ headers: { connection: 'close' } }))
  assert.equal((await send()).outcome, 'succeeded')
  assert.equal((await send()).connection_reused, false)
  assert.equal(sender.connections.open, 1)
})

test('bytes that nobody asked for close an idle connection and reach no result', async (t) => {
  const { send, receiver } = await openSenderBench(t)
  receiver.script(raw('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\nHTTP/1.1 500 Poison\r\ncontent-length: 0\r\n\r\n'))
  await send()
  const result = await send()
  assert.equal(result.response_status, 200)
  assert.equal(result.connection_reused, false)
})

test('no more idle connections are kept than the limit', async (t) => {
  const { send, sender, receiver } = await openSenderBench(t, { sender: { connections_idle_max: 2 } })
  const { promise, resolve } = Promise.withResolvers<void>()
  receiver.script(...Array.from({ length: 5 }, () => answerAfter(promise)))
  const results = Array.from({ length: 5 }, () => send())
  await receiver.waitFor(5)
  assert.deepEqual(sender.connections, { open: 5, idle: 0 })
  resolve()
  for (const { outcome } of await Promise.all(results)) assert.equal(outcome, 'succeeded')
  assert.equal(sender.connections.idle, 2)
})

test('the connection used longest ago makes room for a new one', async (t) => {
  const { send, sender, receiver } = await openSenderBench(t, { sender: { connections_idle_max: 2 } })
  const others = await Promise.all([startReceiver(), startReceiver()])
  t.after(() => Promise.all(others.map((other) => other.close())))
  await send()
  for (const other of others) await send({ url: other.url })
  assert.equal(sender.connections.idle, 2)
  await receiver.waitForIdle()
  assert.equal((await send({ url: others[1]?.url ?? '' })).connection_reused, true)
})

test('an idle connection is closed when its time is over', async (t) => {
  const { send, sender, receiver } = await openSenderBench(t, { sender: { connection_idle_ms_max: 50 } })
  await send()
  assert.equal(sender.connections.idle, 1)
  await receiver.waitForIdle()
  assert.equal((await send()).connection_reused, false)
})

test('an old connection is not used again, so that the certificate is verified now and then', async (t) => {
  const { send } = await openSenderBench(t, { sender: { connection_age_ms_max: 0 } })
  await send()
  assert.equal((await send()).connection_reused, false)
})

test('an abort ends running attempts as unknown / shutdown, and all later ones', async (t) => {
  const abort = new AbortController()
  const { send, receiver } = await openSenderBench(t, {
    sender: { signal: abort.signal },
    receiver: { behaviour: hang },
  })
  const running = [send(), send()]
  await receiver.waitFor(2)
  abort.abort()
  for (const result of [...(await Promise.all(running)), await send()]) {
    assert.equal(result.outcome, 'unknown')
    assert.equal(result.error_class, 'shutdown')
  }
  assert.equal(receiver.requests.length, 2)
})

test('an abort while the body is read keeps the outcome that the head decided', async (t) => {
  const abort = new AbortController()
  const { send, receiver } = await openSenderBench(t, { sender: { signal: abort.signal } })
  receiver.script(raw('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf'))
  const pending = send()
  await receiver.waitFor(1)
  // The head is on its way; a second exchange over another connection ends after it has been read.
  await send()
  abort.abort()
  const result = await pending
  assert.deepEqual([result.outcome, result.response_cut, result.error_class], ['succeeded', 'time', null])
})

test('an abort during the handshake is unknown / shutdown too', async (t) => {
  const abort = new AbortController()
  const { promise: connected, resolve } = Promise.withResolvers<net.Socket>()
  const { sender, receiver } = await openSenderBench(t, {
    sender: { signal: abort.signal },
    receiver: { transport: 'http', takeOver: (socket) => void socket.once('data', () => resolve(socket)) },
  })
  const pending = sender.send({ url: `https://localhost:${receiver.port}/`, headers: {}, body: Buffer.from('{}') })
  const socket = await connected
  abort.abort()
  const result = await pending
  assert.deepEqual([result.outcome, result.error_class, result.error_phase], ['unknown', 'shutdown', 'tls'])
  socket.resume()
  await once(socket, 'end')
})

test('closing ends running attempts and every connection', async (t) => {
  const { send, sender, receiver } = await openSenderBench(t)
  await send()
  receiver.script(hang)
  const running = send()
  await receiver.waitFor(2)
  sender.close()
  assert.equal((await running).error_class, 'shutdown')
  await receiver.waitForIdle()
})

for (const headers of [
  { 'bad name': 'x' },
  { good: 'line\nbreak' },
  { 'content-length': '99' },
  { 'transfer-encoding': 'chunked' },
])
  test(`a request that cannot be written, ${JSON.stringify(headers)}, is a fault of ours: unknown / internal`, async (t) => {
    const { send, receiver } = await openSenderBench(t)
    const result = await send({ headers })
    assert.deepEqual([result.outcome, result.error_class], ['unknown', 'internal'])
    assert.equal(receiver.requests.length, 0)
    assert.equal((await send()).outcome, 'succeeded')
  })

test('a url that is no url and a resolver that breaks are results, not exceptions', async (t) => {
  const broken = { peek: () => null, resolve: () => Promise.reject(new Error('broken')), close: () => {} }
  const sender = createSender(egressPolicy(), { resolver: broken })
  t.after(() => sender.close())
  const request = { headers: {}, body: Buffer.from('{}') }
  assert.equal((await sender.send({ ...request, url: 'no url' })).error_class, 'blocked_address')
  const result = await sender.send({ ...request, url: 'https://good.example/' })
  assert.deepEqual([result.outcome, result.error_class, result.error_detail], ['unknown', 'internal', 'broken'])
})

const HTTP_PIECES = [
  ...['HTTP/1.1 200 OK\r\n', 'HTTP/1.1 503 No\r\n', 'HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 204 No Content\r\n\r\n'],
  ...[
    'content-length: 3\r\n',
    'content-length: -1\r\n',
    'transfer-encoding: chunked\r\n',
    'connection: close\r\n',
    '\r\n',
  ],
  ...[
    'content-encoding: gzip\r\n',
    'upgrade: websocket\r\nconnection: upgrade\r\n',
    '3\r\nabc\r\n',
    '0\r\n\r\n',
    'fffffffff\r\n',
  ],
  ...['\x1f\x8b\x08\x00', '\x00\xff', ': x\r\n', 'a'.repeat(5_000), 'trailer: x\r\n\r\n'],
]

test('whatever bytes a receiver answers, an attempt ends within its deadline with a result of the closed lists', async (t) => {
  const { send, receiver } = await openSenderBench(t)
  const pieces = fc.array(
    fc.oneof(fc.constantFrom(...HTTP_PIECES), fc.string({ unit: 'binary-ascii', maxLength: 20 })),
    { maxLength: 8 },
  )
  await fc.assert(
    fc.asyncProperty(pieces, fc.boolean(), async (texts, then_close) => {
      const bytes = Buffer.from(texts.join(''), 'latin1')
      receiver.script((socket) => void (then_close ? socket.end(bytes) : socket.write(bytes)))
      const result = await send({ deadline_ms: 60 })
      assert.ok(result.total_ms < 4_000, `${result.total_ms} ms`)
      assert.notEqual(result.outcome, 'unknown', `${result.error_detail}`)
      const has_status = result.response_status !== null
      assert.equal(result.outcome === 'succeeded', has_status && Math.trunc((result.response_status ?? 0) / 100) === 2)
      assert.equal(result.error_class === null, result.outcome === 'succeeded')
    }),
    { numRuns: 250 },
  )
})
