import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from '#db/database.ts'
import { type Connection, connect, type Overrides, refresh, register, signIn } from '#test/oauth.ts'
import { startTestService, type TestService } from '#test/service.ts'
import { verifies } from '#test/verifies.ts'

const rest = { resource: 'https://stint.test/rest/v2' }
const wide = { ...rest, scope: 'contracts:write people:read' }
const day_ms = 86_400_000

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const connected = async (overrides: Overrides = rest) => connect(service, await signIn(service), overrides)
const works = async (token: string) => (await service.call('GET', '/contracts', { token })).status === 200
const exchange = ({ client_id, refresh_token }: Connection, overrides: Overrides = {}) =>
  refresh(service, client_id, refresh_token, overrides)

const invalid_grant = {
  error: 'invalid_grant',
  error_description: 'refresh_token: is not valid, has expired or was used already',
}

test('an exchange gives a new pair, ends the old refresh token, and lets issued access tokens have their hour', async () => {
  const first = await connected()
  const { status, body, headers } = await exchange(first)
  assert.equal(status, 200)
  assert.equal(headers['cache-control'], 'no-store')
  const old = [first.access_token, first.refresh_token]
  const tokens = new Set([...old, body.access_token, body.refresh_token].filter((token) => typeof token === 'string'))
  verifies('3.2.new-tokens').equal(tokens.size, 4)
  assert.deepEqual([body.token_type, body.expires_in, body.scope], ['Bearer', 3_600, 'contracts:read'])
  assert.ok((await works(first.access_token)) && (await works(body.access_token)))
  verifies('3.2.refresh', '2.5.single-use', '8.single-use').deepEqual((await exchange(first)).body, invalid_grant)
  verifies('5.2.refresh').equal((await exchange({ ...first, ...body })).status, 200)
  await service.clock.advance(3_600_000)
  assert.ok(!(await works(body.access_token)))
})

test('refresh.window: within 10 seconds a second presentation is refused and the family lives', async () => {
  const first = await connected()
  const next = (await exchange(first)).body
  await service.clock.advance(10_000)
  assert.deepEqual((await exchange(first)).body, invalid_grant)
  assert.ok(await works(next.access_token))
  assert.equal((await exchange({ ...first, ...next })).status, 200)
})

test('refresh.reuse: later it ends the family, once, with an audit line and an event', async () => {
  const first = await connected()
  const next = (await exchange(first)).body
  await service.clock.advance(10_001)
  await service.takeEvents()
  assert.deepEqual((await exchange(first)).body, invalid_grant)
  assert.deepEqual((await exchange(first)).body, invalid_grant)
  for (const token of [first.access_token, next.access_token]) assert.ok(!(await works(token)))
  assert.deepEqual((await exchange({ ...first, ...next })).body, invalid_grant)
  assert.deepEqual(
    (await service.takeEvents()).map(({ event_type }) => event_type),
    ['oauth-grant.revoked'],
  )
  const grants = (await service.call('GET', '/oauth-grants?limit=100')).body.data
  const ended = grants.find(({ client_id }: { client_id: string }) => client_id === first.client_id)
  assert.equal(ended.revoked_reason, 'refresh_reuse')
  const lines = await service.database.database.transaction({ role: 'owner' }, (tx) =>
    tx.rows(sql`select action from audit_entries where subject_id = ${ended.id} order by occurred_at, action`),
  )
  assert.deepEqual(lines, [{ action: 'oauth_grants.create' }, { action: 'oauth_grants.refresh_reuse' }])
})

test('refresh.reuse: a token of three generations ago ends the family as well', async () => {
  const first = await connected()
  let last = first
  for (let generations = 0; generations < 3; generations += 1) {
    await service.clock.advance(60_000)
    last = { ...last, ...(await exchange(last)).body }
  }
  assert.deepEqual((await exchange(first)).body, invalid_grant)
  assert.ok(!(await works(last.access_token)))
})

test('refresh.parallel and claude-code.race: of ten at once one wins, and its tokens live on', async () => {
  const first = await connected()
  const answers = await Promise.all(Array.from({ length: 10 }, () => exchange(first)))
  const [winner, ...losers] = answers.toSorted((one, other) => one.status - other.status)
  assert.equal(winner?.status, 200)
  for (const { status, body } of losers) assert.deepEqual([status, body], [400, invalid_grant])
  assert.ok(await works(winner?.body.access_token))
  assert.equal((await exchange({ ...first, ...winner?.body })).status, 200)
})

test('refresh.expired: after 30 days, without harm to the family', async () => {
  const [early, late] = [await connected(), await connected()]
  await service.clock.advance(30 * day_ms - 1)
  const in_time = (await exchange(early)).status
  await service.clock.advance(1)
  const { status, body } = await exchange(late)
  verifies('2.5.refresh-token', '8.refresh-token').deepEqual([in_time, status, body], [200, 400, invalid_grant])
})

test('a grant ends 365 days after the consent, and cuts the last tokens short', async () => {
  const first = await connected()
  let last: Connection & { expires_in?: number } = first
  for (let days = 0; days < 364; days += 28) {
    last = { ...last, ...(await exchange(last)).body }
    await service.clock.advance(28 * day_ms)
  }
  await service.clock.advance(day_ms - 60_000)
  last = { ...last, ...(await exchange(last)).body }
  assert.equal(last.expires_in, 60)
  assert.ok(await works(last.access_token))
  await service.clock.advance(60_000)
  assert.ok(!(await works(last.access_token)))
  assert.deepEqual((await exchange(last)).body, invalid_grant)
})

test('STINT_GRANT_LIFETIME_DAYS says how long a permission lasts', async (t) => {
  const brief = await startTestService({ STINT_GRANT_LIFETIME_DAYS: '2' })
  t.after(() => brief.close())
  const { access_token } = await connect(brief, await signIn(brief), { resource: 'https://stint.test/rest/v2' })
  const { body } = await brief.call('GET', '/oauth-grants')
  assert.ok(access_token)
  assert.equal(body.data[0].ends_at, new Date(brief.clock.now() + 2 * day_ms).toISOString())
})

const harmless: [name: string, overrides: () => Promise<Overrides> | Overrides, error: string][] = [
  ['refresh.other-client', async () => ({ client_id: (await register(service)).client_id }), 'invalid_grant'],
  ['refresh.escalate', () => ({ scope: 'contracts:read webhooks:write' }), 'invalid_scope'],
  ['refresh.escalate: people:write of people:read', () => ({ scope: 'people:write' }), 'invalid_scope'],
  ['refresh.escalate: unknown', () => ({ scope: 'nonsense' }), 'invalid_scope'],
  ['resource.other', () => ({ resource: 'https://stint.test/mcp' }), 'invalid_target'],
  ['resource.unknown', () => ({ resource: 'https://evil.example/mcp' }), 'invalid_target'],
  ['refresh.absent', () => ({ refresh_token: null }), 'invalid_request'],
]
for (const [name, overridesOf, error] of harmless) {
  test(`${name} is refused with ${error}, and the token stays good`, async () => {
    const first = await connected(wide)
    const { status, body } = await exchange(first, await overridesOf())
    assert.deepEqual([status, body.error], [400, error])
    assert.equal((await exchange(first)).status, 200)
  })
}

test('refresh.narrow: fewer scopes hold for one access token; the next has all again', async () => {
  const first = await connected(wide)
  const narrow = (await exchange(first, { scope: 'contracts:read' })).body
  assert.equal(narrow.scope, 'contracts:read')
  assert.equal((await service.call('GET', '/people', { token: narrow.access_token })).status, 403)
  const all = (await exchange({ ...first, ...narrow })).body
  assert.equal(all.scope, 'contracts:write people:read')
  assert.equal((await service.call('GET', '/people', { token: all.access_token })).status, 200)
})

test('codex.refresh: without a resource that of the grant is inherited; with it nothing changes', async () => {
  const first = await connected()
  const next = (await exchange(first)).body
  assert.ok(await works(next.access_token))
  assert.equal((await exchange({ ...first, ...next }, rest)).status, 200)
})

test('a database clock that was set back ends no family', async () => {
  const first = await connected()
  const next = (await exchange(first)).body
  await service.clock.advance(-60_000)
  assert.deepEqual((await exchange(first)).body, invalid_grant)
  assert.equal((await exchange({ ...first, ...next })).status, 200)
  await service.clock.advance(60_000)
})

test('refresh tokens and codes rest as digests', async () => {
  const { refresh_token } = await connected()
  const rows = await service.database.database.transaction({ role: 'owner' }, (tx) =>
    tx.rows(sql`
      select r::text as row from oauth_refresh_tokens r union all select c::text from oauth_codes c
      union all select g::text from oauth_grants g union all select t::text from access_tokens t
      union all select e::text from events e union all select a::text from audit_entries a`),
  )
  assert.ok(rows.length > 0)
  assert.ok(!JSON.stringify(rows).includes(refresh_token.slice(10, -4)))
  assert.doesNotMatch(JSON.stringify(rows), /stint_(?:test_)?o[a-z]{2}_[0-9A-Za-z]{49}/)
})

test('tokens of a sandbox organization say so, through every generation', async () => {
  const { id } = await service.createOrganization({ name: 'Sandbox', is_sandbox: true })
  const first = await connect(service, await signIn(service, { organization_id: id }), rest)
  const next = (await exchange(first)).body
  for (const token of [first.access_token, first.refresh_token, next.access_token, next.refresh_token]) {
    assert.match(token, /^stint_test_o[ar]t_/)
  }
})
