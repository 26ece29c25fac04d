import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import net from 'node:net'
import { type TestContext, test } from 'node:test'
import zlib from 'node:zlib'
import {
  answer,
  answerAfter,
  type Behaviour,
  drip,
  endless,
  gzipBomb,
  hang,
  head,
  type ReceiverOptions,
  raw,
  rawThenClose,
  redirect,
  reset,
  startReceiver,
} from '#test/receiver.ts'
import { BODY_BYTES_MAX } from './answer-body.ts'
import type { AttemptPhase, AttemptResult, ErrorClass } from './attempt-result.ts'
import { egressPolicy } from './policy.ts'
import { ADDRESS_TIMEOUT_MS, createSender, DEADLINE_MS } from './sender.ts'
import { openSenderBench } from './sender-testing.ts'

const LIMIT_MS = 300
// The design allows half a second around 30 s; two cores shared with everything else need the same around 300 ms.
const LIMIT_SLACK_MS = 500

/** The evidence without headers, timings and what `expected` does not name. */
function assertResult(result: AttemptResult, expected: Partial<AttemptResult>) {
  const seen = Object.fromEntries(Object.keys(expected).map((key) => [key, result[key as keyof AttemptResult]]))
  assert.deepEqual(seen, expected, `${result.error_detail}`)
}

function assertAtLimit({ total_ms }: AttemptResult) {
  assert.ok(total_ms >= LIMIT_MS - 1 && total_ms <= LIMIT_MS + LIMIT_SLACK_MS, `${total_ms} ms`)
}

async function answerTo(t: TestContext, behaviour: Behaviour, receiver: ReceiverOptions = {}) {
  const bench = await openSenderBench(t, { receiver: { ...receiver, behaviour } })
  const result = await bench.send({ deadline_ms: LIMIT_MS })
  return { ...bench, result }
}

test('the deadline is 30 s, an address gets 10 s, a body 16 KiB', () => {
  assert.deepEqual([DEADLINE_MS, ADDRESS_TIMEOUT_MS, BODY_BYTES_MAX], [30_000, 10_000, 16_384])
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
    const outcome = error_class ? 'failed' : 'succeeded'
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

function readOnly(socket: net.Socket) {
  socket.resume().on('end', () => socket.end())
}

const SLOW: [name: string, receiver: ReceiverOptions, phase: AttemptPhase][] = [
  ['TLS stalls', { transport: 'http', takeOver: readOnly }, 'tls'],
  ['no answer', { behaviour: hang }, 'head'],
  ['head dripped', { behaviour: drip('HTTP/1.1 200 OK\r\n', 'x-drip: 1\r\n', 20) }, 'head'],
  ['status line dripped', { behaviour: drip('HTTP/1.1 200 ', 'a', 20) }, 'head'],
  ['interim answers only', { behaviour: drip('', 'HTTP/1.1 103 Early Hints\r\n\r\n', 20) }, 'head'],
]

for (const [name, receiver, phase] of SLOW)
  test(`resp.slow ${name}: timeout at the deadline in phase ${phase}`, async (t) => {
    const bench = await openSenderBench(t, { receiver })
    const url = `https://localhost:${bench.receiver.port}/hook`
    const result = await bench.send({ url, deadline_ms: LIMIT_MS })
    assertResult(result, { outcome: 'failed', error_class: 'timeout', error_phase: phase, response_status: null })
    assertAtLimit(result)
    await bench.receiver.waitForIdle()
  })

test('resp.slow request body never read: timeout in phase request', async (t) => {
  // Larger than what the two kernels' buffers take, so that bytes are still waiting on our side.
  const body = Buffer.alloc(32 * 1024 * 1024, 'a')
  const { send } = await openSenderBench(t, { receiver: { takeOver: () => {} } })
  const result = await send({ body, deadline_ms: LIMIT_MS })
  assertResult(result, { error_class: 'timeout', error_phase: 'request' })
  assertAtLimit(result)
})

/** A listener whose process never accepts; connections beyond its queue stay unanswered by the kernel. */
async function startDeafListener(t: TestContext): Promise<number> {
  const script = `const s = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    require('node:fs').writeSync(1, String(s.address().port)); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0) })`
  const child: ChildProcess = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => child.kill('SIGKILL'))
  const [port] = await once(child.stdout ?? child, 'data')
  return Number(port)
}

async function fillQueue(t: TestContext, port: number): Promise<boolean> {
  for (let filled = 0; filled < 16; filled++) {
    const socket = net.connect(port, '127.0.0.1').on('error', () => {})
    t.after(() => socket.destroy())
    const timeout = AbortSignal.timeout(200)
    const connected = await once(socket, 'connect', { signal: timeout }).then(
      () => true,
      () => false,
    )
    if (!connected) return true
  }
  return false
}

test('resp.slow connect never accepted: timeout at the deadline in phase connect', async (t) => {
  const port = await startDeafListener(t)
  if (!(await fillQueue(t, port))) return t.skip('this kernel accepts connections beyond the backlog')
  const { send } = await openSenderBench(t)
  const result = await send({ url: `https://127.0.0.1:${port}/`, deadline_ms: LIMIT_MS })
  assertResult(result, { error_class: 'timeout', error_phase: 'connect', connect_ms: null, resolved_ip: '127.0.0.1' })
  assertAtLimit(result)
})

test('resp.slow body dripped after 200: succeeded, cut by time, over at the deadline', async (t) => {
  const { result, receiver } = await answerTo(t, drip('HTTP/1.1 200 OK\r\ncontent-length: 999\r\n\r\n', 'x', 20))
  assertResult(result, { outcome: 'succeeded', error_class: null, response_status: 200, response_cut: 'time' })
  assert.match(result.response_body?.toString() ?? '', /^x{2,}$/)
  assertAtLimit(result)
  await receiver.waitForIdle()
})

test('resp.slow body dripped after 500: failed by its status, cut by time', async (t) => {
  const { result } = await answerTo(t, drip('HTTP/1.1 500 No\r\ncontent-length: 999\r\n\r\n', 'x', 20))
  assertResult(result, { outcome: 'failed', error_class: 'http_5xx', error_phase: 'body', response_cut: 'time' })
})

const MIB = Buffer.alloc(1024 * 1024, 'z')
const OVERSIZE: [name: string, behaviour: Behaviour][] = [
  ['1 GB body', endless({ 'content-length': String(1024 ** 3) }, MIB, 1024)],
  [
    'endless chunked',
    endless(
      { 'transfer-encoding': 'chunked' },
      Buffer.concat([Buffer.from('100000\r\n'), MIB, Buffer.from('\r\n')]),
      1024,
    ),
  ],
  ['endless until close', endless({ connection: 'close' }, MIB, 1024)],
  ['gzip of 1 GB zeros', gzipBomb(1024)],
  ['one byte too many', answer({ body: MIB.subarray(0, BODY_BYTES_MAX + 1) })],
]

for (const [name, behaviour] of OVERSIZE)
  test(`resp.slow ${name}: succeeded with 16 KiB, cut by size, connection destroyed`, async (t) => {
    const bench = await openSenderBench(t, { receiver: { behaviour } })
    const result = await bench.send({ deadline_ms: 5_000 })
    assertResult(result, { outcome: 'succeeded', response_status: 200, response_cut: 'size' })
    assert.equal(result.response_body?.length, BODY_BYTES_MAX)
    assert.ok(result.total_ms < 4_000, `${result.total_ms} ms`)
    assert.equal(bench.sender.connections.idle, 0)
    await bench.receiver.waitForIdle()
  })

test('resp.slow a body of exactly 16 KiB is whole', async (t) => {
  const { result, sender } = await answerTo(t, answer({ body: MIB.subarray(0, BODY_BYTES_MAX) }))
  assertResult(result, { response_cut: null, outcome: 'succeeded' })
  assert.equal(result.response_body?.length, BODY_BYTES_MAX)
  assert.equal(sender.connections.idle, 1)
})

test('resp.slow gzip bombs do not grow the resident memory of the process by 8 MiB', async (t) => {
  const receiver = await startReceiver({ behaviour: gzipBomb(1024) })
  t.after(() => receiver.close())
  const module = (name: string) => JSON.stringify(new URL(name, import.meta.url).href)
  const script = `
    import { egressPolicy } from ${module('./policy.ts')}
    import { createSender } from ${module('./sender.ts')}
    const sender = createSender(egressPolicy({ allowed_networks: ['127.0.0.0/8'], extra_ca: process.env.RECEIVER_CA }))
    const rounds = async (count) => {
      for (let round = 0; round < count; round++) {
        const result = await sender.send({ url: ${JSON.stringify(receiver.url)}, headers: {}, body: Buffer.from('{}') })
        if (result.response_cut !== 'size') throw new Error(JSON.stringify(result))
      }
      gc()
      return process.memoryUsage.rss()
    }
    const before = await rounds(20)
    const after = await rounds(40)
    sender.close()
    process.stdout.write(String(after - before))`
  const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, RECEIVER_CA: receiver.ca },
  })
  t.after(() => child.kill('SIGKILL'))
  const [growth_bytes] = await once(child.stdout, 'data')
  assert.ok(Number(growth_bytes) < 8 * 1024 * 1024, `${growth_bytes} bytes`)
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
  const headers = { 'x-html': '<script>alert(1)</script>', 'x-bytes': 'a\xff\x80b', __proto__: 'x' }
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

const BROKEN: [name: string, behaviour: Behaviour, expected: Partial<AttemptResult>][] = [
  ['early close before the head', rawThenClose(''), { error_class: 'closed', error_phase: 'head' }],
  ['half a head, then close', rawThenClose('HTTP/1.1 200 OK\r\nx-a: '), { error_class: 'closed', error_phase: 'head' }],
  ['reset', reset, { error_class: 'connect_reset', error_phase: 'head' }],
  ['HTTP/0.9', rawThenClose('<html>hello</html>'), { error_class: 'protocol', error_phase: 'head' }],
  ['garbage', raw('\x16\x03\x01\x02\x00\xff\xff\xff'), { error_class: 'protocol', error_phase: 'head' }],
  ['invalid head', raw('HTTP/1.1 200 OK\r\nbad header\r\n\r\n'), { error_class: 'protocol', error_phase: 'head' }],
  ['NUL in a head value', raw('HTTP/1.1 200 OK\r\nx-a: a\x00b\r\n\r\n'), { error_class: 'protocol' }],
  ['status 099', raw('HTTP/1.1 099 No\r\ncontent-length: 0\r\n\r\n'), { error_class: 'protocol' }],
  ['status 1000', raw('HTTP/1.1 1000 No\r\ncontent-length: 0\r\n\r\n'), { error_class: 'protocol' }],
  [
    'two different lengths',
    raw('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'),
    { error_class: 'protocol' },
  ],
  [
    'switch to another protocol',
    raw('HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    { error_class: 'protocol' },
  ],
  ['HTTP/2 preface', raw('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), { error_class: 'protocol' }],
  [
    'head of 17 KiB',
    raw(head(200, { 'x-large': 'a'.repeat(17 * 1024) })),
    { error_class: 'head_too_large', error_phase: 'head' },
  ],
  ['head of 1 MiB', raw(head(200, { 'x-large': 'a'.repeat(1024 * 1024) })), { error_class: 'head_too_large' }],
  [
    'many small headers',
    raw(head(200, Object.fromEntries(Array.from({ length: 3000 }, (_, index) => [`x-${index}`, 'a'])))),
    { error_class: 'head_too_large' },
  ],
  ['endless status line', endlessLine('HTTP/1.1 200 ', 'a'), { error_class: 'head_too_large' }],
  ['endless interim answers', endlessLine('', 'HTTP/1.1 103 Early Hints\r\n\r\n'), { error_class: 'head_too_large' }],
]

function endlessLine(first: string, piece: string): Behaviour {
  return drip(first, piece.repeat(Math.ceil(8_192 / piece.length)), 1)
}

for (const [name, behaviour, expected] of BROKEN)
  test(`resp.broken ${name} is ${expected.error_class}`, async (t) => {
    const bench = await openSenderBench(t, { receiver: { behaviour } })
    const result = await bench.send({ deadline_ms: 3_000 })
    assertResult(result, {
      outcome: 'failed',
      response_status: null,
      response_body: null,
      response_cut: null,
      ...expected,
    })
    assert.equal(bench.sender.connections.idle, 0)
  })

const CUT_BODIES: [name: string, behaviour: Behaviour, body: string][] = [
  ['Content-Length larger than the body', rawThenClose('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nshort'), 'short'],
  ['chunked without end', rawThenClose('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nshort\r\n'), 'short'],
  ['broken chunk size', raw('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nshort\r\nzz\r\n'), 'short'],
]

for (const [name, behaviour, body] of CUT_BODIES)
  test(`resp.broken 200 with ${name}: succeeded, cut closed`, async (t) => {
    const { result } = await answerTo(t, behaviour)
    assertResult(result, { outcome: 'succeeded', error_class: null, response_status: 200, response_cut: 'closed' })
    assert.equal(result.response_body?.toString(), body)
  })

test('resp.broken a body that ends with the connection is whole', async (t) => {
  const { result } = await answerTo(t, rawThenClose('HTTP/1.0 200 OK\r\n\r\nuntil close'))
  assertResult(result, { outcome: 'succeeded', response_cut: null })
  assert.equal(result.response_body?.toString(), 'until close')
})

test('resp.status interim answers before the final one are passed over', async (t) => {
  const { result } = await answerTo(
    t,
    raw('HTTP/1.1 103 Early\r\nlink: x\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'),
  )
  assertResult(result, { outcome: 'succeeded', response_status: 200, response_headers: { 'content-length': '2' } })
})

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
    assert.equal(bench.receiver.requests.length, 0)
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
  assert.ok((result.first_byte_ms ?? 0) >= waited_ms - 1 && (result.first_byte_ms ?? 0) <= waited_ms + 50)
})
