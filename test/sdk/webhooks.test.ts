import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, test } from 'node:test'
import { SignatureError, type SignatureFault, type VerifyOptions, verifyWebhook } from '#sdk/webhooks.ts'
import type { ReceivedRequest } from '#test/receiver.ts'
import { sdkOf } from '#test/sdk.ts'
import { startWebhookBench, type WebhookBench } from '#test/webhook-bench.ts'

let bench: WebhookBench
before(async () => {
  bench = await startWebhookBench()
})
after(() => bench.close())

const schemes = ['standard', 'service'] as const

/** The request that the service sends for the next event, and the time of its clock. */
async function delivered(fields: Record<string, unknown> = {}) {
  await bench.unsubscribeAll()
  const { id, signing_key } = await bench.subscribe(fields)
  return { id, signing_key, token_id: await bench.cause(), ...(await sent()) }
}

async function sent(): Promise<{ request: ReceivedRequest; now: number }> {
  const { service, receiver } = bench
  const before = receiver.requests.length
  await service.dispatcher.runDue()
  const request = receiver.requests[before]
  assert.ok(request)
  return { request, now: service.clock.now() }
}

async function refuses(code: SignatureFault, verified: Promise<unknown>): Promise<void> {
  const error = await verified.then(
    () => assert.fail('it was accepted'),
    (one) => one,
  )
  assert.ok(error instanceof SignatureError, String(error))
  assert.equal(error.code, code, error.message)
}

for (const scheme of schemes) {
  test(`${scheme}: a delivery of the service is genuine, in every form that a framework hands it over`, async () => {
    const { request, signing_key, token_id, now } = await delivered()
    const { body } = request
    const bodies = [body, new Uint8Array(body), new Uint8Array(body).buffer, body.toString()]
    const upper = Object.entries(request.headers).map(([name, value]) => [name.toUpperCase(), [value]])
    for (const raw_body of bodies) {
      for (const headers of [request.headers, new Headers(request.headers), Object.fromEntries(upper)]) {
        const event = await verifyWebhook(raw_body, headers, signing_key, { scheme, now })
        assert.equal(event.event_type, 'api-token.created')
        assert.equal(event.event_id, request.headers['webhook-id'])
        assert.equal(event.is_simulation, false)
        assert.ok(event.event_type === 'api-token.created' && event.resource[0]?.credential_id === token_id)
      }
    }
  })

  test(`${scheme}: a body that was changed by one bit is refused, and so is every other change`, async () => {
    const { request, signing_key, now } = await delivered()
    const { body, headers } = request
    const verify = (raw_body: Buffer, changed: Record<string, string> = {}, key = signing_key) =>
      verifyWebhook(raw_body, { ...headers, ...changed }, key, { scheme, now })
    await verify(body)
    for (const place of [0, body.length >> 1, body.length - 1]) {
      const changed = Buffer.from(body)
      changed[place] = (changed[place] ?? 0) ^ 1
      await refuses('wrong_signature', verify(changed))
    }
    await refuses('wrong_signature', verify(Buffer.concat([body, Buffer.from(' ')])))
    await refuses('wrong_signature', verify(body.subarray(0, -1)))
    const other = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
    await refuses('wrong_signature', verify(body, {}, other))
    const header = scheme === 'standard' ? 'webhook-signature' : 'x-service-signature'
    const signature = headers[header] ?? ''
    for (const wrong of [
      'v1,',
      'v1',
      'x',
      'v1,AAAA',
      signature.slice(0, -2),
      `${signature}00`,
      signature.toUpperCase(),
      '00'.repeat(32),
    ]) {
      await refuses('wrong_signature', verify(body, { [header]: wrong }))
    }
    await refuses('missing_header', verify(body, { [header]: '' }))
    await refuses('malformed_secret', verify(body, {}, ''))
  })

  test(`${scheme}: while a key is changed, either key verifies, and afterwards only the new one`, async () => {
    const { id, signing_key: old_key } = await delivered()
    const { stint } = sdkOf(bench.service)
    const { signing_key } = await stint.webhooks.rotate_signing_key({ webhook_id: id, overlap_hours: 1 })
    assert.ok(signing_key)
    await bench.cause()
    const during = await sent()
    const verify = ({ request, now }: typeof during, keys: string | string[]) =>
      verifyWebhook(request.body, request.headers, keys, { scheme, now })
    await verify(during, [old_key, signing_key])
    await verify(during, [signing_key, old_key])
    await verify(during, signing_key)
    await bench.service.clock.advance(2 * 3_600_000)
    await bench.cause()
    const later = await sent()
    await verify(later, [signing_key, old_key])
    await verify(later, [old_key, signing_key])
    await refuses('wrong_signature', verify(later, old_key))
  })
}

test('standard: the old key alone verifies until the overlap ends', async () => {
  const { id, signing_key } = await delivered()
  await sdkOf(bench.service).stint.webhooks.rotate_signing_key({ webhook_id: id, overlap_hours: 1 })
  await bench.cause()
  const { request, now } = await sent()
  await verifyWebhook(request.body, request.headers, signing_key, { now })
})

test('standard: an old or an early delivery is refused, and its time cannot be changed', async () => {
  const { request, signing_key } = await delivered()
  const { body, headers } = request
  const sent_ms = Number(headers['webhook-timestamp']) * 1_000
  const verify = (now: number, more: VerifyOptions = {}, changed: Record<string, string> = {}) =>
    verifyWebhook(body, { ...headers, ...changed }, signing_key, { now, ...more })
  for (const off_s of [-300, 300]) await verify(sent_ms + off_s * 1_000)
  for (const off_s of [-301, 301, 86_400]) await refuses('wrong_time', verify(sent_ms + off_s * 1_000))
  await verify(sent_ms + 86_400_000, { tolerance_s: 90_000 })
  await refuses('wrong_time', verify(sent_ms + 2_000, { tolerance_s: 1 }))
  const later = { 'webhook-timestamp': String(sent_ms / 1_000 + 86_400) }
  await refuses('wrong_signature', verify(sent_ms + 86_400_000, {}, later))
  for (const none of ['soon', 'NaN', ' '])
    await refuses('wrong_time', verify(sent_ms, {}, { 'webhook-timestamp': none }))
  await refuses('wrong_signature', verify(sent_ms, {}, { 'webhook-id': 'another' }))
  // Unless told there is no way around the time: the pair without one is not enough.
  const { 'x-service-signature': signature = '' } = headers
  await refuses('missing_header', verifyWebhook(body, { 'x-service-signature': signature }, signing_key))
})

test('a retry is genuine at its own time', async () => {
  await bench.unsubscribeAll()
  const { signing_key } = await bench.subscribe()
  bench.receiver.script((socket) => void socket.end('HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n'))
  await bench.cause()
  const first = await sent()
  await bench.service.clock.advance(61_000)
  const second = await sent()
  assert.notEqual(second.request.headers['webhook-timestamp'], first.request.headers['webhook-timestamp'])
  const { event_id } = await verifyWebhook(second.request.body, second.request.headers, signing_key, {
    now: second.now,
  })
  assert.equal(event_id, first.request.headers['webhook-id'])
})

test('a simulated event says so', async () => {
  const { id, signing_key } = await delivered()
  await sdkOf(bench.service).stint.webhooks.simulate({ webhook_id: id, event_type: 'api-token.created' })
  const { request, now } = await sent()
  const { is_simulation } = await verifyWebhook(request.body, request.headers, signing_key, { now })
  assert.equal(is_simulation, true)
})

test('a body that was parsed, and a key that is none, say what is wanted', async () => {
  const { request, signing_key, now } = await delivered()
  // The cast stands for a caller without types.
  const parsed = JSON.parse(request.body.toString()) as string
  await assert.rejects(verifyWebhook(parsed, request.headers, signing_key, { now }), /takes the raw body/)
  const verify = (key: string | string[]) => verifyWebhook(request.body, request.headers, key, { now })
  await refuses('malformed_secret', verify('whsec_%%%'))
  await refuses('malformed_secret', verify([]))
  await refuses('malformed_secret', verify([signing_key, '']))
})

test('an event of a type that is newer than the client passes as it is', async () => {
  const body = JSON.stringify({
    data: {
      meta: { event_type: 'moon.landed', event_id: 'e', organization_id: 'o', occurred_at: 't', by: 'x' },
      resource: [{ crater: 1 }],
    },
    timestamp: 't',
  })
  const headers = { 'x-service-signature': createHmac('sha256', 'key').update(`POST${body}`).digest('hex') }
  const event: object = await verifyWebhook(body, headers, 'key', { scheme: 'service' })
  assert.deepEqual(event, {
    event_type: 'moon.landed',
    event_id: 'e',
    organization_id: 'o',
    occurred_at: 't',
    by: 'x',
    is_simulation: false,
    resource: [{ crater: 1 }],
  })
  const none = { 'x-service-signature': createHmac('sha256', 'key').update('POST[]').digest('hex') }
  await refuses('malformed_body', verifyWebhook('[]', none, 'key', { scheme: 'service' }))
})
