import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { connect, type TLSSocket } from 'node:tls'
import { startListener, type TestListener } from '#test/listener.ts'
import type { SecureListenerOptions } from './listener.ts'

const type = { data: 0, headers: 1, reset: 3, settings: 4, window_update: 8, continuation: 9 }
const end_stream = 1
const end_headers = 4
/** `:method GET`, `:scheme https`, `:path /`, `:authority a` (RFC 7541 appendix A). */
const get = Buffer.from([0x82, 0x87, 0x84, 0x41, 1, 0x61])
const frames_max = 20_000

async function startCounting(t: TestContext, options: Partial<SecureListenerOptions> = {}) {
  const count = { requests: 0 }
  const started = await startListener(t, {
    handler: () => {
      count.requests++ // and never answers: work that is still running when its stream is reset
    },
    ...options,
  })
  return { ...started, count }
}

for (const { name, requests_max, attack } of [
  {
    name: 'that resets its streams as fast as it opens them',
    requests_max: 300,
    attack: (id: number) => [
      frame(type.headers, end_headers | end_stream, id, get),
      frame(type.reset, 0, id, uint32(8)),
    ],
  },
  {
    name: 'that makes the server reset its streams with windows too large (CVE-2025-8671)',
    requests_max: 300,
    attack: (id: number) => [
      frame(type.headers, end_headers, id, get),
      frame(type.window_update, 0, id, uint32(0x7fffffff)),
    ],
  },
  {
    name: 'that makes the server reset its streams with windows of zero (CVE-2025-8671)',
    requests_max: 300,
    attack: (id: number) => [frame(type.headers, end_headers, id, get), frame(type.window_update, 0, id, uint32(0))],
  },
  {
    name: 'that makes the server reset its streams with data after their end (CVE-2025-8671)',
    requests_max: 300,
    attack: (id: number) => [
      frame(type.headers, end_headers | end_stream, id, get),
      frame(type.data, 0, id, uint32(0)),
    ],
  },
  {
    name: 'that opens streams without end',
    requests_max: 100,
    attack: (id: number) => [frame(type.headers, end_headers | end_stream, id, get)],
  },
  {
    name: 'that sends empty frames without end',
    requests_max: 1,
    attack: (id: number) => [id === 1 ? frame(type.headers, end_headers, 1, get) : frame(type.data, 0, 1)],
  },
  {
    name: 'that never ends its headers',
    requests_max: 0,
    attack: (id: number) => [frame(id === 1 ? type.headers : type.continuation, id === 1 ? end_stream : 0, 1, get)],
  },
]) {
  test(`an HTTP/2 connection ${name} is cut`, async (t) => {
    const { count, ...started } = await startCounting(t)
    const socket = await openFrames(t, started)
    const cut = new Promise((resolve) => socket.once('close', () => resolve('cut')))
    let sent = 0
    while (!socket.destroyed && sent < frames_max) {
      for (const bytes of attack(2 * sent + 1)) socket.write(bytes)
      if (++sent % 100 === 0) await setImmediate()
    }
    t.diagnostic(`${sent} attacks, ${count.requests} requests`)
    assert.equal(await cut, 'cut')
    assert.ok(count.requests <= requests_max, `${count.requests} requests were served`)
  })
}

function frame(kind: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = kind
  head[4] = flags
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** A TLS connection after the preface of HTTP/2 (RFC 9113 §3.4), for frames no client library would send. */
async function openFrames(t: TestContext, { port, ca }: TestListener): Promise<TLSSocket> {
  const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', ca, ALPNProtocols: ['h2'] })
  t.after(() => socket.destroy())
  socket.on('error', () => socket.destroy()) // being cut is what the tests want to see
  await once(socket, 'secureConnect')
  socket.resume().write(Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(type.settings, 0, 0)]))
  return socket
}
