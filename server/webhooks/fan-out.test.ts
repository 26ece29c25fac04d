import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { recordEvents } from '#core/effects.ts'
import { newId } from '#core/values.ts'
import { sql } from '#db/database.ts'
import { apiTokenCreated } from '#identity/end-credentials.ts'
import { verifies } from '#test/verifies.ts'
import { startWebhookBench, type WebhookBench } from '#test/webhook-bench.ts'

let bench: WebhookBench
before(async () => {
  bench = await startWebhookBench()
})
after(() => bench.close())
afterEach(() => bench.unsubscribeAll())

const inOrganization = <Result extends object>(statement: ReturnType<typeof sql>) => {
  const organization_id = bench.service.organization.id
  return bench.service.database.database.transaction({ role: 'app', organization_id }, (tx) =>
    tx.rows<Result>(statement),
  )
}

test('an event with its deliveries exists exactly when its change committed', async () => {
  const { service } = bench
  const subscribed = [await bench.subscribe(), await bench.subscribe()]
  const of_others = await bench.subscribe({ events: ['api-token.revoked'] })
  await service.takeEvents()
  const names = Array.from({ length: 40 }, (_, n) => (n % 3 === 0 ? '' : `token ${n}`))
  const answers = await Promise.all(
    names.map((name) => service.call('POST', '/api-tokens', { body: { name, scopes: ['contracts:read'] } })),
  )
  const created = answers.filter(({ status }) => status === 201).map(({ body }) => body.id)
  assert.equal(created.length, 26)
  const recorded = (await service.takeEvents()).map(({ resource }) => resource[0]?.credential_id)
  assert.deepEqual(recorded.sort(), created.sort())
  for (const { id } of subscribed) {
    const deliveries = await bench.deliveries(id)
    assert.equal(deliveries.length, created.length)
    assert.equal(new Set(deliveries.map(({ event_id }) => event_id)).size, created.length)
  }
  verifies('6.1.subscribed-only').deepEqual(await bench.deliveries(of_others.id), [])
})

test('a subscription that was made while a change waited for a lock gets the event of the change', async () => {
  const { service } = bench
  const { database, fanOut } = service.runtime
  const organization_id = service.organization.id
  const occurred_at = new Date(service.clock.now()).toISOString()
  const event = {
    event_id: newId(service.clock.now()),
    type: apiTokenCreated,
    occurred_at,
    entries: [{ ...apiTokenCreated.example }],
  }
  const made = await database.transaction({ role: 'app', organization_id }, async (tx) => {
    fanOut.expect?.(tx, organization_id, [apiTokenCreated])
    const { id } = await bench.subscribe()
    await service.clock.advance(60)
    await recordEvents(tx, { organization_id, request_id: null, trace_id: null }, [event], fanOut)
    return id
  })
  assert.deepEqual(
    (await bench.deliveries(made)).map(({ event_id }) => event_id),
    [event.event_id],
  )
})

test('an event of several entries is delivered with each of them, in order', async () => {
  const { service, receiver } = bench
  await bench.subscribe()
  const { database, fanOut } = service.runtime
  const organization_id = service.organization.id
  const entries = [apiTokenCreated.example, { ...apiTokenCreated.example, name: 'another' }]
  const occurred_at = new Date(service.clock.now()).toISOString()
  const event = { event_id: newId(service.clock.now()), type: apiTokenCreated, occurred_at, entries }
  await database.transaction({ role: 'app', organization_id }, (tx) =>
    recordEvents(tx, { organization_id, request_id: null, trace_id: null }, [event], fanOut),
  )
  const arrived = receiver.requests.length
  await service.dispatcher.runDue()
  const sent = JSON.parse(String(receiver.requests[arrived]?.body))
  verifies('2.3.resource').deepEqual(sent.data.resource, entries)
})

test('a rolled-back transaction leaves neither event nor delivery, body or resource id', async () => {
  const { service } = bench
  await bench.subscribe()
  const { database, fanOut } = service.runtime
  const organization_id = service.organization.id
  const event_id = newId(service.clock.now())
  const event = {
    event_id,
    type: apiTokenCreated,
    occurred_at: '2026-03-02T09:00:00.000Z',
    entries: [apiTokenCreated.example],
  }
  const failing = database.transaction({ role: 'app', organization_id }, async (tx) => {
    await recordEvents(tx, { organization_id, request_id: null, trace_id: null }, [event], fanOut)
    throw new Error('the business changed its mind')
  })
  await assert.rejects(failing, /changed its mind/)
  for (const table of ['events', 'event_bodies', 'event_resources', 'webhook_open_deliveries']) {
    const rows = await inOrganization({ strings: [`select from ${table} where event_id = `, ''], values: [event_id] })
    assert.equal(rows.length, 0, table)
  }
})

test('fields of categories that a subscription was not granted are null in what it receives', async () => {
  const { service, receiver } = bench
  const resourceOf = async (sensitive_data: string[]) => {
    const { id } = await bench.subscribe({ events: ['payment.completed'], sensitive_data })
    await service.call('POST', `/webhooks/${id}/simulate`, { body: { event_type: 'payment.completed' } })
    const arrived = receiver.requests.length
    await service.dispatcher.runDue()
    const [payment] = JSON.parse(String(receiver.requests[arrived]?.body)).data.resource
    return [payment.total, payment.fee, payment.invoices[0].total, payment.number]
  }
  const example = service.runtime.registry.events.get('payment.completed')?.type.example as Record<string, unknown>
  const invoices = example.invoices as { total: string }[]
  assert.deepEqual(await resourceOf([]), [null, null, null, example.number])
  assert.deepEqual(await resourceOf(['bank_details']), [null, null, null, example.number])
  assert.deepEqual(await resourceOf(['compensation']), [example.total, example.fee, invoices[0]?.total, example.number])
})

test('a body is withheld from a token that lacks a category it shows', async () => {
  const { service } = bench
  const { id } = await bench.subscribe({ events: ['payment.completed'], sensitive_data: ['compensation'] })
  const { body } = await service.call('POST', `/webhooks/${id}/simulate`, { body: { event_type: 'payment.completed' } })
  const token = await service.createToken(service.organization.id, { scopes: ['webhooks:read'], sensitive_data: [] })
  const path = `/webhooks/${id}/deliveries/${body.id}`
  assert.equal((await service.call('GET', path, { token })).body.body, null)
  assert.ok((await service.call('GET', path)).body.body.text.includes('total'))
})

test('subscriptions of the same rendering share one stored body', async () => {
  await bench.subscribe()
  const { id } = await bench.subscribe({ sensitive_data: ['compensation'] })
  await bench.cause()
  const [delivery] = await bench.deliveries(id)
  const bodies = await inOrganization(sql`select from event_bodies where event_id = ${delivery.event_id}`)
  assert.equal(bodies.length, 1)
})

test('a signing key is nowhere but in the answer that made it: no table, no log line, no other answer', async () => {
  const { service, receiver } = bench
  const answer = await service.call('POST', '/webhooks', {
    body: { url: receiver.url, events: ['api-token.created'] },
    headers: { 'idempotency-key': 'keeps the answer' },
  })
  const { id, signing_key } = answer.body
  await bench.cause()
  await service.dispatcher.runDue()
  const [delivery] = await bench.deliveries(id)
  const answers = [
    await service.call('GET', `/webhooks/${id}`),
    await service.call('PATCH', `/webhooks/${id}`, { body: { name: 'Payroll' } }),
    await service.call('GET', `/webhooks/${id}/deliveries/${delivery.id}`),
    await service.call('POST', '/webhooks', { body: { url: 'x', events: [signing_key], signing_key } }),
  ].map(({ body }) => JSON.stringify(body))
  const secret = signing_key.slice(6)
  const traces = [secret, Buffer.from(signing_key).toString('hex'), Buffer.from(secret, 'base64').toString('hex')]
  // The last answer may name the key where the caller itself sent it; nothing else may.
  for (const text of [...answers.slice(0, 3), ...service.logged, ...(await dump())])
    for (const trace of traces) assert.ok(!text.includes(trace), text.slice(0, 200))
})

/** Every row of every table as text, as a stolen copy of the database would show it. */
async function dump(): Promise<string[]> {
  const { database } = bench.service.database
  const organization_id = bench.service.organization.id
  const texts: string[] = []
  // The owner of the tables is bound by row-level security too, unless it is a superuser.
  for (const role of ['owner', 'app', 'engine', 'lookup', 'operator'] as const) {
    await database.transaction({ role, organization_id }, async (tx) => {
      const tables = await tx.rows<{ name: string }>(sql`
        select relname as name from pg_class
        where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace and has_table_privilege(oid, 'select')`)
      for (const { name } of tables) {
        const rows = await tx.rows<{ text: string }>({ strings: [`select t::text as text from ${name} t`], values: [] })
        texts.push(...rows.map(({ text }) => text))
      }
    })
  }
  assert.ok(texts.some((text) => text.includes('keeps the answer') || text.includes('key_')))
  return texts
}
