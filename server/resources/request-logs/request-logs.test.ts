import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#db/database.ts'
import { cases, serviceOfCases } from '#test/cases.ts'
import { useListeningRest } from '#test/event-stream.ts'
import { type Body, createPerson, memberToken } from '#test/factories.ts'
import { inOrganization, type TestService, useTestService } from '#test/service.ts'
import { callTool, createMember } from '#test/tool-client.ts'
import { shownFilter } from './redact.ts'

/** A token that may read people only, and its call of the contracts, which is refused. */
const refusedCall = async (t: TestService) => {
  const narrow = await t.createToken(t.organization.id, { scopes: ['people:read'] })
  await t.call('GET', '/contracts', { token: narrow, query: { search: 'Weber', statuses: 'active', made_up: 'x' } })
  return newest(t, { narrow })
}

/** The newest request of the organization, under the name that fills the path. */
const newest = async (t: TestService, more: Body = {}): Promise<Body> => {
  await t.requests.flush()
  const { status, body } = await t.call('GET', '/request-logs')
  assert.equal(status, 200, JSON.stringify(body))
  return { ...more, request_log_id: body.data[0].id }
}

const refusal = {
  ...{ surface: 'rest', operation: 'contracts.list', method: 'GET', path: '/rest/v2/contracts', status: 403 },
  ...{ error_code: 'insufficient_scope', missing_scopes: ['contracts:read'], client_id: null },
  actor: { kind: 'token', name: 'test' },
}

cases(
  'request_logs.list',
  {
    'a refusal for want of a scope names the scope': { as: 'developer', body: { data: [refusal], total_count: 1 } },
    'finance does not read it': { as: 'finance', answers: '403 insufficient_scope' },
    'a viewer does not either': { as: 'viewer', answers: '403 insufficient_scope' },
    'refusals are told from what succeeded': { input: { outcomes: ['succeeded'] }, body: { total_count: 0 } },
    'found by its code': { input: { error_code: 'insufficient_scope' }, body: { total_count: 1 } },
  },
  { given: refusedCall },
)

/** A request of an identity provider, noted under its own operation. */
const provisioned = async (t: TestService, path: string, body?: object) => {
  const token = await t.createToken(t.organization.id, { scopes: ['scim:write'] })
  const answer = await t.app.inject({
    ...{ method: body ? 'POST' : 'GET', url: `/scim/v2${path}` },
    headers: {
      authorization: `Bearer ${token}`,
      'user-agent': 'Okta SCIM Client',
      'content-type': 'application/scim+json',
    },
    ...(body && { payload: JSON.stringify(body) }),
  })
  return newest(t, { told: answer.body, token })
}

test('a malformed filter of provisioning is told with its scimType and what to do, and found by its way in', async () => {
  const service = await serviceOfCases()
  const t = inOrganization(service, await service.createOrganization())
  await provisioned(t, `/Users?filter=${encodeURIComponent('userName eq "ana@harbour.example" or')}`)
  const found = async (surfaces: string) => (await t.call('GET', '/request-logs', { query: { surfaces } })).body
  const { data, total_count } = await found('scim')
  assert.partialDeepStrictEqual(data, [
    { surface: 'scim', operation: 'scim.users.list', status: 400, error_code: 'invalidFilter' },
  ])
  assert.match(data[0].hint, /GET \/Schemas/)
  assert.deepEqual([total_count, (await found('rest')).total_count], [1, 0])
})

test('a filter is shown by its form', () => {
  const shown = [
    ['userName eq "ana@x.example"', 'userName eq "[redacted]"'],
    [
      'emails[type eq "work" and value co "@x"].value pr',
      'emails[type eq "[redacted]" and value co "[redacted]"].value pr',
    ],
    ['shoeSize gt 44 or not (active eq True)', 'shoeSize gt [redacted] or not (active eq True)'],
    ['meta.lastModified ge 2026-11-01T00:00:00Z', 'meta.lastModified ge 2026-11-01T00:00:00Z'],
    ['userName eq "ana', 'userName eq "[redacted]"'],
    ['Ana Alder', '[redacted] [redacted]'],
    ['userName is ana', 'userName [redacted] [redacted]'],
  ]
  for (const [given, wanted] of shown) assert.equal(shownFilter(given ?? ''), wanted)
})

cases('request_logs.get', {
  'of a request of provisioning stay names and operators; no value, no body and no word that repeats one': {
    as: 'owner',
    given: (t) =>
      provisioned(t, '/Users/.search?startIndex=2&made=ana', { filter: 'userName eq "ana@harbour.example"' }),
    body: { query: 'startIndex=2&[redacted]', request_body: null, request_body_state: 'not_kept', response_body: null },
    afterwards: async (_, { body, given }) => {
      assert.deepEqual(
        [body.request_headers['user-agent'], body.required_scopes, body.hint],
        ['Okta SCIM Client', ['scim:read'], null],
      )
      assert.ok(!JSON.stringify(body).includes(given.token))
    },
  },
  'nor the name that stands in place of an id': {
    as: 'owner',
    given: (t) => provisioned(t, '/Users/ana@harbour.example'),
    body: { path: '/scim/v2/Users/[redacted]', status: 404 },
    afterwards: async (_, { body }) => assert.ok(!JSON.stringify(body).includes('ana@')),
  },
  'it tells the scopes that the credential had and those it needed, and shows no credential': {
    as: 'owner',
    given: refusedCall,
    body: {
      ...refusal,
      ...{ scopes: ['people:read'], required_scopes: ['contracts:read', 'contracts:write'].slice(0, 1) },
      query: 'search=[redacted]&statuses=active&made_up=[redacted]',
      ...{ request_body: null, request_body_state: 'none' },
    },
    afterwards: async (_, { body, given }) => {
      assert.equal(body.request_headers.authorization, '[redacted]')
      assert.equal(JSON.parse(body.response_body).code, 'insufficient_scope')
      assert.equal(JSON.stringify(body).includes(given.narrow), false)
    },
  },
  'query and body are shown to those only who may call the operation': {
    as: ({ reader }) => reader,
    given: async (t) => {
      await t.call('POST', '/teams', { body: { name: 'Platform' } })
      return newest(t, { reader: await t.createToken(t.organization.id, { scopes: ['tokens:read'] }) })
    },
    body: { operation: 'teams.create', status: 201, request_body: null, request_body_state: 'withheld' },
  },
  'of a body stay the names of all fields, and the values of those that are neither secret, sensitive nor unknown': {
    given: async (t) => {
      const body = {
        ...{ first_name: 'Jonas stint_org_0123456789', email: 'jonas@harbour.example', date_of_birth: '1990-01-01' },
        ...{ password: 'herons', home_address: { line_1: 'Kai 1', country: 'DE' }, custom_fields: { shirt: 'L' } },
      }
      await t.call('POST', '/people', { body })
      return newest(t)
    },
    body: { status: 400, request_body_state: 'kept' },
    afterwards: async (_, { body }) => {
      assert.deepEqual(JSON.parse(body.request_body), {
        ...{ first_name: 'Jonas [redacted]', email: 'jonas@harbour.example', date_of_birth: '[redacted]' },
        ...{ password: '[redacted]', home_address: '[redacted]', custom_fields: '[redacted]' },
      })
    },
  },
  'a bank account is not kept': {
    given: async (t) => {
      const { id } = await createPerson(t)
      const body = { holder_name: 'Jonas Weber', country: 'DE', currency: 'EUR', iban: 'DE02120300000000202051' }
      assert.equal((await t.call('PUT', `/people/${id}/bank-account`, { body })).status, 200)
      return newest(t)
    },
    afterwards: async (_, { body }) => {
      const hidden = { holder_name: '[redacted]', iban: '[redacted]' }
      assert.partialDeepStrictEqual(JSON.parse(body.request_body), hidden)
    },
  },
  'a body that cannot be read is not kept': {
    given: async (t) => {
      await t.call('POST', '/teams', { body: '{"name": "half' })
      return newest(t)
    },
    body: { error_code: 'malformed_json', request_body: null, request_body_state: 'not_kept' },
  },
  'a long body is not kept': {
    given: async (t) => {
      await t.call('POST', '/teams', { body: { name: 'x'.repeat(20_000) } })
      return newest(t)
    },
    body: { status: 400, request_body: null, request_body_state: 'too_large' },
  },
  'a tool call is kept under its operation, without its message': {
    given: async (t) => {
      const { token } = await createMember(t, { scopes: ['contracts:read'] })
      await callTool(t, token, 'get_contract', { contract_id: crypto.randomUUID() })
      return newest(t)
    },
    body: { surface: 'mcp', operation: 'contracts.get', status: 404, error_code: 'not_found', request_body: null },
  },
})

test('a request is there within a second, and neither reading the log nor the console is in it', async (t) => {
  const service = await useTestService(t)
  const { open } = await useListeningRest(t, service)
  await service.call('GET', '/teams')
  const stream = await open(`/request-logs?updated_after=${new Date(service.clock.now() - 1_000).toISOString()}`)
  assert.equal((await stream.take(1))[0]?.data.operation, 'teams.list')
  await service.call('GET', '/request-logs')
  await service.call('GET', '/departments')
  // Without a flush: the log writes by itself.
  const [told] = await stream.take(1)
  assert.deepEqual([told?.data.operation, told?.id], ['departments.list', told?.data.occurred_at])
  const { body } = await service.call('GET', '/request-logs')
  assert.deepEqual(told?.data, body.data[0])
  assert.deepEqual(
    body.data.map(({ operation }: Body) => operation),
    ['departments.list', 'teams.list'],
  )
})

test('a stream goes on from its last id, and refuses what is none', async (t) => {
  const service = await useTestService(t)
  const { open } = await useListeningRest(t, service)
  await service.call('GET', '/teams')
  await service.requests.flush()
  const at = new Date(service.clock.now()).toISOString()
  await service.clock.advance(30_000)
  await service.call('GET', '/departments')
  await service.requests.flush()
  const { token } = service.organization
  const stream = await open('/request-logs?operation=departments.list', token, { 'last-event-id': at })
  assert.equal((await stream.take(1))[0]?.data.operation, 'departments.list')
  assert.equal((await open('/request-logs', token, { 'last-event-id': 'yesterday' })).status, 400)
  assert.equal((await open('/request-logs?cursor=x')).status, 400)
})

test('of a flood some are kept, successes and refusals each, and all are counted', async (t) => {
  const service = await useTestService(t, { STINT_REQUEST_LOG_PER_MINUTE: '3' })
  for (let calls = 0; calls < 5; calls += 1) {
    await service.call('GET', '/teams')
    await service.call('GET', '/teams/none')
  }
  await service.requests.flush()
  const kept = async (outcomes: string) =>
    (await service.call('GET', '/request-logs', { query: { outcomes } })).body.total_count
  assert.deepEqual([await kept('succeeded'), await kept('refused')], [3, 3])
  await service.clock.advance(60_000)
  await service.call('GET', '/teams')
  await service.requests.flush()
  assert.equal(await kept('succeeded'), 4)
  const { requests } = (await service.call('GET', '/overview')).body
  // The look at the log itself is counted nowhere.
  assert.deepEqual([requests.succeeded, requests.refused, requests.errors[0].requests], [6, 5, 5])
})

test('a log that cannot be written delays and fails no request, and the next batch is written', async (t) => {
  const service = await useTestService(t)
  const alter = (how: 'revoke' | 'grant') =>
    service.database.database.transaction({ role: 'owner' }, (tx) =>
      tx.run(
        how === 'revoke'
          ? sql`revoke insert on request_logs from stint_engine`
          : sql`grant insert on request_logs to stint_engine`,
      ),
    )
  await alter('revoke')
  assert.equal((await service.call('GET', '/teams')).status, 200)
  await service.requests.flush()
  assert.ok(service.logged.some((line) => line.includes('request_log_lost')))
  await alter('grant')
  await service.call('GET', '/departments')
  await service.requests.flush()
  const { body } = await service.call('GET', '/request-logs')
  assert.deepEqual(
    body.data.map(({ operation }: Body) => operation),
    ['departments.list'],
  )
})

test('characters that no text can hold lose neither their own request nor those beside it', async (t) => {
  const service = await useTestService(t)
  const ask = (url: string) =>
    service.app.inject({ url: `/rest/v2${url}`, headers: { authorization: `Bearer ${service.organization.token}` } })
  await ask('/organizations')
  await ask('/contracts?a%00b=%00&search=%ED%A0%80')
  await ask('/contracts?statuses=%00')
  await service.requests.flush()
  const { body } = await service.call('GET', '/request-logs')
  assert.deepEqual(
    body.data.map(({ operation }: Body) => operation),
    ['contracts.list', 'contracts.list', 'organizations.list'],
  )
})

test('requests are shown for 30 days; the weeks of older ones are dropped, and counts with them', async (t) => {
  const service = await useTestService(t)
  const rows = async () => {
    const found = await service.database.database.transaction({ role: 'engine' }, (tx) =>
      tx.rows<{ place: string }>(sql`
        select tableoid::regclass::text as place from request_logs union all select 'counts' from request_counts`),
    )
    return found.map(({ place }) => place).sort()
  }
  // A Wednesday, in a week that has no partition yet.
  await service.clock.set('2031-01-08T12:00:00Z')
  const { token } = await createMember(service)
  await service.call('GET', '/teams', { token })
  await service.requests.flush()
  assert.equal(await service.requestWeeks.run(), true)
  await service.clock.set('2031-01-14T12:00:00Z')
  await service.call('GET', '/teams', { token })
  await service.requests.flush()
  const week = 'request_logs_20310113'
  assert.deepEqual(await rows(), ['counts', 'counts', week, 'request_logs_default'])

  await service.clock.set('2031-02-13T12:00:01Z')
  const { body } = await service.call('GET', '/request-logs', { token: await memberToken(service, 'owner') })
  assert.equal(body.total_count, 0)
  await service.cleanUp.run()
  await service.requestWeeks.run()
  assert.deepEqual(await rows(), [week], 'its week ended less than 30 days ago')
  await service.clock.set('2031-02-20T00:00:00Z')
  await service.requestWeeks.run()
  assert.deepEqual(await rows(), [])
})

test('one organization sees nothing of another one', async () => {
  const service = await serviceOfCases()
  const [one, other] = [await service.createOrganization(), await service.createOrganization()]
  await service.call('GET', '/teams', { token: one.token })
  const own = inOrganization(service, other)
  await service.requests.flush()
  assert.equal((await own.call('GET', '/request-logs')).body.total_count, 0)
})
