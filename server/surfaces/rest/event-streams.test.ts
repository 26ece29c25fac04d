import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openEventStream, useListeningRest } from '#test/event-stream.ts'
import { startTestService, type TestService } from '#test/service.ts'
import { createSequencer } from '#webhooks/feed/sequencer.ts'
import { acceptsEventStream, refuseBeyondLimits } from './event-streams.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const path = '/events?start=latest'

async function cause(token: string): Promise<string> {
  const { body } = await service.call('POST', '/api-tokens', { token, body: { name: 'x', scopes: ['contracts:read'] } })
  await createSequencer(service.database.database, service.runtime.log).runDue()
  return body.id
}

for (const [accept, isStream] of [
  ['text/event-stream', true],
  ['text/event-stream, application/json', true],
  ['text/event-stream;q=0.5, application/json', false],
  ['Text/Event-Stream; q=1', true],
  ['text/event-stream;q=0', false],
  ['text/event-stream;q=x', false],
  ['application/json', false],
  ['*/*', false],
  [undefined, false],
] as const) {
  test(`Accept: ${accept} asks for ${isStream ? 'a stream' : 'JSON'}`, () => {
    assert.equal(acceptsEventStream({ method: 'GET', headers: { accept } }), isStream)
    assert.equal(acceptsEventStream({ method: 'HEAD', headers: { accept } }), false)
  })
}

test('a stream tells what comes, says that it must not be kept or gathered, and leaves the client the place to go on', async (t) => {
  const { open } = await useListeningRest(t, service)
  const { token } = service.organization
  const stream = await open(path)
  assert.equal(stream.status, 200)
  assert.equal(stream.headers.get('content-type'), 'text/event-stream')
  assert.equal(stream.headers.get('cache-control'), 'no-store')
  assert.equal(stream.headers.get('x-accel-buffering'), 'no')
  const made = [await cause(token), await cause(token)]
  const events = await stream.take(2)
  assert.deepEqual(
    events.map(({ event, data }) => [event, data.data.resource[0].credential_id]),
    made.map((id) => ['message', id]),
  )
  stream.close()
  const later = await cause(token)
  const resumed = await open(path, token, { 'last-event-id': events[0]?.id ?? '' })
  const again = await resumed.take(2)
  assert.deepEqual(
    again.map(({ data }) => data.data.resource[0].credential_id),
    [made[1], later],
  )
})

test('a quiet stream sends comments and moves its place on', async (t) => {
  const { open } = await useListeningRest(t, service, 60)
  const { token } = service.organization
  const stream = await open('/events?start=latest&event_types=contract.created')
  await stream.takeComments(2)
  const before = stream.last_id
  await cause(token)
  // Some of them may have been sent before.
  while (stream.last_id === before) assert.equal((await stream.takeComments(1)).length, 1)
})

test('a revoked credential ends its stream at the next look, and tells why', async (t) => {
  const { open } = await useListeningRest(t, service)
  const { body } = await service.call('POST', '/api-tokens', { body: { name: 'tail', scopes: ['webhooks:read'] } })
  const stream = await open('/events?event_types=contract.created', body.token)
  await service.call('DELETE', `/api-tokens/${body.id}`)
  const events = await stream.rest()
  assert.deepEqual(
    events.map(({ event, data }) => [event, data.status, data.code]),
    [['problem', 401, 'unauthenticated']],
  )
})

test('rights that a credential does not have are refused before the stream begins', async (t) => {
  const { open } = await useListeningRest(t, service)
  const token = await service.createToken(service.organization.id, { scopes: ['contracts:read'] })
  assert.equal((await open(path, token)).status, 403)
  assert.equal((await open(path, 'nobody')).status, 401)
  assert.equal((await open('/events?start=never')).status, 400)
  assert.equal((await open(path, undefined, { 'last-event-id': 'made-up' })).status, 400)
  const { status, headers } = await open(`/webhooks/${service.organization.id}/deliveries`)
  assert.deepEqual([status, headers.get('content-type')], [404, 'application/problem+json; charset=utf-8'])
})

test('a credential has ten streams, the eleventh is refused, and one that ends makes room', async (t) => {
  const { open } = await useListeningRest(t, service)
  const streams = await Promise.all(Array.from({ length: 10 }, () => open(path)))
  assert.deepEqual(new Set(streams.map(({ status }) => status)), new Set([200]))
  const refused = await open(path)
  assert.equal(refused.status, 429)
  assert.match(String(refused.headers.get('retry-after')), /^\d+$/)
  const other = await service.createToken(service.organization.id)
  assert.equal((await open(path, other)).status, 200)
  streams[0]?.close()
  let again = await open(path)
  // The server learns of the end when it next hears from the socket.
  while (again.status === 429) again = await open(path)
  assert.equal(again.status, 200)
})

test('an organization with many credentials takes 50 streams, and leaves the others to others', () => {
  const of = (organization_id: string, credential: number) => ({
    organization_id,
    credential_id: `${organization_id}-${credential}`,
  })
  const open: ReturnType<typeof of>[] = []
  for (let count = 0; count < 50; count += 1) {
    const one = of('attacker', count % 5)
    refuseBeyondLimits(open, one)
    open.push(one)
  }
  assert.throws(() => refuseBeyondLimits(open, of('attacker', 6)), /An organization has at most 50 streams open/)
  refuseBeyondLimits(open, of('other', 1))
})

test('streams end when the server closes, and hold nothing up', async (t) => {
  const { app, open } = await useListeningRest(t, service)
  const stream = await open(path)
  const closed = app.close()
  assert.deepEqual(await stream.rest(), [])
  // The client keeps its connection for a next request, which only the listener of the service knows to end.
  app.server.closeAllConnections()
  await closed
})

test('another organization hears nothing of it', async (t) => {
  const { open } = await useListeningRest(t, service)
  const other = await service.createOrganization()
  const stream = await open(path, other.token)
  await cause(service.organization.token)
  const own = await cause(other.token)
  const [event] = await stream.take(1)
  assert.equal(event?.data.data.resource[0].credential_id, own)
})

test('operations that cannot be followed answer JSON whatever Accept says', async (t) => {
  const { origin } = await useListeningRest(t, service)
  const stream = await openEventStream(`${origin}/organizations`, service.organization.token)
  assert.equal(stream.headers.get('content-type'), 'application/json; charset=utf-8')
  await stream.rest()
})
