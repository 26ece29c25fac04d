import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import net from 'node:net'
import { type TestContext, test } from 'node:test'
import {
  answer,
  type Behaviour,
  drip,
  endless,
  gzipBomb,
  hang,
  type ReceiverOptions,
  startReceiver,
} from '#test/receiver.ts'
import { answerTo, assertAtLimit, assertResult, LIMIT_MS, openSenderBench } from '#test/sender-bench.ts'
import { verifies } from '#test/verifies.ts'
import type { AttemptPhase } from './attempt.ts'
import { BODY_BYTES_MAX, RAW_BYTES_MAX } from './call.ts'

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
    verifies('6.2.failure-time').deepEqual([result.outcome, result.error_class], ['failed', 'timeout'])
    assertResult(result, { error_phase: phase, response_status: null })
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
  const { result, receiver } = await answerTo(
    t,
    drip('HTTP/1.1 200 OK\r\ncontent-length: 999\r\n\r\n', 'x', 20),
    {},
    LIMIT_MS,
  )
  assertResult(result, { outcome: 'succeeded', error_class: null, response_status: 200, response_cut: 'time' })
  assert.match(result.response_body?.toString() ?? '', /^x{2,}$/)
  assertAtLimit(result)
  await receiver.waitForIdle()
})

test('resp.slow body dripped after 500: failed by its status, cut by time', async (t) => {
  const { result } = await answerTo(t, drip('HTTP/1.1 500 No\r\ncontent-length: 999\r\n\r\n', 'x', 20), {}, LIMIT_MS)
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

test('resp.slow 2 MiB of gzip that unpack to nothing: succeeded, cut by size after 20 KiB', async (t) => {
  // Stored blocks without bytes, and never a last one (RFC 1951 section 3.2.4).
  const head = Buffer.from('1f8b08000000000000ff', 'hex')
  const body = Buffer.concat([head, Buffer.alloc(2 * 1024 * 1024, Buffer.from('000000ffff', 'hex'))])
  const { result, sender } = await answerTo(t, answer({ headers: { 'content-encoding': 'gzip' }, body }))
  assertResult(result, { outcome: 'succeeded', response_status: 200, response_cut: 'size' })
  assert.equal(result.response_body?.length, 0)
  assert.equal(sender.connections.idle, 0)
})

const KIB = 'e'.repeat(1_000)
const FRAMED: [name: string, chunk: string, body_bytes_max: number][] = [
  ['extensions of chunks', `1;${KIB}\r\nx\r\n`, RAW_BYTES_MAX / KIB.length],
  ['the extension of one chunk', `1;${KIB}`, 0],
  ['leading zeros of the size of one chunk', '0'.repeat(1_000), 0],
]

for (const [name, chunk, body_bytes_max] of FRAMED)
  test(`resp.slow endless ${name}: succeeded, cut by size after 1 MiB, connection destroyed`, async (t) => {
    let written: net.Socket | undefined
    const bench = await openSenderBench(t, {
      receiver: {
        behaviour: (socket, request) => {
          written = socket
          return endless({ 'transfer-encoding': 'chunked' }, Buffer.from(chunk.repeat(100)), 10_000)(socket, request)
        },
      },
    })
    const result = await bench.send({ deadline_ms: 20_000 })
    assertResult(result, { outcome: 'succeeded', response_status: 200, response_cut: 'size' })
    assert.ok((result.response_body?.length ?? 0) <= body_bytes_max, `${result.response_body?.length} bytes of body`)
    assert.equal(bench.sender.connections.idle, 0)
    await bench.receiver.waitForIdle()
    // The two kernels hold some in between.
    assert.ok(Number(written?.bytesWritten) < 16 * RAW_BYTES_MAX, `${written?.bytesWritten} bytes written`)
  })

test('resp.slow bytes on an idle connection, which nobody asked for, end it', async (t) => {
  const { result, receiver } = await answerTo(t, drip('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok', '\r\n', 50))
  assertResult(result, { outcome: 'succeeded', response_cut: null })
  // An idle connection would be kept for 15 s, and the parser passes over empty lines for as long.
  await receiver.waitForIdle(5_000)
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
    import { egressPolicy } from ${module('./address-rules.ts')}
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
