import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type Behaviour, drip, head, raw, rawThenClose, reset } from '#test/receiver.ts'
import { answerTo, assertResult, openSenderBench } from '#test/sender-bench.ts'
import { verifies } from '#test/verifies.ts'
import type { AttemptResult } from './attempt.ts'

const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'

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
    raw('HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n\x81\x05hello'),
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
  [
    'an interim answer of 17 KiB and a success behind it',
    raw(`HTTP/1.1 103 Early\r\nlink: ${'a'.repeat(17 * 1024)}\r\n\r\n${ok}`),
    { error_class: 'head_too_large', error_phase: 'head' },
  ],
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
    verifies('6.2.failure-network').equal(result.outcome, 'failed')
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

const INTERIM: [name: string, heads: string][] = [
  ['100 Continue', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ['100 without words', 'HTTP/1.1 100\r\n\r\n'],
  ['a switch that nobody asked for', 'HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
  ['102, 103 and 199', 'HTTP/1.1 102 P\r\n\r\nHTTP/1.1 103 E\r\nlink: x\r\n\r\nHTTP/1.1 199 X\r\n\r\n'],
  ['600 of them', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(600)],
]

for (const [name, heads] of INTERIM)
  for (const [way, write] of [
    ['in one piece', raw],
    ['each in a piece of its own', pieces(/(?<=\r\n\r\n)/)],
    ['byte by byte', pieces('')],
  ] as const) {
    if (heads.length > 1_000 && way !== 'in one piece') continue
    test(`resp.status ${name} before the final answer, ${way}: skipped, and the connection is used again`, async (t) => {
      const { result, send, sender } = await answerTo(t, write(heads + ok))
      const expected = {
        outcome: 'succeeded',
        response_status: 200,
        response_headers: { 'content-length': '2' },
      } as const
      assertResult(result, { ...expected, response_body: Buffer.from('ok') })
      assert.equal(sender.connections.idle, 1)
      assertResult(await send(), { ...expected, connection_reused: true })
    })
  }

/** Writes the parts one after another, each in a packet of its own. */
function pieces(between: string | RegExp) {
  return (bytes: string): Behaviour =>
    async (socket) => {
      for (const piece of bytes.split(between)) {
        socket.write(piece)
        await delay(1)
      }
    }
}
