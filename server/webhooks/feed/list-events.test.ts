import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from '#db/database.ts'
import { cases } from '#test/cases.ts'
import { startTestService, type TestOrganization, type TestService } from '#test/service.ts'
import { dropWeeks, makePartitions } from '../retention/partitions.ts'
import { createSequencer } from './sequencer.ts'

let service: TestService
let sequencer: ReturnType<typeof createSequencer>
before(async () => {
  service = await startTestService({ WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' })
  sequencer = createSequencer(service.database.database, service.runtime.log)
})
after(() => service.close())

const read = (token: string, query: Record<string, unknown> = {}) => service.call('GET', '/events', { token, query })

const post = async (token: string, path: string, body: unknown) => {
  const answer = await service.call('POST', path, { token, body })
  assert.ok(answer.status < 300, JSON.stringify(answer.body))
  return answer.body
}

/** Causes `api-token.created` events and numbers them; answers the ids of the tokens. */
async function cause({ token }: TestOrganization, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let made = 0; made < count; made += 1)
    ids.push((await post(token, '/api-tokens', { name: `Export ${made}`, scopes: ['contracts:read'] })).id)
  await sequencer.runDue()
  return ids
}

// biome-ignore lint/suspicious/noExplicitAny: events of every type
const tokenIdsOf = (body: any): string[] => body.data.map(({ data }: any) => data.resource[0].credential_id)

test('events come oldest first as the objects that webhooks deliver, byte for byte the same JSON', async () => {
  const organization = await service.createOrganization()
  const { token } = organization
  const subscription = await post(token, '/webhooks', { url: 'https://127.0.0.1:9999/', events: ['api-token.created'] })
  const ids = await cause(organization, 3)
  const { status, body } = await read(token)
  assert.equal(status, 200)
  assert.deepEqual(tokenIdsOf(body), ids)
  const { body: deliveries } = await service.call('GET', `/webhooks/${subscription.id}/deliveries`, { token })
  const sent = await Promise.all(
    deliveries.data.map(async ({ id }: { id: string }) => {
      const answer = await service.call('GET', `/webhooks/${subscription.id}/deliveries/${id}`, { token })
      return answer.body.body.text
    }),
  )
  assert.deepEqual(new Set(body.data.map((event: unknown) => JSON.stringify(event))), new Set(sent))
})

test('the cursor leads through every event once and on from an empty page to what comes later', async () => {
  const organization = await service.createOrganization()
  const { token } = organization
  const empty = await read(token)
  assert.deepEqual({ ...empty.body, cursor: '' }, { data: [], cursor: '', has_more: false, total_count: 0 })
  const ids = await cause(organization, 5)
  const pages: string[][] = []
  let { cursor } = empty.body
  for (const left of [5, 3, 1, 0]) {
    const { body } = await read(token, { cursor, limit: 2 })
    assert.equal(body.total_count, left)
    assert.equal(body.has_more, left > 2)
    pages.push(tokenIdsOf(body))
    cursor = body.cursor
  }
  assert.deepEqual(pages, [ids.slice(0, 2), ids.slice(2, 4), ids.slice(4), []])
  const more = await cause(organization, 1)
  assert.deepEqual(tokenIdsOf((await read(token, { cursor })).body), more)
})

test('what is left is counted exactly when events are added between two pages', async () => {
  const organization = await service.createOrganization()
  await cause(organization, 4)
  const first = await read(organization.token, { limit: 1 })
  await cause(organization, 3)
  const second = await read(organization.token, { limit: 2, cursor: first.body.cursor })
  const third = await read(organization.token, { limit: 2, cursor: second.body.cursor })
  assert.deepEqual(
    [first, second, third].map(({ body }) => body.total_count),
    [4, 6, 4],
  )
})

test('start latest begins after everything that is there', async () => {
  const organization = await service.createOrganization()
  await cause(organization, 2)
  const { body } = await read(organization.token, { start: 'latest' })
  assert.deepEqual([body.data, body.total_count, body.has_more], [[], 0, false])
  const later = await cause(organization, 2)
  assert.deepEqual(tokenIdsOf((await read(organization.token, { cursor: body.cursor })).body), later)
})

test('event_types leave the others out, and a cursor leads on from the same place under other types', async () => {
  const organization = await service.createOrganization()
  const { token } = organization
  const [first = '', second = ''] = await cause(organization, 2)
  await service.call('DELETE', `/api-tokens/${first}`, { token })
  await service.call('DELETE', `/api-tokens/${second}`, { token })
  await sequencer.runDue()
  const typesOf = async (query: Record<string, unknown>) => {
    const { body } = await read(token, query)
    // biome-ignore lint/suspicious/noExplicitAny: events of every type
    return { types: body.data.map(({ data }: any) => data.meta.event_type), left: body.total_count, ...body }
  }
  const created = await typesOf({ event_types: 'api-token.created', limit: 1 })
  assert.deepEqual([created.types, created.left], [['api-token.created'], 2])
  const both = await typesOf({ event_types: 'api-token.revoked,api-token.created', cursor: created.cursor })
  assert.deepEqual([both.types, both.left], [['api-token.created', 'api-token.revoked', 'api-token.revoked'], 3])
  const all = await typesOf({ cursor: created.cursor, limit: 2 })
  assert.deepEqual([all.types, all.left], [['api-token.created', 'api-token.revoked'], 3])
})

test('what others do shows in no cursor, page or id of the feed: neither as a number nor by its length', async () => {
  const [quiet, busy] = [await service.createOrganization(), await service.createOrganization()]
  await cause(quiet, 1)
  const before = (await read(quiet.token)).body
  await cause(busy, 30)
  const after = (await read(quiet.token)).body
  // A later place in the sequence of all events, and an empty page that moves on to it.
  const moved = (await read(quiet.token, { cursor: before.cursor })).body
  for (const { cursor } of [before, after, moved]) {
    assert.equal(cursor.length, before.cursor.length)
    // A place has 19 digits; sealed bytes have three in a row now and then.
    assert.doesNotMatch(Buffer.from(cursor, 'base64url').toString('latin1'), /\d{8}/)
  }
  assert.deepEqual([after.data, after.total_count], [before.data, before.total_count])
  assert.deepEqual([moved.data, moved.total_count, moved.has_more], [[], 0, false])
})

test('refusals name what is wrong', async () => {
  const organization = await service.createOrganization()
  const { cursor } = (await read(organization.token)).body
  const cases: [name: string, query: Record<string, unknown>, expected: string][] = [
    ['unknown type', { event_types: 'contract.created,no.such' }, '422 unknown_event_type'],
    ['wildcard', { event_types: '*' }, '422 unknown_event_type'],
    ['cursor of another organization', { cursor }, '400 invalid_cursor'],
    ['no cursor', { cursor: 'x' }, '400 invalid_cursor'],
    ['start', { start: 'now' }, '400 validation_failed'],
    ['limit', { limit: 101 }, '400 validation_failed'],
    ['updated_after', { updated_after: '2020-01-01T00:00:00Z' }, '400 validation_failed'],
  ]
  for (const [name, query, expected] of cases) {
    const { status, body } = await read(service.organization.token, query)
    assert.equal(`${status} ${body.code}`, expected, name)
  }
  const without = await service.createToken(organization.id, { scopes: ['contracts:read'] })
  assert.equal((await read(without)).status, 403)
})

test('an organization reads its own events only', async () => {
  const [ours, theirs] = [await service.createOrganization(), await service.createOrganization()]
  const ids = await cause(theirs, 2)
  assert.deepEqual((await read(ours.token)).body.data, [])
  assert.deepEqual(tokenIdsOf((await read(theirs.token)).body), ids)
})

test('fields of a category that the credential was not granted are null', async () => {
  const organization = await service.createOrganization()
  const { catalogue } = service.runtime.rooms.webhooks
  const type = [...catalogue.values()].find(({ sensitive }) => sensitive.categories.length > 0)
  assert.ok(type)
  await service.database.database.transaction({ role: 'app', organization_id: organization.id }, (tx) =>
    tx.run(sql`
      insert into events (organization_id, event_id, event_type, occurred_at, recorded_at, is_simulation, resource)
      values (${organization.id}, ${crypto.randomUUID()}, ${type.type.type}, app_now(), app_now(), false,
        ${JSON.stringify([type.type.example])})`),
  )
  await sequencer.runDue()
  const ungranted = await service.createToken(organization.id, { sensitive_data: [] })
  const resourceOf = async (token: string) => (await read(token)).body.data[0].data.resource
  assert.deepEqual(await resourceOf(organization.token), [type.type.example])
  assert.deepEqual(await resourceOf(ungranted), [type.sensitive.withhold(type.type.example, new Set())])
  assert.notDeepEqual(await resourceOf(ungranted), await resourceOf(organization.token))
})

test('a cursor older than what is kept is refused and never skips silently; one at the edge leads on', async () => {
  const organization = await service.createOrganization()
  const { token } = organization
  const before_all = (await read(token, { start: 'latest' })).body.cursor
  const ids = await cause(organization, 3)
  const after_first = (await read(token, { cursor: before_all, limit: 1 })).body.cursor
  await service.database.database.transaction({ role: 'owner' }, async (tx) => {
    const removed = sql`(select min(feed_seq) from events where organization_id = ${organization.id})`
    await tx.run(sql`update event_feed_floor set feed_seq = ${removed}`)
    await tx.run(sql`delete from events where organization_id = ${organization.id} and feed_seq = ${removed}`)
  })
  const expired = await read(token, { cursor: before_all })
  assert.equal(`${expired.status} ${expired.body.code}`, '410 cursor_expired')
  assert.deepEqual(tokenIdsOf((await read(token, { cursor: after_first })).body), ids.slice(1))
  assert.deepEqual(tokenIdsOf((await read(token)).body), ids.slice(1))
})

test('dropping a week of events ends the cursors that stand before them, and no others', async () => {
  const { database } = service.database
  const owner = { role: 'owner' } as const
  const day_ms = 86_400_000
  await service.clock.set('2031-01-06T12:00:00Z')
  await makePartitions(database, service.runtime.log)
  const organization = await service.createOrganization()
  const { token } = organization
  const before_all = (await read(token, { start: 'latest' })).body.cursor
  await cause(organization, 3)
  const in_between = (await read(token, { cursor: before_all, limit: 2 })).body.cursor
  const after_all = (await read(token, { cursor: in_between })).body.cursor
  await service.clock.advance(14 * day_ms)
  const later = await cause({ ...organization, token: await service.createToken(organization.id) }, 2)
  await service.clock.advance(31 * day_ms)
  await dropWeeks({ database, log: service.runtime.log, retention_days: 30 })
  const left = await database.transaction(owner, (tx) =>
    tx.row<{ is_dropped: boolean }>(sql`select to_regclass('events_20310106') is null as is_dropped`),
  )
  assert.deepEqual(left, { is_dropped: true })
  for (const cursor of [before_all, in_between]) {
    const { status, body } = await read(token, { cursor })
    assert.equal(`${status} ${body.code}`, '410 cursor_expired')
  }
  for (const query of [{ cursor: after_all }, {}]) assert.deepEqual(tokenIdsOf((await read(token, query)).body), later)
})

test('a cursor of a state that a restore undid is refused, since numbers above the head are given anew', async () => {
  const organization = await service.createOrganization()
  await cause(organization, 2)
  const { cursor } = (await read(organization.token)).body
  await service.database.database.transaction({ role: 'owner' }, (tx) =>
    tx.run(sql`update event_feed_head set feed_seq = feed_seq - 1`),
  )
  const { status, body } = await read(organization.token, { cursor })
  assert.equal(`${status} ${body.code}`, '410 cursor_expired')
})

test('the workers of a process number what is committed', async () => {
  const organization = await service.createOrganization()
  const { token } = organization
  await service.startWorkers()
  const { id } = await post(token, '/api-tokens', { name: 'Numbered', scopes: ['contracts:read'] })
  const until_ms = performance.now() + 60_000
  let seen: string[] = []
  while (seen.length === 0 && performance.now() < until_ms) seen = tokenIdsOf((await read(token)).body)
  assert.deepEqual(seen, [id])
})

const other_id = '019b8d2b-8c00-7a10-8c02-61f0d4b7a9e3'

const numbered = async (t: TestService) => {
  const { body } = await t.call('POST', '/api-tokens', { body: { name: 'Export', scopes: ['contracts:read'] } })
  await createSequencer(t.database.database, t.runtime.log).runDue()
  return { token_id: body.id }
}

cases(
  'events.list',
  {
    'an event is read as webhooks deliver it, with a cursor that leads on': {
      body: ({ token_id }) => ({
        data: [{ data: { meta: { event_type: 'api-token.created' }, resource: [{ credential_id: token_id }] } }],
        has_more: false,
        total_count: 1,
      }),
      async afterwards(_, { body }) {
        assert.equal(typeof body.cursor, 'string')
      },
    },
    'from the latest on there is nothing yet': { input: { start: 'latest' }, body: { data: [], total_count: 0 } },
    'types are asked for by name': { input: { event_types: ['contract.created'] }, body: { data: [], total_count: 0 } },
    'those about one resource': {
      input: ({ token_id }) => ({ resource_id: token_id }),
      body: ({ token_id }) => ({ data: [{ data: { resource: [{ credential_id: token_id }] } }], total_count: 1 }),
    },
    'those about another one': { input: { resource_id: other_id }, body: { data: [], total_count: 0 } },
    'an unknown type is answered with the known one that is nearest': {
      input: { event_types: ['contract.craeted'] },
      answers: '422 unknown_event_type',
      body: {
        errors: [
          {
            pointer: '/event_types',
            message: 'contract.craeted is not an event type; did you mean contract.created?',
          },
        ],
      },
    },
    'a viewer reads no events': { as: 'viewer', answers: '403 insufficient_scope' },
  },
  {
    given: numbered,
    unmet: { cursor_expired: 'retention has to drop a week first: see the tests of the floor above' },
  },
)
