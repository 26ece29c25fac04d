import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { verifies } from '#test/verifies.ts'
import { startWebhookBench, type WebhookBench } from '../testing/webhook-bench.ts'

let bench: WebhookBench
before(async () => {
  bench = await startWebhookBench({ WEBHOOK_MAX_SUBSCRIPTIONS: '6' })
})
after(() => bench.close())

const events = ['api-token.created']
const url = 'https://93.184.215.14/hook'

test('a subscription is created with everything shown and its signing key this once', async () => {
  verifies('2.2.url', '2.2.events', '2.2.description', '2.2.signing-key', '4.3.create')
  const { status, body, headers } = await bench.service.call('POST', '/webhooks', {
    body: { url, events: [...events, ...events], description: ' Payroll sync ', name: 'Payroll', key_label: 'first' },
  })
  assert.equal(status, 201)
  assert.match(body.signing_key, /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.equal(headers.location, `https://stint.test/rest/v2/webhooks/${body.id}`)
  const now = new Date(bench.service.clock.now()).toISOString()
  const { id, signing_key, ...rest } = body
  assert.deepEqual(rest, {
    name: 'Payroll',
    description: 'Payroll sync',
    url,
    events,
    status: 'active',
    disabled_reason: null,
    disabled_at: null,
    disabled_by: null,
    last_error: null,
    api_version: 'v2',
    payload: 'full',
    sensitive_data: [],
    signing_keys: [
      { label: 'first', state: 'primary', created_at: now, activates_at: now, retires_at: null, last_used_at: null },
    ],
    consecutive_failures: 0,
    disable_risk: null,
    backlog: { pending: 0, held: 0, oldest_pending_at: null, next_expiry_at: null },
    last_attempt_at: null,
    last_success_at: null,
    created_at: now,
    updated_at: now,
  })
  for (const path of ['/webhooks', `/webhooks/${id}`])
    assert.ok(!JSON.stringify((await bench.service.call('GET', path)).body).includes(signing_key))
})

const refusals: [name: string, body: Record<string, unknown>, status: number, code: string][] = [
  ['no url', { events }, 400, 'validation_failed'],
  ['no events', { url }, 400, 'validation_failed'],
  ['an empty list of events', { url, events: [] }, 400, 'validation_failed'],
  ['201 events', { url, events: Array.from({ length: 201 }, (_, n) => `type.${n}`) }, 400, 'validation_failed'],
  ['10,000 events', { url, events: Array.from({ length: 10_000 }, (_, n) => `type.${n}`) }, 400, 'validation_failed'],
  ['an unknown event type', { url, events: ['contract.exploded'] }, 422, 'unknown_event_type'],
  ['a wildcard', { url, events: ['*'] }, 422, 'unknown_event_type'],
  ['a signing key of the caller', { url, events, signing_key: 'x' }, 400, 'validation_failed'],
  ['a version of the caller', { url, events, api_version: 'v1' }, 400, 'validation_failed'],
  ['an id of the caller', { url, events, id: '019b8d40-2c80-7b31-9e07-4f1a6c5d8e20' }, 400, 'validation_failed'],
  ['an unknown field', { url, events, retries: 3 }, 400, 'validation_failed'],
  ['a description of 501 characters', { url, events, description: 'x'.repeat(501) }, 400, 'validation_failed'],
  ['a description of two lines', { url, events, description: 'a\nb' }, 400, 'validation_failed'],
  ['a name of 101 characters', { url, events, name: 'x'.repeat(101) }, 400, 'validation_failed'],
  ['a name with a line break', { url, events, name: 'a\nb' }, 400, 'validation_failed'],
  ['a label of 65 characters', { url, events, key_label: 'x'.repeat(65) }, 400, 'validation_failed'],
  ['a label with a space', { url, events, key_label: 'a b' }, 400, 'validation_failed'],
  ['a label in use', { url, events, key_label: 'first' }, 409, 'label_in_use'],
  ['a url of 2,049 bytes', { url: `${url}?${'x'.repeat(2_049 - url.length - 1)}`, events }, 400, 'validation_failed'],
  ['http', { url: 'http://93.184.215.14/', events }, 422, 'url_not_https'],
  ['a private address', { url: 'https://10.0.0.1/', events }, 422, 'url_address_forbidden'],
  ['a metadata address', { url: 'https://169.254.169.254/', events }, 422, 'url_address_forbidden'],
  ['an IPv4-mapped address', { url: 'https://[::ffff:10.0.0.1]/', events }, 422, 'url_address_forbidden'],
  ['credentials', { url: 'https://user:pw@93.184.215.14/', events }, 422, 'url_credentials'],
  ['a fragment', { url: `${url}#x`, events }, 422, 'url_fragment'],
  ['a forbidden port', { url: 'https://93.184.215.14:22/', events }, 422, 'url_port_forbidden'],
  ['an internal name', { url: 'https://metadata.internal/', events }, 422, 'url_host_forbidden'],
  ['our own host', { url: 'https://stint.test/', events }, 422, 'url_own_host'],
  ['a line feed', { url: 'https://12\n7.0.0.1/', events }, 422, 'url_invalid'],
]

for (const [name, body, status, code] of refusals) {
  test(`${name} is refused with ${code}, when creating and when changing`, async () => {
    const created = await bench.service.call('POST', '/webhooks', { body })
    assert.deepEqual([created.status, created.body.code], [status, code])
    // A change may leave url and events out, and has no label.
    if (['no url', 'no events', 'a label in use'].includes(name)) return
    const { body: page } = await bench.service.call('GET', '/webhooks')
    const changed = await bench.service.call('PATCH', `/webhooks/${page.data[0].id}`, { body })
    assert.deepEqual([changed.status, changed.body.code], [status, code])
    assert.deepEqual((await bench.service.call('GET', '/webhooks')).body, page)
  })
}

test('the refusal of a receiver on a private network names the setting that would allow it, and no other refusal does', async () => {
  for (const [refused, is_told] of [
    ['https://receiver.localhost/hooks', true],
    ['https://10.0.0.1/hooks', true],
    ['http://93.184.215.14/', false],
  ] as const) {
    const { body } = await bench.service.call('POST', '/webhooks', { body: { url: refused, events } })
    assert.equal(/operator .*WEBHOOK_ALLOWED_NETWORKS/.test(body.detail), is_told, refused)
  }
})

test('an unknown event type is answered with the known one that is nearest', async () => {
  const { body } = await bench.service.call('POST', '/webhooks', {
    body: { url, events: ['contract.craeted', 'zzzz'] },
  })
  assert.deepEqual(body.errors, [
    { pointer: '/events/0', message: 'contract.craeted is not an event type; did you mean contract.created?' },
    { pointer: '/events/1', message: 'zzzz is not an event type' },
  ])
  const feed = await bench.service.call('GET', '/events?event_types=contract.craeted')
  assert.match(feed.body.errors[0].message, /did you mean contract\.created\?$/)
})

test('a url of 2,048 bytes is accepted', async () => {
  const long = `${url}?${'x'.repeat(2_048 - url.length - 1)}`
  const { status, body } = await bench.service.call('POST', '/webhooks', { body: { url: long, events } })
  assert.deepEqual([status, body.url], [201, long])
})

test('the longest name, description and label are accepted', async () => {
  const longest = { name: 'é'.repeat(100), description: '🌲'.repeat(500) }
  const body = { url, events, ...longest, key_label: 'x'.repeat(64) }
  const created = await bench.service.call('POST', '/webhooks', { body })
  assert.equal(created.status, 201, JSON.stringify(created.body))
  const { id, name, description, signing_keys } = created.body
  assert.deepEqual({ name, description }, longest)
  assert.equal(signing_keys[0].label, body.key_label)
  assert.equal((await bench.service.call('DELETE', `/webhooks/${id}`)).status, 204)
})

test('a name that does not resolve is accepted with a warning', async () => {
  const { status, body } = await bench.service.call('POST', '/webhooks', {
    body: { url: 'https://nowhere.invalid/hook', events },
  })
  assert.deepEqual([status, body.warnings], [201, ['url_unresolved']])
})

test('categories that the token lacks are refused, granted ones are kept', async () => {
  const token = await bench.service.createToken(bench.service.organization.id, {
    scopes: ['webhooks:write'],
    sensitive_data: ['bank_details'],
  })
  const create = (sensitive_data: string[]) =>
    bench.service.call('POST', '/webhooks', { token, body: { url, events, sensitive_data } })
  const refused = await create(['compensation'])
  assert.deepEqual([refused.status, refused.body.code], [403, 'sensitive_data_required'])
  assert.deepEqual((await create(['bank_details'])).body.sensitive_data, ['bank_details'])
})

test('the same idempotency key gives the same key once, and another body is refused', async () => {
  const call = (name: string) =>
    bench.service.call('POST', '/webhooks', {
      body: { url, events, name },
      headers: { 'idempotency-key': 'subscribe-once' },
    })
  const first = await call('a')
  const second = await call('a')
  assert.deepEqual([first.status, second.status], [201, 201])
  assert.deepEqual(second.body, first.body)
  const other = await call('b')
  assert.deepEqual([other.status, other.body.code], [422, 'idempotency_key_reused'])
})

test('calls in parallel never make more subscriptions than the limit', async () => {
  const { body: page } = await bench.service.call('GET', '/webhooks')
  const left = 6 - page.total_count
  const answers = await Promise.all(
    Array.from({ length: left + 3 }, () => bench.service.call('POST', '/webhooks', { body: { url, events } })),
  )
  assert.equal(answers.filter(({ status }) => status === 201).length, left)
  const refused = answers.filter(({ status }) => status !== 201)
  assert.deepEqual(new Set(refused.map(({ body }) => body.code)), new Set(['subscription_limit_reached']))
})
