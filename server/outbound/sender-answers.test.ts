import assert from 'node:assert/strict'
import { test } from 'node:test'
import zlib from 'node:zlib'
import { answer, answerAfter, raw, redirect } from '#test/receiver.ts'
import { answerTo, assertResult, openSenderBench } from '#test/sender-bench.ts'
import { verifies } from '#test/verifies.ts'
import type { ErrorClass } from './attempt.ts'
import { BODY_BYTES_MAX } from './call.ts'
import { ADDRESS_TIMEOUT_MS, DEADLINE_MS } from './sender.ts'

test('the deadline is 30 s, an address gets 10 s, a body 16 KiB', () => {
  verifies('8.receiver-time').equal(DEADLINE_MS, 30_000)
  assert.deepEqual([ADDRESS_TIMEOUT_MS, BODY_BYTES_MAX], [10_000, 16_384])
})

test('resp.status a 200 leaves complete evidence', async (t) => {
  const bench = await openSenderBench(t)
  bench.receiver.script(answer({ status: 200, headers: { 'X-Multi': 'a', 'retry-after': '7' }, body: 'thanks' }))
  const result = await bench.send()
  assertResult(result, {
    outcome: 'succeeded',
    error_class: null,
    error_phase: null,
    error_detail: null,
    response_status: 200,
    response_headers: { 'content-length': '6', 'x-multi': 'a', 'retry-after': '7' },
    response_cut: null,
    retry_after: '7',
    resolved_ip: '127.0.0.1',
    tls_version: 'TLSv1.3',
    connection_reused: false,
    dns_ms: null,
  })
  assert.equal(result.response_body?.toString(), 'thanks')
  const { connect_ms, tls_ms, first_byte_ms, total_ms } = result
  assert.ok(connect_ms !== null && tls_ms !== null && first_byte_ms !== null)
  assert.ok(connect_ms > 0 && tls_ms > 0 && connect_ms + tls_ms <= first_byte_ms && first_byte_ms <= total_ms)
})

test('resp.status the request is HTTP/1.1 with exactly the headers given, Host, Content-Length and Connection', async (t) => {
  const { send, receiver } = await openSenderBench(t)
  const body = Buffer.from('{"name":"Zoë €"}')
  await send({ url: `${receiver.url}?a=b%20c`, headers: { 'x-one': '1', 'content-type': 'application/json' }, body })
  const [request] = receiver.requests
  assert.equal(request?.raw_head.split('\r\n')[0], 'POST /hook?a=b%20c HTTP/1.1')
  assert.deepEqual(request?.headers, {
    host: `localhost:${receiver.port}`,
    connection: 'keep-alive',
    'x-one': '1',
    'content-type': 'application/json',
    'content-length': String(body.length),
  })
  assert.deepEqual(request?.body, body)
})

const STATUSES: [status: number, error_class: ErrorClass | null][] = [
  ...[200, 201, 202, 204, 299].map((status): [number, null] => [status, null]),
  ...[300, 304, 305, 600, 999].map((status): [number, ErrorClass] => [status, 'http_other']),
  ...[400, 401, 403, 404, 410, 429, 499].map((status): [number, ErrorClass] => [status, 'http_4xx']),
  ...[500, 502, 503, 599].map((status): [number, ErrorClass] => [status, 'http_5xx']),
]

for (const [status, error_class] of STATUSES)
  test(`resp.status ${status} is ${error_class ?? 'a success'}`, async (t) => {
    const { result, sender } = await answerTo(t, answer({ status, body: '' }))
    const is_2xx = status >= 200 && status <= 299
    const outcome = is_2xx ? 'succeeded' : 'failed'
    if (is_2xx) verifies('6.2.success').equal(result.outcome, 'succeeded')
    else verifies('6.2.failure-status', '4.5.2xx').equal(result.outcome, 'failed')
    if (status === 401) verifies('5.3.receiver-401').equal(result.outcome, 'failed')
    assertResult(result, { outcome, error_class, error_phase: null, response_status: status, response_cut: null })
    assert.equal(sender.connections.idle, 1, 'an answer that was read to its end leaves the connection usable')
  })

for (const status of [301, 302, 303, 307, 308])
  for (const location of ['https://169.254.169.254/latest/meta-data/', 'https://good.example/', '/elsewhere'])
    test(`resp.redirect ${status} to ${location} is a failure and is not followed`, async (t) => {
      const { result, receiver } = await answerTo(t, redirect(status, location))
      assertResult(result, { outcome: 'failed', error_class: 'redirect', response_status: status })
      assert.equal(result.response_headers?.location, location)
      assert.equal(receiver.requests.length, 1)
      assert.equal(receiver.connections, 1)
    })

for (const value of ['-1', '1e9', 'Wed, 21 Oct 2015 07:28:00 GMT', 'junk \xff', '5'])
  test(`resp.retry-after ${JSON.stringify(value)} is stored as it came`, async (t) => {
    const { result } = await answerTo(t, answer({ status: 503, headers: { 'retry-after': value } }))
    assertResult(result, { error_class: 'http_5xx', retry_after: value })
  })

const gzipped = zlib.gzipSync('hello')
const CODINGS: [coding: string, body: Buffer, kept: Buffer][] = [
  ['gzip', gzipped, Buffer.from('hello')],
  ['x-gzip', gzipped, Buffer.from('hello')],
  ['deflate', zlib.deflateSync('hello'), Buffer.from('hello')],
  ['br', zlib.brotliCompressSync('hello'), Buffer.from('hello')],
  ['zstd', zlib.zstdCompressSync('hello'), Buffer.from('hello')],
  ['gzip, br', zlib.brotliCompressSync(gzipped), Buffer.from('hello')],
  ['identity', Buffer.from('hello'), Buffer.from('hello')],
  ['unheard-of', Buffer.from('hello'), Buffer.from('hello')],
  ['gzip, gzip, gzip, gzip', gzipped, gzipped],
  ['gzip', Buffer.from('not gzip at all'), Buffer.from('not gzip at all')],
  ['gzip', gzipped.subarray(0, -6), gzipped.subarray(0, -6)],
  ['gzip', Buffer.alloc(0), Buffer.alloc(0)],
]

for (const [coding, body, kept] of CODINGS)
  test(`resp.bytes content-encoding ${coding} of ${body.length} bytes is decoded, or kept as received`, async (t) => {
    const { result } = await answerTo(t, answer({ headers: { 'content-encoding': coding }, body }))
    assertResult(result, { outcome: 'succeeded', response_cut: null, response_body: kept })
  })

test('resp.bytes NUL, invalid UTF-8 and script are stored byte for byte, in head values and body', async (t) => {
  const body = Buffer.from('\x00\xff\xfe<script>alert(1)</script>\x80', 'latin1')
  const headers = { 'x-html': '<script>alert(1)</script>', 'x-bytes': 'a\xff\x80b' }
  const { result } = await answerTo(t, answer({ headers, body }))
  assert.deepEqual(result.response_body, body)
  assert.equal(result.response_headers?.['x-html'], headers['x-html'])
  assert.equal(result.response_headers?.['x-bytes'], 'a\xff\x80b')
})

test('resp.bytes repeated headers are kept apart, and a header named __proto__ is only a header', async (t) => {
  const { result } = await answerTo(
    t,
    raw('HTTP/1.1 200 OK\r\nset-cookie: a\r\nSet-Cookie: b\r\n__proto__: c\r\ncontent-length: 0\r\n\r\n'),
  )
  assert.deepEqual(result.response_headers?.['set-cookie'], ['a', 'b'])
  assert.equal(Object.getPrototypeOf(result.response_headers), Object.prototype)
})

test('times of a slow answer are those the receiver took', async (t) => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { send, receiver } = await openSenderBench(t, { receiver: { behaviour: answerAfter(promise) } })
  const sent_at_ms = performance.now()
  const pending = send()
  await receiver.waitFor(1)
  await new Promise((done) => setTimeout(done, 120))
  const waited_ms = performance.now() - sent_at_ms
  resolve()
  const result = await pending
  const ended_ms = performance.now() - sent_at_ms
  assert.ok((result.first_byte_ms ?? 0) >= waited_ms - 1 && (result.first_byte_ms ?? 0) <= ended_ms)
})
