import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import type { Followed } from '#sdk/listing.ts'
import type { StintOptions } from '#sdk/transport.ts'
import { type EventPayload, eventOf } from '#sdk/webhooks.ts'
import { useListeningRest } from '#test/event-stream.ts'
import { type Fetch, sdkOf } from '#test/sdk.ts'
import { startTestService, type TestService } from '#test/service.ts'
import { createSequencer } from '#webhooks/feed/sequencer.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

/** Causes one event of the feed; answers the id of the credential that it tells of. */
async function cause(): Promise<string> {
  const { body } = await service.call('POST', '/api-tokens', { body: { name: 'x', scopes: ['contracts:read'] } })
  await createSequencer(service.database.database, service.runtime.log).runDue()
  return body.id
}

/** A client of a service that listens; `cut` breaks what it is connected by. */
async function follower(t: TestContext, token: StintOptions['token'] = service.organization.token) {
  const { origin } = await useListeningRest(t, service, 50)
  const ending = new AbortController()
  let connection = new AbortController()
  const opened: (string | null)[] = []
  const waits: Fetch = (url, { signal, ...init }) => {
    opened.push(new Headers(init.headers).get('last-event-id'))
    connection = new AbortController()
    const signals = AbortSignal.any([connection.signal, ...(signal ? [signal] : [])])
    return fetch(origin + url.slice('https://stint.test/rest/v2'.length), { ...init, signal: signals })
  }
  const { stint } = sdkOf(service, { fetch: waits, token })
  t.after(() => ending.abort())
  return { stint, signal: ending.signal, opened, cut: () => connection.abort(), end: () => ending.abort() }
}

const credentialOf = ({ data }: Followed<EventPayload>) => {
  const event = eventOf(data)
  return event.event_type === 'api-token.created' ? event.resource[0]?.credential_id : event.event_type
}

async function take<Row>(stream: AsyncGenerator<Row>): Promise<Row> {
  const { value, done } = await stream.next()
  assert.equal(done, false)
  return value
}

test('a list is followed over cut connections: each event comes once, and none is missed', async (t) => {
  const { stint, signal, opened, cut } = await follower(t)
  const stream = stint.events.list({ start: 'oldest' }, { signal }).follow()
  const made = [await cause(), await cause()]
  const first = await take(stream)
  assert.equal(credentialOf(first), made[0])
  assert.equal(credentialOf(await take(stream)), made[1])
  cut()
  const meanwhile = await cause()
  assert.equal(credentialOf(await take(stream)), meanwhile)
  cut()
  const later = take(stream)
  const last = await cause()
  assert.equal(credentialOf(await later), last)
  assert.equal(opened[0], null)
  assert.ok(opened.length >= 3 && !opened.slice(1).includes(null), `${opened}`)
  const again = stint.events.list({}, { signal }).follow(first.id)
  assert.equal(credentialOf(await take(again)), made[1])
  await again.return()
})

test('the end of the credential ends the walk by its refusal', async (t) => {
  const { body } = await service.call('POST', '/api-tokens', { body: { name: 'tail', scopes: ['webhooks:read'] } })
  const { stint, signal } = await follower(t, body.token)
  const stream = stint.events.list({ start: 'latest', event_types: ['contract.created'] }, { signal }).follow()
  const next = stream.next()
  await service.call('DELETE', `/api-tokens/${body.id}`)
  await assert.rejects(next, { name: 'ProblemError', status: 401, code: 'unauthenticated' })
})

test('a walk goes on with the token that a function gives when the former one has ended', async (t) => {
  const { body } = await service.call('POST', '/api-tokens', { body: { name: 'tail', scopes: ['webhooks:read'] } })
  const { stint, signal } = await follower(t, (refused) => (refused ? service.organization.token : body.token))
  const stream = stint.events.list({ start: 'latest', event_types: ['team.created'] }, { signal }).follow()
  const next = take(stream)
  await service.call('DELETE', `/api-tokens/${body.id}`)
  const team = await stint.teams.create({ name: 'Told' })
  await createSequencer(service.database.database, service.runtime.log).runDue()
  assert.equal(eventOf((await next).data).event_id.length, 36)
  assert.equal(team.name, 'Told')
})

test('a credential that may not read a list is refused at once', async (t) => {
  const token = await service.createToken(service.organization.id, { scopes: ['contracts:read'] })
  const { stint, signal, opened } = await follower(t, token)
  await assert.rejects(stint.events.list({}, { signal }).follow().next(), { status: 403, code: 'insufficient_scope' })
  assert.equal(opened.length, 1)
})

test('the signal ends the walk', async (t) => {
  const { stint, signal, end } = await follower(t)
  const stream = stint.events.list({ start: 'latest' }, { signal }).follow()
  const next = stream.next()
  end()
  await assert.rejects(next, { name: 'AbortError' })
})
