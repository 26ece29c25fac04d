import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Sql, sql } from '#db/database.ts'
import { newToken } from '#identity/token-format.ts'
import { isWaitingForLock } from '#test/lock-wait.ts'
import { connect, type Overrides, obtainCode, postForm, redeem, register, signIn } from '#test/oauth.ts'
import { startTestService, type TestService } from '#test/service.ts'

const rest = { resource: 'https://stint.test/rest/v2' }

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

interface Managed {
  client_id: string
  client_secret: string
}

/** A client that the organization makes for one of its own programs. */
async function manage(overrides: Record<string, unknown> = {}, token = service.organization.token): Promise<Managed> {
  const { status, body } = await service.call('POST', '/oauth-clients', {
    token,
    body: {
      name: 'Nightly import',
      grant_types: ['client_credentials'],
      token_endpoint_auth_method: 'client_secret_basic',
      scopes: ['contracts:read', 'scim:write'],
      sensitive_data: ['compensation'],
      resources: ['rest', 'mcp'],
      ...overrides,
    },
  })
  assert.equal(status, 201, JSON.stringify(body))
  return body
}

const basic = ({ client_id, client_secret }: Managed) => ({
  authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}`,
})
const request = (client: Managed, overrides: Overrides = {}) =>
  postForm(service, '/oauth/token', { grant_type: 'client_credentials', ...overrides }, basic(client))
const list = (token: string) => service.call('GET', '/contracts', { token })

test('a client acts for its organization, without refresh token, and its tokens end with it', async () => {
  const client = await manage()
  const { status, body } = await request(client)
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual(
    [Object.keys(body).sort(), body.expires_in, body.scope],
    [['access_token', 'expires_in', 'scope', 'token_type'], 3_600, 'contracts:read scim:write'],
  )
  assert.equal((await list(body.access_token)).status, 200)
  const caller = await service.authenticate(`Bearer ${body.access_token}`, null)
  assert.deepEqual(
    [caller.kind, caller.user_id, caller.role, caller.actor.name, [...caller.sensitive_data]],
    ['oauth', undefined, undefined, 'Nightly import', ['compensation']],
  )
  assert.equal((await service.call('DELETE', `/oauth-clients/${client.client_id}`)).status, 204)
  assert.equal((await list(body.access_token)).status, 401)
  assert.equal((await request(client)).body.error, 'invalid_client')
})

test('a client has one standing grant per resource, also of ten requests at once', async () => {
  const client = await manage()
  const answers = await Promise.all(Array.from({ length: 10 }, () => request(client)))
  assert.ok(answers.every(({ status }) => status === 200))
  assert.equal((await request(client, { resource: 'https://stint.test/mcp' })).status, 200)
  const { body } = await service.call('GET', '/oauth-grants?limit=100')
  const own = body.data.filter(({ client_id }: { client_id: string }) => client_id === client.client_id)
  assert.deepEqual(own.map(({ resource }: { resource: string }) => resource).sort(), ['mcp', 'rest'])
})

test('making and changing a standing grant each leave an audit line; a token under it leaves none', async () => {
  const client = await manage()
  const { client_id } = client
  const patch = (body: object) => service.call('PATCH', `/oauth-clients/${client_id}`, { body })
  for (let times = 0; times < 2; times += 1) assert.equal((await request(client)).status, 200)
  assert.equal((await patch({ scopes: ['contracts:write', 'scim:write'] })).status, 200)
  for (let times = 0; times < 2; times += 1) assert.equal((await request(client)).status, 200)
  await patch({ name: 'Hourly import', sensitive_data: ['compensation', 'home_address'] })
  assert.equal((await request(client)).status, 200)
  const lines = await service.database.database.transaction({ role: 'owner' }, (tx) =>
    tx.rows<{ action: string; by: string; changed_fields: string[]; is_traced: boolean }>(sql`
      select a.action, a.actor ->> 'name' as by, a.changed_fields,
             a.request_id is not null and a.address is not null and a.actor ->> 'id' = g.id::text as is_traced
      from audit_entries a join oauth_grants g on g.organization_id = a.organization_id and g.id::text = a.subject_id::text
      where g.client_id = ${client_id} and g.revoked_at is null order by a.id`),
  )
  assert.deepEqual(
    lines.map((line) => [line.action, line.by, line.changed_fields, line.is_traced]),
    [
      ['oauth_grants.create', 'Nightly import', ['scopes', 'sensitive_data'], true],
      ['oauth_grants.update', 'Nightly import', ['scopes'], true],
      ['oauth_grants.update', 'Hourly import', ['client_name', 'sensitive_data'], true],
    ],
  )
})

const narrowed: [what: string, overrides: Overrides, expected: string][] = [
  ['fewer scopes', { scope: 'contracts:read' }, 'contracts:read'],
  ['reading of what it may write', { scope: 'scim:read' }, 'scim:read'],
  ['more scopes', { scope: 'contracts:read people:read' }, 'invalid_scope'],
  ['writing of what it may read', { scope: 'contracts:write' }, 'invalid_scope'],
  ['an unknown scope', { scope: 'nonsense' }, 'invalid_scope'],
  ['an unknown resource', { resource: 'https://evil.example' }, 'invalid_target'],
  ['another grant type', { grant_type: 'authorization_code' }, 'invalid_request'],
]
for (const [what, overrides, expected] of narrowed) {
  test(`a client that asks for ${what} is answered ${expected}`, async () => {
    const { body } = await request(await manage(), overrides)
    assert.equal(body.scope ?? body.error, expected)
  })
}

test('a resource that is not the client’s is refused, and without one its first is taken', async () => {
  const client = await manage({ resources: ['rest'] })
  assert.equal((await request(client, { resource: 'https://stint.test/mcp' })).body.error, 'invalid_target')
  assert.equal((await list((await request(client)).body.access_token)).status, 200)
})

test('a client that is narrowed or ended while it asks gets what is left', async () => {
  const [narrowed, ended] = [await manage(), await manage()]
  const meanwhile: [client: Managed, change: Sql, expected: string][] = [
    [
      narrowed,
      sql`update oauth_clients set scopes = '{contracts:read}' where client_id = ${narrowed.client_id}`,
      'contracts:read',
    ],
    [
      ended,
      sql`update oauth_clients set expires_at = app_now() where client_id = ${ended.client_id}`,
      'invalid_client',
    ],
  ]
  const { id: organization_id } = service.organization
  for (const [client, change, expected] of meanwhile) {
    let asked: ReturnType<typeof request> | undefined
    await service.database.database.transaction({ role: 'app', organization_id }, async (tx) => {
      await tx.run(change)
      asked = request(client)
      await isWaitingForLock(service)
    })
    const body = (await asked)?.body
    assert.equal(body.scope ?? body.error, expected)
  }
})

test('what a client creates ends with it, and what made the client ends the client', async () => {
  const maker = await service.createToken(service.organization.id, { scopes: ['tokens:write', 'contracts:read'] })
  const { credential_id } = await service.authenticate(`Bearer ${maker}`, null)
  const client = await manage({ scopes: ['tokens:write', 'contracts:read'], sensitive_data: [] }, maker)
  const { access_token } = (await request(client)).body
  const child = await service.call('POST', '/api-tokens', {
    token: access_token,
    body: { name: 'child', scopes: ['contracts:read'] },
  })
  assert.equal(child.status, 201, JSON.stringify(child.body))
  await service.takeEvents()
  assert.equal((await service.call('DELETE', `/api-tokens/${credential_id}`)).status, 204)
  for (const token of [maker, access_token, child.body.token]) assert.equal((await list(token)).status, 401)
  assert.equal((await request(client)).body.error, 'invalid_client')
  assert.deepEqual((await service.takeEvents()).map(({ event_type }) => event_type).sort(), [
    'api-token.revoked',
    'api-token.revoked',
    'oauth-grant.revoked',
  ])
})

test('client credentials are not open to clients that registered themselves', async () => {
  const { client_id, client_secret = '' } = await register(service, {
    token_endpoint_auth_method: 'client_secret_basic',
  })
  const { status, body } = await request({ client_id, client_secret })
  assert.deepEqual([status, body.error], [400, 'unauthorized_client'])
})

test('a client without the code flow gets no authorization', async () => {
  const { client_id } = await manage()
  const { statusCode } = await service.app.inject({ url: `/oauth/authorize?client_id=${client_id}&redirect_uri=x` })
  assert.equal(statusCode, 400)
})

const introspect = (token: string, headers: Record<string, string>, form: Overrides = {}) =>
  postForm(service, '/oauth/introspect', { token, token_type_hint: 'refresh_token', ...form }, headers)

test('introspection tells a confidential client what an access token is good for', async () => {
  const client = await manage()
  const user = await signIn(service)
  const { client_id, access_token, refresh_token } = await connect(service, user, rest)
  const now_s = Math.floor(service.clock.now() / 1_000)
  const { status, body, headers } = await introspect(access_token, basic(client))
  assert.equal(status, 200)
  assert.equal(headers['cache-control'], 'no-store')
  assert.deepEqual(body, {
    active: true,
    scope: 'contracts:read',
    client_id,
    token_type: 'Bearer',
    sub: user.user_id,
    aud: 'https://stint.test/rest/v2',
    iss: 'https://stint.test',
    exp: now_s + 3_600,
    iat: now_s,
  })
  const inactive = [refresh_token, newToken('oauth', false), service.organization.token, 'nonsense']
  for (const token of inactive) assert.deepEqual((await introspect(token, basic(client))).body, { active: false })
  await service.clock.advance(3_600_000)
  assert.deepEqual((await introspect(access_token, basic(client))).body, { active: false })
})

test('introspection tells a client nothing of tokens that are neither its own nor of its organization', async () => {
  const stranger = await service.createOrganization()
  const user = await signIn(service)
  const confidential = () => register(service, { token_endpoint_auth_method: 'client_secret_post' }) as Promise<Managed>
  const { access_token } = await connect(service, user, rest)
  const own = await confidential()
  const issued = await redeem(service, await obtainCode(service, own.client_id, user, rest), {
    client_secret: own.client_secret,
  })
  const clients: [whose: string, asked: Promise<{ status: number; body: { active: boolean } }>, active: boolean][] = [
    ['a program of the organization', introspect(access_token, basic(await manage())), true],
    ['a program of another organization', introspect(access_token, basic(await manage({}, stranger.token))), false],
    ['a client that registered itself', introspect(access_token, {}, { ...(await confidential()) }), false],
    ['the client it was issued to', introspect(issued.body.access_token, {}, { ...own }), true],
  ]
  for (const [whose, asked, active] of clients) {
    const { status, body } = await asked
    assert.equal(status, 200, whose)
    if (active) assert.equal(body.active, true, whose)
    else assert.deepEqual(body, { active: false }, whose)
  }
})

test('introspect.closed: no client, a public client and a wrong secret are refused', async () => {
  const { client_id, access_token } = await connect(service, await signIn(service), rest)
  const client = await manage()
  const sent: [headers: Record<string, string>, form: Overrides][] = [
    [{}, {}],
    [{}, { client_id }],
    [basic({ ...client, client_secret: newToken('client_secret', false) }), {}],
    [{ authorization: `Bearer ${access_token}` }, {}],
  ]
  for (const [headers, form] of sent) {
    const { status, body, headers: answered } = await introspect(access_token, headers, form)
    assert.deepEqual([status, body.error], [401, 'invalid_client'])
    assert.match(String(answered['www-authenticate']), /^Basic realm="stint"/)
    assert.equal(answered['access-control-allow-origin'], undefined)
  }
})
