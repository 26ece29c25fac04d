import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { hmac, sha256 } from '#test/own-hmac.ts'
import { verifies } from '#test/verifies.ts'
import { startWebhookBench, type WebhookBench } from '#test/webhook-bench.ts'

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
    const { service, receiver } = bench
    const { id, signing_key } = await bench.subscribe()
    if (kind === 'event') await bench.cause('Zoë – 東京 😀')
    else await service.call('POST', `/webhooks/${id}/simulate`, { body: { event_type: 'api-token.created' } })
    const arrived = receiver.requests.length
    await service.dispatcher.runDue()
    const request = receiver.requests[arrived]
    if (!request) throw new Error('nothing arrived')
    const { body, headers } = request

    const expected = Buffer.from(hmac(Buffer.from(signing_key), Buffer.concat([Buffer.from('POST'), body])))
    verifies('5.3.header', '5.3.value', '5.3.receivers', '6.2.signature').equal(
      headers['x-service-signature'],
      expected.toString('hex'),
    )
    const { body: subscription } = await service.call('GET', `/webhooks/${id}`)
    verifies('5.3.label', '6.2.label').equal(headers['x-service-hmac-label'], subscription.signing_keys[0].label)
    verifies('6.2.version', '9.webhook-version').equal(headers['x-service-webhook-version'], 'v2')

    const verified = new Webhook(signing_key).verify(body.toString(), headers)
    assert.deepEqual(verified, JSON.parse(body.toString()))
    assert.throws(() => new Webhook(signing_key).verify(`${body} `, headers))
    await bench.unsubscribeAll()
  })
}
