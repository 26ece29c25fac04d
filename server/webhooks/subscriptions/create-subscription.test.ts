import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Case, cases, serviceOfCases } from '#test/cases.ts'
import { refusedReceivers, subscribed } from '#test/subscribed.ts'
import { verifies } from '#test/verifies.ts'

const settings = { WEBHOOK_MAX_SUBSCRIPTIONS: '3' }
const events = ['api-token.created']
const url = 'https://93.184.215.14/hook'
const invalid = { answers: '400 validation_failed' } as const
const longest_url = `${url}?${'x'.repeat(2_048 - url.length - 1)}`
const longest = { name: 'é'.repeat(100), description: '🌲'.repeat(500), key_label: 'x'.repeat(64) }

/** Fields that are refused, beside a url and an event type. */
const refused = (name: string, input: object, row: Case = invalid): [string, Case] => [
  name,
  { ...row, input: { url, events, ...input } },
]

cases(
  'webhooks.create',
  {
    'a subscription is created with everything shown and its signing key this once': {
      input: {
        url,
        events: [...events, ...events],
        description: ' Payroll sync ',
        name: 'Payroll',
        key_label: 'first',
      },
      body: (_, { created_at: now }) => ({
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
          {
            label: 'first',
            state: 'primary',
            created_at: now,
            activates_at: now,
            retires_at: null,
            last_used_at: null,
          },
        ],
        consecutive_failures: 0,
        disable_risk: null,
        backlog: { pending: 0, held: 0, oldest_pending_at: null, next_expiry_at: null },
        last_attempt_at: null,
        last_success_at: null,
        updated_at: now,
      }),
      audit: (_, { id }) => ({ subject_kind: 'webhooks', subject_id: id }),
      async afterwards(t, { body, answer }) {
        verifies('2.2.signing-key', '4.3.create').match(body.signing_key, /^whsec_[A-Za-z0-9+/]{43}=$/)
        verifies('2.2.url').equal(body.url, url)
        verifies('2.2.events').deepEqual(body.events, events)
        verifies('2.2.description').equal(body.description, 'Payroll sync')
        assert.equal(answer.headers.location, `https://stint.test/rest/v2/webhooks/${body.id}`)
        for (const path of ['/webhooks', `/webhooks/${body.id}`])
          assert.ok(!JSON.stringify((await t.call('GET', path)).body).includes(body.signing_key))
      },
    },
    'one may be made disabled': {
      input: { url, events, status: 'disabled' },
      body: (_, { created_at }) => ({
        status: 'disabled',
        disabled_reason: 'manual',
        disabled_at: created_at,
        disabled_by: { kind: 'token' },
      }),
    },
    'the longest name, description and label are accepted': {
      input: { url, events, ...longest },
      body: { name: longest.name, description: longest.description, signing_keys: [{ label: longest.key_label }] },
    },
    'a url of 2,048 bytes is echoed as it came': {
      input: { url: longest_url, events },
      body: { url: longest_url },
    },
    'a name that does not resolve is accepted with a warning': {
      input: { url: 'https://nowhere.invalid/hook', events },
      body: { warnings: ['url_unresolved'] },
    },
    'categories that the token has are kept': {
      input: { url, events, sensitive_data: ['bank_details'] },
      body: { sensitive_data: ['bank_details'] },
    },
    'categories that the token lacks are refused': {
      as: 'client without compensation',
      input: { url, events, sensitive_data: ['compensation'] },
      answers: '403 sensitive_data_required',
    },
    'an unknown event type is answered with the known one that is nearest': {
      input: { url, events: ['contract.craeted', 'zzzz'] },
      answers: '422 unknown_event_type',
      body: {
        errors: [
          { pointer: '/events/0', message: 'contract.craeted is not an event type; did you mean contract.created?' },
          { pointer: '/events/1', message: 'zzzz is not an event type' },
        ],
      },
    },
    'a label in use is refused, whatever subscription has it': {
      given: subscribed({ key_label: 'first' }),
      input: { url, events, key_label: 'first' },
      answers: '409 label_in_use',
      errors: ['/key_label'],
    },
    'the fourth of three subscriptions is refused': {
      async given(t) {
        for (let made = 0; made < 3; made += 1) await subscribed()(t)
        return {}
      },
      input: { url, events },
      answers: '409 subscription_limit_reached',
    },
    'no url is refused': { input: { events }, ...invalid },
    'no events are refused': { input: { url }, ...invalid },
    ...Object.fromEntries([
      refused('a signing key of the caller is refused', { signing_key: 'x' }),
      refused('a version of the caller is refused', { api_version: 'v1' }),
      refused('an id of the caller is refused', { id: '019b8d40-2c80-7b31-9e07-4f1a6c5d8e20' }),
      refused('a label of 65 characters is refused', { key_label: 'x'.repeat(65) }),
      refused('a label with a space is refused', { key_label: 'a b' }),
    ]),
    ...refusedReceivers((input) => ({ url, events, ...input })),
  },
  { settings },
)

test('the refusal of a receiver on a private network names the setting that would allow it, and no other refusal does', async () => {
  const service = await serviceOfCases(settings)
  for (const [address, is_told] of [
    ['https://receiver.localhost/hooks', true],
    ['https://10.0.0.1/hooks', true],
    ['http://93.184.215.14/', false],
  ] as const) {
    const { body } = await service.call('POST', '/webhooks', { body: { url: address, events } })
    assert.equal(/operator .*WEBHOOK_ALLOWED_NETWORKS/.test(body.detail), is_told, address)
  }
})

test('the same idempotency key gives the same key once, and another body is refused', async () => {
  const service = await serviceOfCases(settings)
  const call = (name: string) =>
    service.call('POST', '/webhooks', { body: { url, events, name }, headers: { 'idempotency-key': 'subscribe-once' } })
  const first = await call('a')
  const second = await call('a')
  assert.deepEqual([first.status, second.status], [201, 201])
  assert.deepEqual(second.body, first.body)
  const other = await call('b')
  assert.deepEqual([other.status, other.body.code], [422, 'idempotency_key_reused'])
})

test('calls in parallel never make more subscriptions than the limit', async () => {
  const service = await serviceOfCases(settings)
  const { body: page } = await service.call('GET', '/webhooks')
  const left = 3 - page.total_count
  const answers = await Promise.all(
    Array.from({ length: left + 3 }, () => service.call('POST', '/webhooks', { body: { url, events } })),
  )
  assert.equal(answers.filter(({ status }) => status === 201).length, left)
  const codes = answers.filter(({ status }) => status !== 201).map(({ body }) => body.code)
  assert.deepEqual(new Set(codes), new Set(['subscription_limit_reached']))
})
