import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, afterEach, before, test } from 'node:test'
import { answer, type Behaviour, hang, raw, redirect } from '#test/receiver.ts'
import { verifies } from '#test/verifies.ts'
import { startWebhookBench, type WebhookBench } from '#test/webhook-bench.ts'

let bench: WebhookBench
before(async () => {
  bench = await startWebhookBench({ WEBHOOK_TIMEOUT_MS: '1000' })
})
after(() => bench.close())
afterEach(() => bench.unsubscribeAll())

const detailOf = async (id: string) => {
  const [delivery] = await bench.deliveries(id)
  const { body } = await bench.service.call('GET', `/webhooks/${id}/deliveries/${delivery.id}`)
  return body
}

test('every attempt sends the stored bytes, and the history shows what the receiver saw', async () => {
  const { service, receiver } = bench
  const { id } = await bench.subscribe()
  receiver.script(
    answer({ status: 500, headers: { 'retry-after': '5', 'x-receiver': 'one' }, body: 'no\u0000t now' }),
    answer({ status: 302, headers: { location: 'https://169.254.169.254/' }, body: Buffer.from([0xff, 0xfe]) }),
    answer({ status: 204 }),
  )
  const arrived = receiver.requests.length
  await bench.cause()
  for (const minutes of [0, 1, 2]) {
    await service.clock.advance(minutes * 60_000)
    assert.equal(await service.dispatcher.runDue(), 1)
  }
  const requests = receiver.requests.slice(arrived)
  const detail = await detailOf(id)
  assert.equal(requests.length, 3)
  assert.equal(detail.attempts.length, 3)
  assert.equal(detail.body.sha256, createHash('sha256').update(detail.body.text).digest('hex'))
  for (const [index, request] of requests.entries()) {
    const attempt = detail.attempts[index]
    assert.equal(request.body.toString(), detail.body.text)
    assert.deepEqual(request.headers, attempt.request_headers)
    assert.equal(attempt.attempt_no, index)
    assert.equal(attempt.url, receiver.url)
    assert.ok(['127.0.0.1', '::1'].includes(attempt.resolved_ip))
    assert.ok(attempt.total_ms > 0 && attempt.first_byte_ms <= attempt.total_ms)
    assert.equal(attempt.tls_version, 'TLSv1.3')
    const { connection_reused, tls_version, connect_ms, tls_ms } = attempt
    const [{ started_ms, ended_ms, ...contact }, ...others] = attempt.addresses
    assert.deepEqual(others, [])
    assert.ok(started_ms <= ended_ms && ended_ms <= attempt.first_byte_ms)
    const served = { error_class: null, error_detail: null }
    const { resolved_ip: address } = attempt
    assert.deepEqual(contact, { address, connection_reused, tls_version, connect_ms, tls_ms, ...served })
  }
  assert.deepEqual(
    detail.attempts.map(
      ({ outcome, decision, error_class, response_status, retry_after, counted }: Record<string, unknown>) => [
        outcome,
        decision,
        error_class,
        response_status,
        retry_after,
        counted,
      ],
    ),
    [
      ['failed', 'retry', 'http_5xx', 500, '5', true],
      ['failed', 'retry', 'redirect', 302, null, true],
      ['succeeded', 'done', null, 204, null, true],
    ],
  )
  const [first, second] = detail.attempts
  assert.equal(first.response_headers['x-receiver'], 'one')
  assert.equal(first.response_text, 'no\u0000t now')
  assert.deepEqual([second.response_body, second.response_text], ['//4=', null])
  assert.equal(first.next_attempt_at, second.started_at)
})

const failures: [name: string, behaviour: Behaviour, expected: { error_class: string; error_phase: string | null }][] =
  [
    ['no answer in time', hang, { error_class: 'timeout', error_phase: 'head' }],
    ['an answer that is no HTTP', raw('nonsense\r\n\r\n'), { error_class: 'protocol', error_phase: 'head' }],
    [
      'a redirect, which is not followed',
      redirect(301, 'https://other.example/'),
      { error_class: 'redirect', error_phase: null },
    ],
  ]

for (const [name, behaviour, expected] of failures) {
  test(`${name} is a failure that is retried, with its class and phase`, async () => {
    const { service, receiver } = bench
    const { id } = await bench.subscribe()
    receiver.script(behaviour)
    await bench.cause()
    await service.dispatcher.runDue()
    const { status, attempts } = await detailOf(id)
    const [{ error_class, error_phase, decision, outcome }] = attempts
    verifies('3.1.retry').deepEqual(
      { status, error_class, error_phase, decision, outcome },
      {
        status: 'pending',
        decision: 'retry',
        outcome: 'failed',
        ...expected,
      },
    )
  })
}

test('a receiver that became forbidden after it was subscribed is not contacted', async () => {
  const { receiver } = bench
  const { id } = await bench.subscribe()
  await bench.cause()
  const arrived = receiver.requests.length
  await bench.openWorkers({}, { allowed_networks: [] }).dispatcher.runDue()
  const { attempts } = await detailOf(id)
  assert.equal(attempts[0].error_class, 'blocked_address')
  assert.equal(receiver.requests.length, arrived)
})

test('each attempt leaves one log line without path, body, signature or key', async () => {
  const { service, receiver } = bench
  const { id, signing_key } = await bench.subscribe({ url: `${receiver.url}/secret-path?secret=query` })
  await bench.cause()
  const logged = service.logged.length
  await service.dispatcher.runDue()
  const lines = service.logged.slice(logged).map((line) => JSON.parse(line))
  const [line] = lines.filter(({ msg }) => msg === 'webhook_attempt')
  assert.equal(lines.filter(({ msg }) => msg === 'webhook_attempt').length, 1)
  const detail = await detailOf(id)
  const { body: subscription } = await service.call('GET', `/webhooks/${id}`)
  const { time, resolved_ip, dns_ms, connect_ms, tls_ms, first_byte_ms, total_ms, worker, trace_id, ...rest } = line
  assert.ok(time && resolved_ip && total_ms > 0 && worker && /^[0-9a-f]{32}$/.test(trace_id))
  assert.ok([dns_ms, connect_ms, tls_ms, first_byte_ms].every((value) => value === null || value >= 0))
  assert.deepEqual(rest, {
    level: 'info',
    msg: 'webhook_attempt',
    attempt_id: detail.attempts[0].id,
    delivery_id: detail.id,
    event_id: detail.event_id,
    event_type: 'api-token.created',
    webhook_id: id,
    organization_id: service.organization.id,
    origin: 'event',
    series: 1,
    attempt_no: 0,
    host: new URL(receiver.url).host,
    late_ms: 0,
    status: 200,
    outcome: 'succeeded',
    error_class: null,
    decision: 'done',
    next_attempt_at: null,
    consecutive_failures: 0,
    key_label: subscription.signing_keys[0].label,
  })
  const [{ request_headers }] = detail.attempts
  const forbidden = [
    'secret-path',
    'secret=query',
    signing_key,
    request_headers['x-service-signature'],
    detail.body.text,
  ]
  for (const text of forbidden) assert.ok(!service.logged.slice(logged).some((entry) => entry.includes(text)), text)
})
