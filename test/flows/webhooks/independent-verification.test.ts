import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { verifies } from '#test/verifies.ts'
import { startWebhookBench, type WebhookBench } from '#webhooks/testing/webhook-bench.ts'

/** SHA-256 by its own specification (FIPS 180-4), so that nothing of ours and nothing of OpenSSL is asked twice. */
function sha256(message: Uint8Array): Uint8Array {
  const [initial, constants] = sha256Constants()
  const padded = new Uint8Array(Math.ceil((message.length + 9) / 64) * 64)
  padded.set(message)
  padded[message.length] = 0x80
  new DataView(padded.buffer).setBigUint64(padded.length - 8, BigInt(message.length) * 8n)
  const state = Uint32Array.from(initial)
  const rotate = (word: number, bits: number) => (word >>> bits) | (word << (32 - bits))
  const at = (words: Uint32Array, index: number) => words[index] ?? 0
  for (let offset = 0; offset < padded.length; offset += 64) {
    const words = new Uint32Array(64)
    const block = new DataView(padded.buffer, offset, 64)
    for (let index = 0; index < 16; index += 1) words[index] = block.getUint32(index * 4)
    for (let index = 16; index < 64; index += 1) {
      const [early, late] = [at(words, index - 15), at(words, index - 2)]
      const first = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3)
      const second = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10)
      words[index] = at(words, index - 16) + first + at(words, index - 7) + second
    }
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
    for (let index = 0; index < 64; index += 1) {
      const choice = (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g))
      const one = (h + choice + at(constants, index) + at(words, index)) | 0
      const two = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0
      ;[a, b, c, d, e, f, g, h] = [(one + two) | 0, a, b, c, (d + one) | 0, e, f, g]
    }
    ;[a, b, c, d, e, f, g, h].forEach((word, index) => {
      state[index] = at(state, index) + word
    })
  }
  const digest = new DataView(new ArrayBuffer(32))
  state.forEach((word, index) => {
    digest.setUint32(index * 4, word)
  })
  return new Uint8Array(digest.buffer)
}

/** Section 4.2.2 and 5.3.3: fractional parts of the cube and square roots of the first primes. */
function sha256Constants(): [Uint32Array, Uint32Array] {
  const primes: number[] = []
  for (let number = 2; primes.length < 64; number += 1) if (primes.every((prime) => number % prime)) primes.push(number)
  const fraction = (root: number) => (root % 1) * 2 ** 32
  return [
    Uint32Array.from(primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)))),
    Uint32Array.from(primes.map((prime) => fraction(Math.cbrt(prime)))),
  ]
}

/** RFC 2104. */
function hmac(key: Uint8Array, message: Uint8Array): Uint8Array {
  const block = new Uint8Array(64)
  block.set(key.length > 64 ? sha256(key) : key)
  const padded = (byte: number) => block.map((value) => value ^ byte)
  return sha256(Buffer.concat([padded(0x5c), sha256(Buffer.concat([padded(0x36), message]))]))
}

let bench: WebhookBench
before(async () => {
  bench = await startWebhookBench()
  // Standard Webhooks libraries refuse a time that is not now.
  await bench.service.clock.set(new Date().toISOString())
})
after(() => bench.close())

test('the verifier of this test knows the published digests', () => {
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
  assert.equal(hex(sha256(Buffer.from('abc'))), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  // RFC 4231, test case 2.
  assert.equal(
    hex(hmac(Buffer.from('Jefe'), Buffer.from('what do ya want for nothing?'))),
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  )
})

for (const kind of ['event', 'simulation'] as const) {
  test(`a receiver that shares no code with us verifies both signatures of an ${kind}`, async () => {
    verifies('4.5.post', '5.3.header', '5.3.value', '5.3.receivers', '5.3.label', '6.2.version', '9.webhook-version')
    const { service, receiver } = bench
    const { id, signing_key } = await bench.subscribe()
    if (kind === 'event') await bench.cause('Zoë – 東京 😀')
    else await service.call('POST', `/webhooks/${id}/simulate`, { body: { event_type: 'api-token.created' } })
    const arrived = receiver.requests.length
    await service.dispatcher.runDue()
    const request = receiver.requests[arrived]
    if (!request) throw new Error('nothing arrived')
    const { body, headers } = request

    const expected = hmac(Buffer.from(signing_key), Buffer.concat([Buffer.from('POST'), body]))
    assert.equal(headers['x-service-signature'], Buffer.from(expected).toString('hex'))
    const { body: subscription } = await service.call('GET', `/webhooks/${id}`)
    assert.equal(headers['x-service-hmac-label'], subscription.signing_keys[0].label)
    assert.equal(headers['x-service-webhook-version'], 'v2')

    const verified = new Webhook(signing_key).verify(body.toString(), headers)
    assert.deepEqual(verified, JSON.parse(body.toString()))
    assert.throws(() => new Webhook(signing_key).verify(`${body} `, headers))
    await bench.unsubscribeAll()
  })
}
