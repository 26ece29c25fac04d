import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answer, type ReceiverOptions, startReceiver } from '#test/receiver.ts'
import { answerTo, assertResult, openSenderBench } from '#test/sender-bench.ts'
import { verifies } from '#test/verifies.ts'
import { egressPolicy } from './address-rules.ts'
import type { ErrorClass } from './attempt.ts'
import { createSender } from './sender.ts'

const TLS: [name: string, receiver: ReceiverOptions, expected: ErrorClass][] = [
  ['expired', { certificate: 'expired' }, 'tls_certificate'],
  ['self-signed', { certificate: 'self_signed' }, 'tls_certificate'],
  ['wrong host', { certificate: 'wrong_host' }, 'tls_certificate'],
  ['unknown root', { certificate: 'unknown_root' }, 'tls_certificate'],
  [
    'TLS 1.0 only',
    { tls: { minVersion: 'TLSv1', maxVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' } },
    'tls_handshake',
  ],
  [
    'TLS 1.1 only',
    { tls: { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } },
    'tls_handshake',
  ],
  [
    'plain HTTP on the port',
    { transport: 'http', takeOver: (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n') },
    'tls_handshake',
  ],
  [
    'closed in the handshake',
    { transport: 'http', takeOver: (socket) => socket.once('data', () => socket.end()).on('end', () => {}) },
    'tls_handshake',
  ],
  [
    'reset in the handshake',
    { transport: 'http', takeOver: (socket) => socket.once('data', () => socket.resetAndDestroy()) },
    'connect_reset',
  ],
]

for (const [name, receiver, expected] of TLS)
  test(`resp.tls ${name} is ${expected}, and the request is not sent`, async (t) => {
    const bench = await openSenderBench(t, { receiver })
    const result = await bench.send({ url: `https://localhost:${bench.receiver.port}/hook`, deadline_ms: 3_000 })
    assertResult(result, {
      outcome: 'failed',
      error_class: expected,
      error_phase: 'tls',
      tls_version: null,
      tls_ms: null,
    })
    assert.ok(result.connect_ms !== null)
    verifies('6.2.valid-certificate').equal(bench.receiver.requests.length, 0)
  })

test('resp.tls TLS 1.2 is good enough and recorded', async (t) => {
  const { result } = await answerTo(t, answer(), { tls: { maxVersion: 'TLSv1.2' } })
  assertResult(result, { outcome: 'succeeded', tls_version: 'TLSv1.2' })
})

test('resp.tls no environment variable switches the verification off', async (t) => {
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
  t.after(() => delete process.env.NODE_TLS_REJECT_UNAUTHORIZED)
  const { result, receiver } = await answerTo(t, answer(), { certificate: 'self_signed' })
  assertResult(result, { error_class: 'tls_certificate' })
  assert.equal(receiver.requests.length, 0)
})

test('proxy variables are ignored', async (t) => {
  const proxy = await startReceiver({ transport: 'http' })
  t.after(() => proxy.close())
  const names = ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'HTTP_PROXY', 'NODE_USE_ENV_PROXY']
  for (const name of names) process.env[name] = name === 'NODE_USE_ENV_PROXY' ? '1' : `http://127.0.0.1:${proxy.port}`
  t.after(() => {
    for (const name of names) delete process.env[name]
  })
  const { result } = await answerTo(t, answer())
  assertResult(result, { outcome: 'succeeded' })
  assert.equal(proxy.connections, 0)
})

test('a port on which nobody listens is connect_refused', async (t) => {
  const closed = await startReceiver()
  await closed.close()
  const { send } = await openSenderBench(t)
  const result = await send({ url: closed.url })
  verifies('6.2.failure-network').equal(result.outcome, 'failed')
  assertResult(result, {
    error_class: 'connect_refused',
    error_phase: 'connect',
    resolved_ip: '127.0.0.1',
    connect_ms: null,
  })
})

test('resp.leak a blocked address that would greet with a banner: it is not contacted, nothing of it is in the result', async (t) => {
  const banner = await startReceiver({ transport: 'http', takeOver: (socket) => socket.write('220 secret banner\r\n') })
  t.after(() => banner.close())
  const sender = createSender(egressPolicy())
  t.after(() => sender.close())
  const result = await sender.send({ url: `https://127.0.0.1:${banner.port}/`, headers: {}, body: Buffer.from('{}') })
  assertResult(result, { error_class: 'blocked_address', response_body: null, response_headers: null })
  assert.doesNotMatch(JSON.stringify(result), /secret/)
  assert.equal(banner.connections, 0)
})

test('resp.leak a permitted port that greets with a banner instead of TLS gives nothing of it away', async (t) => {
  const bench = await openSenderBench(t, {
    receiver: { transport: 'http', takeOver: (socket) => void socket.write('220 secret banner\r\n') },
  })
  const result = await bench.send({ url: `https://localhost:${bench.receiver.port}/` })
  assertResult(result, { error_class: 'tls_handshake' })
  assert.doesNotMatch(JSON.stringify(result), /secret/)
})
