import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { sql } from '#db/database.ts'
import { cases } from '#test/cases.ts'
import { subscribed } from '#test/subscribed.ts'
import { startWebhookBench, type WebhookBench } from '#test/webhook-bench.ts'
import { skipReason } from './get-event.ts'

let bench: WebhookBench
before(async () => {
  bench = await startWebhookBench()
})
after(() => bench.close())
afterEach(() => bench.unsubscribeAll())

const get = (event_id: string, token?: string) =>
  bench.service.call('GET', `/events/${event_id}`, token ? { token } : {})

/** The newest event of a type. */
async function eventOf(type: string): Promise<string> {
  const { service } = bench
  const scope = { role: 'app', organization_id: service.organization.id } as const
  const row = await service.database.database.transaction(scope, (tx) =>
    tx.row<{ event_id: string }>(sql`
      select event_id from events where event_type = ${type} order by recorded_at desc, event_id desc limit 1`),
  )
  assert.ok(row)
  return row.event_id
}

/** The result of an event for each subscription, by its name. */
async function resultsOf(event_id: string): Promise<Record<string, string>> {
  const { status, body } = await get(event_id)
  assert.equal(status, 200, JSON.stringify(body))
  const named = body.subscriptions.filter(({ name }: { name: string | null }) => name !== null)
  return Object.fromEntries(
    // biome-ignore lint/suspicious/noExplicitAny: one line of the answer
    named.map(({ name, result, reason, deliveries }: any) => [name, reason ?? `${result} ${deliveries.length}`]),
  )
}

const later = () => bench.service.clock.advance(1_000)

test('each subscription is named with its deliveries or with the reason for none', async () => {
  const { service } = bench
  const matched = await bench.subscribe({ name: 'matched' })
  const deleted = await bench.subscribe({ name: 'deleted' })
  await bench.subscribe({ name: 'unlisted', events: ['api-token.revoked'] })
  const narrowed = await bench.subscribe({ name: 'narrowed' })
  const held = await bench.subscribe({ name: 'held' })
  const widened = await bench.subscribe({ name: 'widened', events: ['api-token.revoked'] })
  await later()
  await service.call('DELETE', `/webhooks/${deleted.id}`)
  await service.call('PATCH', `/webhooks/${narrowed.id}`, { body: { events: ['api-token.revoked'] } })
  await service.call('PATCH', `/webhooks/${held.id}`, { body: { status: 'disabled' } })
  await later()
  await bench.cause()
  const event_id = await eventOf('api-token.created')
  await later()
  // Later changes alter nothing of what is told.
  await bench.subscribe({ name: 'later' })
  await service.call('PATCH', `/webhooks/${narrowed.id}`, { body: { events: ['api-token.created'] } })
  await service.call('PATCH', `/webhooks/${widened.id}`, { body: { events: ['api-token.created'] } })
  await service.dispatcher.runDue()
  const [delivery] = await bench.deliveries(matched.id)
  await service.call('POST', `/webhooks/${matched.id}/deliveries/${delivery.id}/redeliver`, { body: {} })
  assert.deepEqual(await resultsOf(event_id), {
    matched: 'matched 2',
    held: 'matched 1',
    deleted: 'deleted_before',
    unlisted: 'type_not_listed',
    narrowed: 'type_not_listed',
    widened: 'type_not_listed',
    later: 'created_later',
  })
})

test('a simulation tells which subscription it was for', async () => {
  const { service } = bench
  const chosen = await bench.subscribe({ name: 'chosen' })
  await bench.subscribe({ name: 'other' })
  await later()
  const { body } = await service.call('POST', `/webhooks/${chosen.id}/simulate`, {
    body: { event_type: 'api-token.created' },
  })
  const results = await resultsOf(body.event_id)
  assert.deepEqual([results.chosen, results.other], ['matched 1', 'simulation_for_other'])
  assert.equal((await get(body.event_id)).body.event.data.meta.is_simulation, true)
})

test('an event about a subscription goes to the others', async () => {
  const about = await bench.subscribe({ name: 'about', events: ['webhook.disabled'] })
  await bench.subscribe({ name: 'observer', events: ['webhook.disabled'] })
  await later()
  await bench.service.call('PATCH', `/webhooks/${about.id}`, { body: { status: 'disabled' } })
  const results = await resultsOf(await eventOf('webhook.disabled'))
  assert.deepEqual([results.about, results.observer], ['about_itself', 'matched 1'])
})

test('a subscription whose change was not yet committed for the event is told apart from one that did not want it', () => {
  const event = { is_simulation: false, entries: [{ contract_id: 'c' }] }
  const witness = { webhook_id: 'w', status_then: 'active' as const, listed_then: true }
  assert.equal(skipReason(event, witness), 'changed_concurrently')
  assert.equal(skipReason(event, { ...witness, listed_then: false }), 'type_not_listed')
})

test('the event tells the call that caused it, and is the object that was delivered', async () => {
  const { service } = bench
  const { id } = await bench.subscribe()
  const trace_id = '4bf92f3577b34da6a3ce929d0e0e4736'
  const { headers } = await service.call('POST', '/api-tokens', {
    body: { name: 'Traced', scopes: ['contracts:read'] },
    headers: { traceparent: `00-${trace_id}-00f067aa0ba902b7-01` },
  })
  const { body } = await get(await eventOf('api-token.created'))
  assert.equal(body.trace_id, trace_id)
  assert.equal(body.request_id, headers['request-id'])
  const [delivery] = await bench.deliveries(id)
  const { body: sent } = await service.call('GET', `/webhooks/${id}/deliveries/${delivery.id}`)
  assert.equal(JSON.stringify(body.event), sent.body.text)
})

test('another organization and an unknown id answer 404', async () => {
  await bench.cause()
  const event_id = await eventOf('api-token.created')
  const other = await bench.service.createOrganization()
  for (const [id, token] of [
    [event_id, other.token],
    [crypto.randomUUID(), bench.service.organization.token],
    ['x', bench.service.organization.token],
  ] as const) {
    assert.equal((await get(id, token)).status, 404)
  }
})

cases('events.get', {
  'an event is shown with its delivery to each subscription': {
    async given(t) {
      const made = await subscribed()(t)
      await t.call('POST', '/api-tokens', { body: { name: 'Export', scopes: ['contracts:read'] } })
      const { body } = await t.call('GET', `/webhooks/${made.id}/deliveries`)
      return { ...made, event_id: body.data[0].event_id }
    },
    body: ({ event_id, webhook_id }) => ({
      event: { data: { meta: { event_id, event_type: 'api-token.created' } } },
      subscriptions: [{ webhook_id, result: 'matched', reason: null, deliveries: [{ status: 'pending' }] }],
    }),
  },
  'an event that never was is missing': {
    input: { event_id: '019b8d40-2c80-7b31-9e07-4f1a6c5d8e20' },
    answers: '404 not_found',
  },
})
