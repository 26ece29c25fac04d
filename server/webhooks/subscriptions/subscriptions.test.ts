import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { answer, answerAfter, startReceiver } from '#test/receiver.ts'
import type { TestCallOptions } from '#test/service.ts'
import { verifies } from '#test/verifies.ts'
import { startWebhookBench, type WebhookBench } from '#test/webhook-bench.ts'

let bench: WebhookBench
before(async () => {
  bench = await startWebhookBench()
})
after(() => bench.close())
afterEach(() => bench.unsubscribeAll())

const call = (method: string, path: string, options?: TestCallOptions) => bench.service.call(method, path, options)

test('subscriptions are listed newest first and by status', async () => {
  const first = await bench.subscribe()
  const second = await bench.subscribe({ status: 'disabled' })
  const ids = async (query = {}) =>
    (await call('GET', '/webhooks', { query })).body.data.map(({ id }: { id: string }) => id)
  verifies('4.3.list').deepEqual(await ids(), [second.id, first.id])
  assert.deepEqual(await ids({ statuses: 'active' }), [first.id])
  const page = (await call('GET', '/webhooks', { query: { limit: 1 } })).body
  assert.deepEqual([page.total_count, page.has_more], [2, true])
  assert.deepEqual(await ids({ limit: 1, cursor: page.cursor }), [first.id])
})

test('the backlog counts what is under way as well as what waits', async () => {
  const { service, receiver } = bench
  const { id } = await bench.subscribe()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  receiver.script(answerAfter(released))
  const arrived = receiver.requests.length
  await bench.cause()
  await bench.cause()
  const running = service.dispatcher.runDue()
  await receiver.waitFor(arrived + 1)
  const under_way = await bench.deliveries(id, { statuses: 'sending' })
  const { backlog } = (await call('GET', `/webhooks/${id}`)).body
  release()
  await running
  const [{ created_at: oldest_pending_at }] = under_way
  assert.deepEqual([under_way.length, backlog], [1, { pending: 2, held: 0, oldest_pending_at, next_expiry_at: null }])
  const { backlog: after_all } = (await call('GET', `/webhooks/${id}`)).body
  assert.deepEqual(after_all, { pending: 0, held: 0, oldest_pending_at: null, next_expiry_at: null })
})

test('a change keeps what it does not name and is told by updated_after', async () => {
  const { id } = await bench.subscribe({ name: 'Payroll', description: 'Old' })
  const { body: before_change } = await call('GET', `/webhooks/${id}`)
  const { name, description, url, events } = before_change
  verifies('4.3.get').deepEqual(
    [before_change.id, name, description, url, events],
    [id, 'Payroll', 'Old', bench.receiver.url, ['api-token.created']],
  )
  await bench.service.clock.advance(1_000)
  const { status, body } = await call('PATCH', `/webhooks/${id}`, { body: { description: null } })
  assert.equal(status, 200)
  const updated_at = new Date(bench.service.clock.now()).toISOString()
  assert.deepEqual(body, { ...before_change, description: null, updated_at })
  const { body: page } = await call('GET', '/webhooks', { query: { updated_after: before_change.updated_at } })
  assert.equal(page.total_count, 1)
})

test('a new url applies to deliveries that wait for their retry', async (t) => {
  const moved = await startReceiver({ behaviour: answer({ status: 500 }) })
  t.after(() => moved.close())
  const { id } = await bench.subscribe({ url: moved.url })
  await bench.cause()
  await bench.service.dispatcher.runDue()
  const change = { url: bench.receiver.url, events: ['api-token.created', 'api-token.revoked'] }
  const { status, body } = await call('PATCH', `/webhooks/${id}`, { body: change })
  verifies('4.3.update').deepEqual([status, body.url, body.events], [200, change.url, change.events])
  const arrived = bench.receiver.requests.length
  await bench.service.clock.advance(60_000)
  await bench.service.dispatcher.runDue()
  assert.equal(moved.requests.length, 1)
  verifies('4.3.update').equal(bench.receiver.requests.length, arrived + 1)
})

test('whoever lacks a category of a subscription steers nothing of what it holds elsewhere', async () => {
  const { id } = await bench.subscribe({ sensitive_data: ['compensation'] })
  const token = await bench.service.createToken(bench.service.organization.id, {
    scopes: ['webhooks:write'],
    sensitive_data: [],
  })
  const change = async (body: object) => (await call('PATCH', `/webhooks/${id}`, { token, body })).status
  const events = ['api-token.created', 'api-token.revoked']
  for (const body of [
    { url: `${bench.receiver.url}/mine` },
    { payload: 'thin' },
    { events },
    { sensitive_data: ['compensation', 'bank_details'] },
    { url: `${bench.receiver.url}/mine`, sensitive_data: [] },
    { url: `${bench.receiver.url}/mine`, sensitive_data: [], status: 'active', held: 'resume' },
  ])
    assert.equal(await change(body), 403, JSON.stringify(body))
  assert.equal(await change({ name: 'Payroll' }), 200)
  assert.equal(await change({ payload: 'full', sensitive_data: ['compensation'] }), 200, 'equal values change nothing')
  assert.equal(await change({ sensitive_data: [] }), 200)
  assert.equal(await change({ url: `${bench.receiver.url}/mine` }), 403, 'what waits was written with the category')
})

test('disabling by hand tells who and why, once; enabling tells the others and forgets it', async () => {
  const { service } = bench
  const other = await bench.subscribe({ events: ['webhook.disabled', 'webhook.enabled'] })
  const { id } = await bench.subscribe({ events: ['webhook.disabled', 'webhook.enabled'], name: 'Payroll' })
  await service.takeEvents()
  const now = new Date(service.clock.now()).toISOString()
  for (let times = 0; times < 2; times += 1) {
    const { body } = await call('PATCH', `/webhooks/${id}`, { body: { status: 'disabled' } })
    assert.deepEqual([body.status, body.disabled_reason, body.disabled_at], ['disabled', 'manual', now])
    assert.equal(body.disabled_by.kind, 'token')
  }
  for (let times = 0; times < 2; times += 1) {
    const { body } = await call('POST', `/webhooks/${id}/enable`)
    assert.deepEqual([body.status, body.disabled_reason, body.disabled_by], ['active', null, null])
  }
  const entry = { webhook_id: id, url: bench.receiver.url, name: 'Payroll', consecutive_failures: 0, last_error: null }
  assert.deepEqual(await service.takeEvents(), [
    { event_type: 'webhook.disabled', resource: [{ ...entry, reason: 'manual', disabled_at: now }] },
    { event_type: 'webhook.enabled', resource: [{ ...entry, reason: null, disabled_at: null }] },
  ])
  const told = async (webhook_id: string) => (await bench.deliveries(webhook_id)).map(({ event_type }) => event_type)
  assert.deepEqual(await told(other.id), ['webhook.disabled', 'webhook.enabled'])
  assert.deepEqual(await told(id), [])
})

test('a deleted subscription is gone everywhere but in its history', async () => {
  const { id } = await bench.subscribe()
  await bench.cause()
  await bench.service.dispatcher.runDue()
  const [delivery] = await bench.deliveries(id)
  assert.equal((await call('DELETE', `/webhooks/${id}`)).status, 204)
  const gone: [string, string, TestCallOptions?][] = [
    ['GET', `/webhooks/${id}`],
    ['PATCH', `/webhooks/${id}`, { body: { name: 'x' } }],
    ['DELETE', `/webhooks/${id}`],
    ['POST', `/webhooks/${id}/enable`],
    ['POST', `/webhooks/${id}/simulate`, { body: { event_type: 'api-token.created' } }],
    ['POST', `/webhooks/${id}/deliveries/${delivery.id}/redeliver`],
  ]
  for (const [method, path, options] of gone)
    verifies('4.3.delete').equal((await call(method, path, options)).status, 404, `${method} ${path}`)
  assert.equal((await call('GET', `/webhooks/${id}/deliveries`)).body.total_count, 1)
  assert.equal((await call('GET', `/webhooks/${id}/deliveries/${delivery.id}`)).body.attempts.length, 1)
})

test("another organization's subscription and deliveries answer like missing ones", async () => {
  const { id } = await bench.subscribe()
  await bench.cause()
  await bench.service.dispatcher.runDue()
  const [delivery] = await bench.deliveries(id)
  const { token } = await bench.service.createOrganization()
  const paths: [string, string, TestCallOptions?][] = [
    ['GET', `/webhooks/${id}`],
    ['PATCH', `/webhooks/${id}`, { body: { name: 'x' } }],
    ['DELETE', `/webhooks/${id}`],
    ['POST', `/webhooks/${id}/enable`],
    ['POST', `/webhooks/${id}/simulate`, { body: { event_type: 'api-token.created' } }],
    ['GET', `/webhooks/${id}/deliveries`],
    ['GET', `/webhooks/${id}/deliveries/${delivery.id}`],
    ['POST', `/webhooks/${id}/deliveries/${delivery.id}/redeliver`],
  ]
  for (const [method, path, options] of paths) {
    const { status, body } = await call(method, path, { ...options, token })
    assert.deepEqual([status, body.code], [404, 'not_found'], `${method} ${path}`)
  }
  assert.equal((await call('GET', '/webhooks', { token })).body.total_count, 0)
  const own = await call('POST', '/webhooks', {
    token,
    body: { url: bench.receiver.url, events: ['api-token.created'] },
  })
  const mixed = await call('GET', `/webhooks/${own.body.id}/deliveries/${delivery.id}`, { token })
  assert.equal(mixed.status, 404)
})
