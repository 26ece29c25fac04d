import assert from 'node:assert/strict'
import { after, afterEach, before, mock, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { sql } from '#db/database.ts'
import { hmac } from '#test/own-hmac.ts'
import { answer, type ReceivedRequest } from '#test/receiver.ts'
import { startWebhookBench, type WebhookBench } from '#test/webhook-bench.ts'

let bench: WebhookBench
/** The event whose every attempt fails, so that a retry of it is due at each instant. */
let failing_event: string | null = null
before(async () => {
  bench = await startWebhookBench(
    { WEBHOOK_RETRY_SCHEDULE: Array(20).fill('100ms').join(',') },
    {
      behaviour: (socket, request) =>
        answer({ status: request.headers['webhook-id'] === failing_event ? 500 : 200 })(socket, request),
    },
  )
})
after(() => bench.close())
afterEach(() => bench.unsubscribeAll())

const hour_ms = 3_600_000

async function rotate(id: string, body: Record<string, unknown> = {}) {
  const answered = await bench.service.call('POST', `/webhooks/${id}/signing-keys`, { body })
  assert.equal(answered.status, 201, JSON.stringify(answered.body))
  return answered.body
}

async function keysOf(id: string) {
  const { status, body } = await bench.service.call('GET', `/webhooks/${id}/signing-keys`)
  assert.equal(status, 200)
  return body.data
}

/** A verifier of `webhook-signature` that knows nothing of ours. */
function ownVerifies(signing_key: string, { headers, body }: ReceivedRequest): boolean {
  const message = Buffer.concat([Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.`), body])
  const expected = Buffer.from(hmac(Buffer.from(signing_key.slice(6), 'base64'), message)).toString('base64')
  return (headers['webhook-signature'] ?? '').split(' ').includes(`v1,${expected}`)
}

/** The published library, at the time at which the request was sent. */
function libraryVerifies(signing_key: string, { headers, body }: ReceivedRequest): boolean {
  mock.timers.enable({ apis: ['Date'], now: Number(headers['webhook-timestamp']) * 1_000 })
  try {
    new Webhook(signing_key).verify(body.toString(), headers)
    return true
  } catch {
    return false
  } finally {
    mock.timers.reset()
  }
}

function serviceVerifies(signing_key: string, { headers, body }: ReceivedRequest): boolean {
  const expected = hmac(Buffer.from(signing_key), Buffer.concat([Buffer.from('POST'), body]))
  return headers['x-service-signature'] === Buffer.from(expected).toString('hex')
}

/** The requests sent now: the retry of the failing event and one new event, in the order of arrival. */
async function sentNow(): Promise<ReceivedRequest[]> {
  const { service, receiver } = bench
  const arrived = receiver.requests.length
  await bench.cause()
  assert.equal(await service.dispatcher.runDue(), 2)
  return receiver.requests.slice(arrived)
}

/** Subscribes with an event that fails at once and whose retries are due from now on. */
async function subscribeWithFailure() {
  const subscribed = await bench.subscribe({ key_label: `old-${crypto.randomUUID()}` })
  await bench.cause()
  const [delivery] = await bench.deliveries(subscribed.id)
  failing_event = delivery.event_id
  await bench.service.dispatcher.runDue()
  await bench.service.clock.advance(1_000)
  return subscribed
}

const overlap_hours = 2
/** From the rotation on, whose key takes over one hour later and retires the old one two hours after that. */
const phases = {
  next: { states: ['next', 'primary'], primary: 'old', verifying: ['old', 'new'] },
  overlap: { states: ['primary', 'previous'], primary: 'new', verifying: ['old', 'new'] },
  over: { states: ['primary', 'retired'], primary: 'new', verifying: ['new'] },
} as const
const activates_in_ms = hour_ms
const retires_in_ms = activates_in_ms + overlap_hours * hour_ms
const instants: [name: string, [after_ms: number, phase: keyof typeof phases][]][] = [
  [
    'the first of each phase',
    [
      [0, 'next'],
      [activates_in_ms, 'overlap'],
      [retires_in_ms, 'over'],
    ],
  ],
  [
    'the last of each phase',
    [
      [activates_in_ms - 1, 'next'],
      [retires_in_ms - 1, 'overlap'],
      [retires_in_ms + 1_000 * hour_ms, 'over'],
    ],
  ],
  [
    'the middle of each phase',
    [
      [activates_in_ms / 2, 'next'],
      [activates_in_ms + hour_ms, 'overlap'],
      [retires_in_ms + hour_ms, 'over'],
    ],
  ],
]

for (const [name, moments] of instants) {
  test(`both schemes verify at ${name} of a rotation, for retries as for new events`, async () => {
    const { clock } = bench.service
    const { id, signing_key } = await subscribeWithFailure()
    const [{ label: old_label }] = await keysOf(id)
    const start_ms = clock.now()
    const at = (after_ms: number) => new Date(start_ms + after_ms).toISOString()
    const new_label = `new-${crypto.randomUUID()}`
    const wished = { label: new_label, activate_at: at(activates_in_ms), overlap_hours }
    const { signing_key: new_key, ...shown } = await rotate(id, wished)
    const times = { created_at: at(0), activates_at: at(activates_in_ms), retires_at: null, last_used_at: null }
    assert.deepEqual(shown, { label: new_label, state: 'next', ...times })
    const values = { old: signing_key, new: new_key }
    const labels = { old: old_label, new: new_label }
    for (const [after_ms, phase] of moments) {
      await clock.set(at(after_ms))
      const { states, primary, verifying } = phases[phase]
      const keys = await keysOf(id)
      assert.deepEqual(
        keys.map(({ label, state }: { label: string; state: string }) => [label, state]),
        [
          [new_label, states[0]],
          [old_label, states[1]],
        ],
      )
      assert.deepEqual((await bench.service.call('GET', `/webhooks/${id}`)).body.signing_keys, keys)
      const requests = await sentNow()
      assert.equal(new Set(requests.map(({ headers }) => headers['webhook-id'] === failing_event)).size, 2)
      for (const request of requests) {
        assert.equal(request.headers['webhook-signature']?.split(' ').length, verifying.length)
        assert.equal(request.headers['x-service-hmac-label'], labels[primary])
        for (const key of ['old', 'new'] as const) {
          const isLive = (verifying as readonly string[]).includes(key)
          assert.equal(ownVerifies(values[key], request), isLive, phase)
          assert.equal(libraryVerifies(values[key], request), isLive, phase)
          assert.equal(serviceVerifies(values[key], request), key === primary, phase)
        }
      }
    }
  })
}

async function sealedLabels(id: string): Promise<string[]> {
  const rows = await bench.service.database.database.transaction({ role: 'owner' }, (tx) =>
    tx.rows<{ label: string }>(sql`
      select label from webhook_signing_keys where subscription_id = ${id} and sealed is not null order by created_at`),
  )
  return rows.map(({ label }) => label)
}

test('the value of a retired key is destroyed, its row stays', async () => {
  const { clock, dispatcher } = bench.service
  const { id } = await bench.subscribe({ key_label: 'destroyed' })
  await clock.advance(1)
  await rotate(id, { label: 'survivor', overlap_hours: 1 })
  await clock.advance(hour_ms - 1)
  await dispatcher.runDue()
  assert.deepEqual(await sealedLabels(id), ['destroyed', 'survivor'])
  await clock.advance(1)
  await dispatcher.runDue()
  assert.deepEqual(await sealedLabels(id), ['survivor'])
  const states = (await keysOf(id)).map(({ label, state }: { label: string; state: string }) => [label, state])
  assert.deepEqual(states, [
    ['survivor', 'primary'],
    ['destroyed', 'retired'],
  ])
  await rotate(id)
})

test('without overlap the old key signs nothing from the activation on', async () => {
  const { id, signing_key: old_key } = await subscribeWithFailure()
  const { signing_key: new_key, state } = await rotate(id, { overlap_hours: 0 })
  assert.equal(state, 'primary')
  for (const request of await sentNow()) {
    assert.deepEqual([ownVerifies(old_key, request), ownVerifies(new_key, request)], [false, true])
    assert.equal(serviceVerifies(new_key, request), true)
  }
})

test('deleting the next key keeps the old one primary for good', async () => {
  const { clock } = bench.service
  const { id, signing_key: old_key } = await subscribeWithFailure()
  const [{ label: old_label }] = await keysOf(id)
  await clock.advance(1)
  const activate_at = new Date(clock.now() + hour_ms).toISOString()
  const { label, signing_key: new_key } = await rotate(id, { activate_at, overlap_hours: 0 })
  assert.equal((await bench.service.call('DELETE', `/webhooks/${id}/signing-keys/${label}`)).status, 204)
  assert.deepEqual(await sealedLabels(id), [old_label])
  await clock.advance(24 * hour_ms)
  const keys = await keysOf(id)
  assert.deepEqual([keys[0].state, keys[1].state, keys[1].retires_at], ['retired', 'primary', null])
  for (const request of await sentNow()) {
    assert.deepEqual([ownVerifies(old_key, request), ownVerifies(new_key, request)], [true, false])
    assert.equal(serviceVerifies(old_key, request), true)
  }
})

test('deleting the previous key retires it at once', async () => {
  const { id, signing_key: old_key } = await subscribeWithFailure()
  const [{ label: old_label }] = await keysOf(id)
  await bench.service.clock.advance(1)
  const { signing_key: new_key } = await rotate(id, { overlap_hours: 168 })
  for (let times = 0; times < 2; times += 1)
    assert.equal((await bench.service.call('DELETE', `/webhooks/${id}/signing-keys/${old_label}`)).status, 204)
  for (const request of await sentNow())
    assert.deepEqual([ownVerifies(old_key, request), ownVerifies(new_key, request)], [false, true])
})

test('the values of keys are in no row, log line or later answer', async () => {
  const { service } = bench
  const { id, signing_key: first } = await bench.subscribe()
  await service.clock.advance(1)
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const body = { overlap_hours: 1 }
  const made = await service.call('POST', `/webhooks/${id}/signing-keys`, { body, headers })
  const repeated = await service.call('POST', `/webhooks/${id}/signing-keys`, { body, headers })
  assert.deepEqual(repeated.body, made.body)
  const second = made.body.signing_key
  await bench.cause()
  await service.dispatcher.runDue()
  const [delivery] = await bench.deliveries(id)
  const answers = await Promise.all([
    service.call('GET', '/webhooks'),
    service.call('GET', `/webhooks/${id}`),
    service.call('GET', `/webhooks/${id}/signing-keys`),
    service.call('GET', `/webhooks/${id}/deliveries/${delivery.id}`),
    service.call('POST', `/webhooks/${id}/signing-keys`),
    service.call('DELETE', `/webhooks/${id}/signing-keys/${made.body.label}`),
    service.call('PATCH', `/webhooks/${id}`, { body: { name: 'Renamed' } }),
  ])
  const told = JSON.stringify(answers) + service.logged.join('')
  const rows = await service.database.database.transaction({ role: 'owner' }, (tx) =>
    tx.rows<{ dump: string }>(sql`
      select query_to_xml(format('select * from %I', tablename), true, false, '')::text as dump
      from pg_tables where schemaname = 'public'`),
  )
  const dump = rows.map(({ dump }) => dump).join('')
  for (const key of [first, second]) {
    const bytes = Buffer.from(key)
    const secret = Buffer.from(key.slice(6), 'base64')
    const forms = [key.slice(6), ...[bytes, secret].flatMap((b) => [b.toString('hex'), b.toString('base64')])]
    for (const form of forms) assert.equal(told.includes(form) || dump.includes(form), false)
  }
})

const day_ms = 24 * hour_ms
const from_now = (ms: number) => () => ({ activate_at: new Date(bench.service.clock.now() + ms).toISOString() })
const refusals: [name: string, body: () => Record<string, unknown>, status: number, pointer: string | null][] = [
  ['a moment that has passed', from_now(-1), 400, '/activate_at'],
  ['more than seven days ahead', from_now(7 * day_ms + 1), 400, '/activate_at'],
  ['an overlap of 169 hours', () => ({ overlap_hours: 169 }), 400, '/overlap_hours'],
  ['an overlap below zero', () => ({ overlap_hours: -1 }), 400, '/overlap_hours'],
  ['half an hour of overlap', () => ({ overlap_hours: 0.5 }), 400, '/overlap_hours'],
  ['a label with a space', () => ({ label: 'two words' }), 400, '/label'],
  ['a label of 65 characters', () => ({ label: 'x'.repeat(65) }), 400, '/label'],
  ['a value of the caller’s own', () => ({ signing_key: 'whsec_x' }), 400, '/signing_key'],
  ['a label in use', () => ({ label: 'taken' }), 409, '/label'],
]

test('a rotation is refused for what it may not ask, and changes nothing then', async () => {
  const { service } = bench
  await bench.subscribe({ key_label: 'taken' })
  const { id } = await bench.subscribe()
  const unchanged = await keysOf(id)
  for (const [name, body, status, pointer] of refusals) {
    const refused = await service.call('POST', `/webhooks/${id}/signing-keys`, { body: body() })
    assert.equal(refused.status, status, `${name}: ${JSON.stringify(refused.body)}`)
    assert.equal(refused.body.errors?.[0]?.pointer ?? null, pointer, name)
    assert.deepEqual(await keysOf(id), unchanged, name)
  }
  for (const body of [{ label: 'x'.repeat(64) }, from_now(7 * day_ms)()]) {
    const { id: other } = await bench.subscribe()
    await rotate(other, body)
  }
})

test('at most two keys are live, the primary one cannot be deleted, and what is not there is not found', async () => {
  const { service } = bench
  const { id } = await bench.subscribe()
  const [{ label }] = await keysOf(id)
  const code = async (method: string, path: string, token?: string) => {
    const { status, body } = await service.call(method, path, token ? { token } : {})
    return `${status} ${body.code ?? ''}`
  }
  const keys = `/webhooks/${id}/signing-keys`
  assert.equal(await code('DELETE', `${keys}/${label}`), '409 key_is_primary')
  await service.clock.advance(1)
  const rotated = await rotate(id)
  assert.equal(await code('POST', keys), '409 rotation_open')
  assert.equal(await code('DELETE', `${keys}/${rotated.label}`), '409 key_is_primary')
  assert.equal(await code('DELETE', `${keys}/nobody`), '404 not_found')
  const stranger = await service.createOrganization()
  const reader = await service.createToken(service.organization.id, { scopes: ['webhooks:read'] })
  assert.equal(await code('GET', keys, stranger.token), '404 not_found')
  assert.equal(await code('POST', keys, stranger.token), '404 not_found')
  assert.equal(await code('DELETE', `${keys}/${label}`, stranger.token), '404 not_found')
  assert.equal(await code('POST', keys, reader), '403 insufficient_scope')
  assert.equal(await code('DELETE', `${keys}/${label}`, reader), '403 insufficient_scope')
  await service.call('DELETE', `/webhooks/${id}`)
  for (const method of ['GET', 'POST']) assert.equal(await code(method, keys), '404 not_found')
})

test('of rotations at once only one is made', async () => {
  const { service } = bench
  const { id } = await bench.subscribe()
  await service.clock.advance(1)
  const answers = await Promise.all([1, 2, 3].map(() => service.call('POST', `/webhooks/${id}/signing-keys`)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409])
})

test('keys are listed in pages, and a rotation tells those that follow updated_after', async () => {
  const { service } = bench
  const { id } = await bench.subscribe()
  await service.clock.advance(1_000)
  const before_rotation = new Date(service.clock.now() - 1).toISOString()
  const { label } = await rotate(id)
  const list = async (query: Record<string, unknown>) =>
    (await service.call('GET', `/webhooks/${id}/signing-keys`, { query })).body
  const first = await list({ limit: 1 })
  assert.deepEqual([first.data[0].label, first.total_count, first.has_more], [label, 2, true])
  const second = await list({ limit: 1, cursor: first.cursor })
  assert.deepEqual([second.data[0].state, second.has_more], ['previous', false])
  assert.equal((await list({ updated_after: before_rotation })).total_count, 2)
  const changed = await service.call('GET', '/webhooks', { query: { updated_after: before_rotation } })
  assert.deepEqual(
    changed.body.data.map((row: { id: string }) => row.id),
    [id],
  )
})
