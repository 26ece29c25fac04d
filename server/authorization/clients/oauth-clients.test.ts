import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { Scope } from '#core/caller.ts'
import { sql } from '#db/database.ts'
import { cases, serviceOfCases } from '#test/cases.ts'
import type { Body } from '#test/factories.ts'
import { connect, postForm, register, signIn } from '#test/oauth.ts'
import { assertNoSecretIn } from '#test/secrets.ts'
import type { TestService } from '#test/service.ts'

let service: TestService
before(async () => {
  service = await serviceOfCases()
})
after(() => assertNoSecretIn(service.logged))

const web = { name: 'Payroll bridge', redirect_uris: ['https://app.example/cb'], scopes: ['contracts:read'] }
const machine = { name: 'Nightly export', grant_types: ['client_credentials'], scopes: ['contracts:read', 'scim:read'] }

const create = (body: object, token?: string) =>
  service.call('POST', '/oauth-clients', { body, ...(token !== undefined && { token }) })
async function created(body: object, token?: string) {
  const answer = await create(body, token)
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body
}
const patch = (id: string, body: object, token?: string) =>
  service.call('PATCH', `/oauth-clients/${encodeURIComponent(id)}`, { body, ...(token !== undefined && { token }) })
const get = (id: string, token?: string) =>
  service.call('GET', `/oauth-clients/${encodeURIComponent(id)}`, { ...(token !== undefined && { token }) })
const rotate = (id: string, body: object = {}, token?: string) =>
  service.call('POST', `/oauth-clients/${id}/secret`, { body, ...(token !== undefined && { token }) })
const makerWith = (...scopes: Scope[]) => service.createToken(service.organization.id, { scopes, sensitive_data: [] })
const exchange = (client_id: string, client_secret: string) =>
  postForm(
    service,
    '/oauth/token',
    { grant_type: 'client_credentials' },
    { authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}` },
  )

const key = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const jwk = key.publicKey.export({ format: 'jwk' })
const signing = { ...web, token_endpoint_auth_method: 'private_key_jwt' }
const provisioning = { ...machine, scopes: ['scim:read'] }

/** A client of the organization, made through the API. */
const client =
  (body: object) =>
  async (t: TestService): Promise<Body> => {
    const { status, body: made } = await t.call('POST', '/oauth-clients', { body })
    assert.equal(status, 201, JSON.stringify(made))
    return made
  }
/** The same with a permission for itself. */
const permitted = (body: object) => async (t: TestService) => {
  const made = await client(body)(t)
  assert.equal((await exchange(made.client_id, made.client_secret)).status, 200)
  return made
}
/** A client that registered itself, with a verdict of the organization or with the permission of a user. */
const verified = async (t: TestService): Promise<Body> => {
  const { client_id } = await register(t)
  await t.call('PATCH', `/oauth-clients/${client_id}`, { body: { verdict: 'verified' } })
  return { client_id }
}
/** An app that made a token with the permission of a user: both end with the permission. */
const withToken = async (t: TestService): Promise<Body> => {
  const scopes = ['contracts:read', 'tokens:write']
  const rest = { resource: 'https://stint.test/rest/v2', scope: scopes.join(' ') }
  const { client_id, access_token } = await connect(t, await signIn(t), rest, { scopes })
  const body = { name: 'Export', scopes: ['contracts:read'], type: 'personal' }
  const { status, body: token } = await t.call('POST', '/api-tokens', { body, token: access_token })
  assert.equal(status, 201, JSON.stringify(token))
  const { data } = (await t.call('GET', '/oauth-grants')).body
  return { client_id, access_token, token, grant_id: data[0].id }
}
const both_ended = ({ grant_id, token }: Body) =>
  [
    ['api-token.revoked', { credential_id: token.id }],
    ['oauth-grant.revoked', { credential_id: grant_id, name: 'Desk Assistant' }],
  ] as const
const refused = (body: object, pointer: string) =>
  ({ input: { ...body }, answers: '400 validation_failed', errors: [pointer] }) as const

const asked_of_persons = {
  unmet: { reauthentication_required: 'only a session of the console gets old: console-rest.test.ts' },
}

cases(
  'oauth_clients.create',
  {
    'its record tells everything but the secret, which is shown this once': {
      input: { ...web, description: 'Moves pay slips.' },
      body: (_, { client_id, client_secret, created_by }) => ({
        id: client_id,
        kind: 'managed',
        name: 'Payroll bridge',
        description: 'Moves pay slips.',
        client_uri: null,
        logo_uri: null,
        application_type: 'web',
        grant_types: ['authorization_code', 'refresh_token'],
        redirect_uris: ['https://app.example/cb'],
        token_endpoint_auth_methods: ['client_secret_basic'],
        jwks: null,
        jwks_uri: null,
        scopes: ['contracts:read'],
        sensitive_data: [],
        resources: ['rest', 'mcp'],
        verdict: 'none',
        secrets: [{ prefix: 'stint_ocs', last4: client_secret.slice(-4), retires_at: null }],
        created_by: { kind: 'token' },
        created_with: created_by.id,
        expires_at: null,
        last_used_at: null,
      }),
      headers: (_, { id }) => ({ location: `https://stint.test/rest/v2/oauth-clients/${id}` }),
      audit: (_, { id }) => ({ subject_kind: 'oauth_clients', subject_id: id }),
      async afterwards(t, { body: { client_secret, ...record } }) {
        assert.match(client_secret, /^stint_ocs_[0-9A-Za-z]{49}$/)
        assert.match(record.client_id, /^cli_[0-9A-Za-z]{22}$/)
        assert.deepEqual((await t.call('GET', `/oauth-clients/${record.id}`)).body, record)
      },
    },
    'a client that signs has no secret': {
      input: { ...signing, jwks: { keys: [jwk] } },
      body: { client_secret: null, jwks: { keys: [jwk] } },
    },
    'a user needs a redirect URI': refused({ ...web, redirect_uris: [] }, '/redirect_uris'),
    'a redirect URI for nobody is refused': refused({ ...machine, redirect_uris: web.redirect_uris }, '/redirect_uris'),
    'a script as redirect URI is refused': refused(
      { ...web, redirect_uris: ['https://a.example', 'javascript:x'] },
      '/redirect_uris/1',
    ),
    'plain http is refused': refused({ ...web, redirect_uris: ['http://app.example/cb'] }, '/redirect_uris/0'),
    'acting for itself takes a proof': refused(
      { ...machine, token_endpoint_auth_method: 'none' },
      '/token_endpoint_auth_method',
    ),
    'signing takes keys': refused(signing, '/jwks'),
    'keys are of no use without signing': refused({ ...web, jwks: { keys: [jwk] } }, '/jwks'),
    'keys over http are refused': refused({ ...signing, jwks_uri: 'http://a.example' }, '/jwks_uri'),
    'a broken key is refused': refused({ ...signing, jwks: { keys: [{ kty: 'EC' }] } }, '/jwks'),
    'a private key is refused by the name of its member': refused(
      { ...signing, jwks: { keys: [key.privateKey.export({ format: 'jwk' })] } },
      '/jwks/keys/0/d',
    ),
    'provisioning is not for users': refused({ ...web, scopes: ['scim:read'] }, '/scopes'),
    'provisioning is for a client that acts for itself': { input: provisioning, body: { scopes: ['scim:read'] } },
    'a worker’s scope is refused': { input: { ...web, scopes: ['worker:read'] }, answers: '403 insufficient_scope' },
    'a category that its maker was not granted is refused': {
      as: 'client without sensitive data',
      input: { ...machine, sensitive_data: ['compensation'] },
      answers: '403 sensitive_data_required',
    },
    'a role that manages no tokens makes none': { as: 'viewer', input: web, answers: '403 insufficient_scope' },
  },
  asked_of_persons,
)

cases('oauth_clients.get', {
  'everything but its secrets is told': {
    given: client(web),
    as: 'reader',
    body: ({ client_secret: _, ...record }) => record,
    afterwards: async (_, { body }) => assert.ok(!('client_secret' in body)),
  },
  'a client of others is found once it has a verdict here': {
    given: verified,
    body: { kind: 'dynamic', verdict: 'verified' },
  },
  'a client of others is not found before': { given: (t) => register(t), answers: '404 not_found' },
})

cases('oauth_clients.list', {
  'those of the organization are listed': {
    given: client(web),
    body: ({ client_secret: _, ...record }) => ({ data: [record], total_count: 1 }),
  },
  'those of others are listed by their verdict': {
    given: verified,
    input: { kinds: ['dynamic'], verdicts: ['verified'] },
    body: ({ client_id }) => ({ data: [{ client_id, verdict: 'verified' }], total_count: 1 }),
  },
  'another verdict shows none of them': {
    given: verified,
    input: { verdicts: ['blocked'] },
    body: { data: [], total_count: 0 },
  },
  'a role that manages no tokens sees none': { as: 'viewer', answers: '403 insufficient_scope' },
})

cases(
  'oauth_clients.update',
  {
    'name and description are changed': {
      given: client(machine),
      input: { name: 'Renamed', description: 'Told' },
      body: { name: 'Renamed', description: 'Told', scopes: machine.scopes },
      audit: ({ client_id }) => ({ subject_id: client_id, changed_fields: ['name', 'description'] }),
    },
    'equal values change nothing': { given: client(web), input: { name: web.name }, audit: null },
    'scopes taken away end what is beyond them': {
      given: permitted(machine),
      input: { scopes: ['contracts:read'] },
      body: { scopes: ['contracts:read'] },
      emits: [['oauth-grant.revoked', { name: machine.name }]],
    },
    'blocking ends every permission here and what was created with it': {
      given: withToken,
      input: { verdict: 'blocked' },
      body: { verdict: 'blocked' },
      emits: both_ended,
    },
    'a client of the organization takes no verdict': {
      given: client(machine),
      input: { verdict: 'blocked' },
      answers: '409 invalid_state',
    },
    'a client of others is not changed': { given: verified, input: { name: 'Mine' }, answers: '409 invalid_state' },
    'a category that the caller was not granted is refused': {
      given: client({ ...machine, sensitive_data: ['compensation'] }),
      as: 'client without sensitive data',
      input: { resources: ['rest'] },
      answers: '403 sensitive_data_required',
    },
  },
  asked_of_persons,
)

cases('oauth_clients.delete', {
  'it goes with every permission it has': {
    given: permitted(machine),
    emits: [['oauth-grant.revoked', { name: machine.name }]],
    audit: ({ client_id }) => ({ subject_kind: 'oauth_clients', subject_id: client_id }),
    async afterwards(t, { given }) {
      assert.equal((await t.call('GET', `/oauth-clients/${given.client_id}`)).status, 404)
    },
  },
  'what was created with its permission ends with it': {
    async given(t) {
      const made = await client({ ...machine, scopes: ['contracts:read', 'tokens:write'], resources: ['rest'] })(t)
      const authorization = `Basic ${Buffer.from(`${made.client_id}:${made.client_secret}`).toString('base64')}`
      const form = { grant_type: 'client_credentials' }
      const { access_token } = (await postForm(t, '/oauth/token', form, { authorization })).body
      const body = { name: 'Export', scopes: ['contracts:read'] }
      const { id } = (await t.call('POST', '/api-tokens', { body, token: access_token })).body
      return { ...made, token_id: id }
    },
    emits: ({ token_id }) => [
      ['api-token.revoked', { credential_id: token_id }],
      ['oauth-grant.revoked', { name: machine.name }],
    ],
  },
  'a client of others is not deleted': { given: verified, answers: '409 invalid_state' },
  'a role that manages no tokens deletes none': {
    given: client(web),
    as: 'viewer',
    answers: '403 insufficient_scope',
  },
})

cases(
  'oauth_clients.rotate_secret',
  {
    'the new secret is shown this once, beside the former one until the overlap ends': {
      async given(t) {
        const made = await client(machine)(t)
        await t.clock.advance(1_000)
        return made
      },
      input: { overlap_s: 60 },
      body: { secrets: [{ retires_at: null }, {}] },
      headers: ({ client_id }) => ({ location: `https://stint.test/rest/v2/oauth-clients/${client_id}` }),
      async afterwards(t, { given, body }) {
        assert.notEqual(body.client_secret, given.client_secret)
        assert.equal(body.secrets[1].retires_at, new Date(t.clock.now() + 60_000).toISOString())
      },
    },
    'a client that signs has none': {
      given: client({ ...signing, jwks: { keys: [jwk] } }),
      answers: '409 invalid_state',
    },
    'a client of others has none of ours': { given: verified, answers: '409 invalid_state' },
    'a category that the caller was not granted is refused': {
      given: client({ ...machine, sensitive_data: ['compensation'] }),
      as: 'client without sensitive data',
      answers: '403 sensitive_data_required',
    },
  },
  asked_of_persons,
)

cases('oauth_grants.list', {
  'who may read tokens sees every permission': {
    given: withToken,
    as: 'reader',
    body: ({ client_id, grant_id }) => ({ data: [{ id: grant_id, client_id }], total_count: 1 }),
  },
  'a user of a role that manages no tokens sees the own ones': {
    given: withToken,
    as: 'viewer',
    body: { data: [], total_count: 0 },
  },
})

cases('oauth_grants.delete', {
  'it ends with every token of it and what was created with them': {
    given: withToken,
    emits: both_ended,
    audit: ({ grant_id }) => ({ subject_kind: 'oauth_grants', subject_id: grant_id }),
    async afterwards(t, { given }) {
      for (const token of [given.access_token, given.token.token])
        assert.equal((await t.call('GET', '/contracts', { token })).status, 401)
    },
  },
  'an app ends its own': { given: withToken, as: ({ access_token }) => access_token, emits: both_ended },
  'a role that manages no tokens ends none of others': {
    given: withToken,
    as: 'viewer',
    answers: '403 insufficient_scope',
  },
})

test('a client that acts for the organization exchanges its secret for a token with its scopes', async () => {
  const { client_id, client_secret } = await created({ ...machine, resources: ['rest'] })
  const { status, body } = await exchange(client_id, client_secret)
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual([body.scope, body.refresh_token], ['contracts:read scim:read', undefined])
  assert.equal((await service.call('GET', '/contracts', { token: body.access_token })).status, 200)
  assert.equal((await service.call('GET', '/webhooks', { token: body.access_token })).status, 403)
  assert.notEqual((await get(client_id)).body.last_used_at, null)
})

test('a sandbox shows in the secret', async () => {
  const sandbox = await service.createOrganization({ is_sandbox: true })
  assert.match((await created(web, sandbox.token)).client_secret, /^stint_test_ocs_/)
})

test('a client that signs has its public keys and no secret; another place for them takes their place', async () => {
  const signed = { ...web, token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [{ ...jwk, kid: 'a' }] } }
  const { client_id, client_secret, jwks } = await created(signed)
  assert.deepEqual([client_secret, jwks], [null, signed.jwks])
  const moved = (await patch(client_id, { jwks_uri: 'https://app.example/jwks.json' })).body
  assert.deepEqual([moved.jwks, moved.jwks_uri], [null, 'https://app.example/jwks.json'])
  const back = (await patch(client_id, { jwks: { keys: [jwk] } })).body
  assert.deepEqual([back.jwks, back.jwks_uri], [{ keys: [jwk] }, null])
  assert.equal((await rotate(client_id)).status, 409)
})

test('rights: nobody makes, turns or unlocks a client that can do more than they can', async () => {
  const weak = await makerWith('tokens:write', 'tokens:read')
  assert.deepEqual((await create(web, weak)).body.required_scopes, ['contracts:read'])
  assert.equal((await create({ ...web, scopes: ['worker:read'] })).body.code, 'insufficient_scope')
  const secretive = { ...machine, scopes: ['contracts:read'], sensitive_data: ['compensation'] }
  assert.equal(
    (await create(secretive, await makerWith('tokens:write', 'contracts:read'))).body.code,
    'sensitive_data_required',
  )
  const { client_id } = await created(machine)
  for (const answer of [
    await rotate(client_id, {}, weak),
    await patch(client_id, { scopes: ['contracts:read'] }, weak),
    await patch(client_id, { resources: ['mcp'] }, weak),
  ]) {
    assert.equal(`${answer.status} ${answer.body.code}`, '403 insufficient_scope')
  }
  assert.equal((await patch(client_id, { name: 'Renamed' }, weak)).status, 200)
  assert.equal((await service.call('DELETE', `/oauth-clients/${client_id}`, { token: weak })).status, 204)
})

test('rights: a client ends with the token that made it, and so does what the client was given', async () => {
  const maker = (
    await service.call('POST', '/api-tokens', {
      body: { name: 'maker', scopes: ['tokens:write', 'contracts:read', 'scim:read'] },
    })
  ).body
  const { client_id, client_secret } = await created(machine, maker.token)
  const { access_token } = (await exchange(client_id, client_secret)).body
  assert.equal((await service.call('GET', '/contracts', { token: access_token })).status, 200)
  const successor = (await service.call('POST', `/api-tokens/${maker.id}/rotate`, { body: { overlap_s: 0 } })).body
  assert.equal((await service.call('GET', '/contracts', { token: access_token })).status, 200)
  assert.equal((await service.call('DELETE', `/api-tokens/${successor.id}`)).status, 204)
  assert.equal((await service.call('GET', '/contracts', { token: access_token })).status, 401)
  assert.equal((await exchange(client_id, client_secret)).body.error, 'invalid_client')
})

test('rights: a client made with a credential that ends, ends no later', async () => {
  const expires_at = new Date(service.clock.now() + 3_600_000).toISOString()
  const token = await service.createToken(service.organization.id, { expires_at })
  const { client_id, client_secret, ...record } = await created(machine, token)
  assert.equal(record.expires_at, expires_at)
  assert.equal((await exchange(client_id, client_secret)).status, 200)
  await service.clock.advance(3_601_000)
  assert.equal((await exchange(client_id, client_secret)).body.error, 'invalid_client')
})

test('rights: who learns a new secret binds the client to its own end', async () => {
  const expires_at = new Date(service.clock.now() + 7_200_000).toISOString()
  const token = await service.createToken(service.organization.id, { expires_at })
  const { client_id } = await created(machine)
  assert.equal((await get(client_id)).body.expires_at, null)
  assert.equal((await rotate(client_id, {}, token)).body.expires_at, expires_at)
})

test('a new secret works at once, the old one until the overlap ends; a second rotation does not prolong it', async () => {
  const { client_id, client_secret: first } = await created(machine)
  const { client_secret: second, secrets } = (await rotate(client_id, { overlap_s: 60 })).body
  assert.equal(secrets.length, 2)
  for (const secret of [first, second]) assert.equal((await exchange(client_id, secret)).status, 200)
  await rotate(client_id, { overlap_s: 604_800 })
  await service.clock.advance(61_000)
  assert.equal((await exchange(client_id, first)).status, 401)
  assert.equal((await exchange(client_id, second)).status, 200)
  const { client_secret: last } = (await rotate(client_id, { overlap_s: 0 })).body
  assert.equal((await exchange(client_id, second)).status, 401)
  assert.equal((await exchange(client_id, last)).status, 200)
})

test('changes of one client at the same moment go one after the other, and none fails or is lost', async () => {
  const { client_id } = await created(machine)
  const rotations = await Promise.all(Array.from({ length: 5 }, () => rotate(client_id, { overlap_s: 60 })))
  const values = rotations.map(({ body }) => body.client_secret)
  assert.equal(new Set(values).size, 5)
  for (const value of values) assert.equal((await exchange(client_id, value)).status, 200)
  const changes = [{ name: 'Renamed' }, { description: 'Told' }, { resources: ['rest'] }]
  await Promise.all(changes.map((change) => patch(client_id, change)))
  const { name, description, resources } = (await get(client_id)).body
  assert.deepEqual([name, description, resources], ['Renamed', 'Told', ['rest']])
  const ends = await Promise.all([
    service.call('DELETE', `/oauth-clients/${client_id}`),
    service.call('DELETE', `/oauth-clients/${client_id}`),
    rotate(client_id),
    exchange(client_id, String(values[0])),
  ])
  assert.deepEqual(
    ends
      .slice(0, 2)
      .map(({ status }) => status)
      .sort(),
    [204, 404],
  )
  assert.ok(ends.every(({ status }) => status < 500))
  assert.equal((await exchange(client_id, String(values[0]))).status, 401)
})

test('what is taken from a client is taken at once from what it was given, and from nothing else', async () => {
  const wide = { ...machine, scopes: ['contracts:write', 'people:read'] }
  const { client_id, client_secret } = await created(wide)
  const token = async () => (await exchange(client_id, client_secret)).body.access_token
  const works = async (access_token: string) =>
    (await service.call('GET', '/contracts', { token: access_token })).status === 200
  const first = await token()
  await patch(client_id, { name: 'Renamed', resources: ['rest'] })
  assert.ok(await works(first))
  await service.takeEvents()
  await patch(client_id, { scopes: ['contracts:read'] })
  assert.deepEqual(
    (await service.takeEvents()).map(({ event_type }) => event_type),
    ['oauth-grant.revoked'],
  )
  assert.equal(await works(first), false)
  const { body } = await exchange(client_id, client_secret)
  assert.equal(body.scope, 'contracts:read')
  assert.ok(await works(body.access_token))
})

test('a deleted client is unknown, and its tokens are dead', async () => {
  const { client_id, client_secret } = await created(machine)
  const { access_token } = (await exchange(client_id, client_secret)).body
  await service.takeEvents()
  assert.equal((await service.call('DELETE', `/oauth-clients/${client_id}`)).status, 204)
  assert.deepEqual(
    (await service.takeEvents()).map(({ event_type }) => event_type),
    ['oauth-grant.revoked'],
  )
  assert.equal((await service.call('GET', '/contracts', { token: access_token })).status, 401)
  assert.equal((await exchange(client_id, client_secret)).status, 401)
  assert.equal((await get(client_id)).status, 404)
})

test('another organization sees, changes and deletes nothing of a managed client', async () => {
  const { client_id } = await created(machine)
  const other = await service.createOrganization()
  for (const answer of [
    await get(client_id, other.token),
    await patch(client_id, { name: 'Mine' }, other.token),
    await patch(client_id, { verdict: 'blocked' }, other.token),
    await rotate(client_id, {}, other.token),
    await service.call('DELETE', `/oauth-clients/${client_id}`, { token: other.token }),
  ]) {
    assert.equal(`${answer.status} ${answer.body.code}`, '404 not_found')
  }
  const { data } = (await service.call('GET', '/oauth-clients', { token: other.token })).body
  assert.deepEqual(data, [])
})

test('a client of others shows once it met the organization; a verdict is this organization’s alone', async () => {
  const { client_id } = await register(service)
  const other = await service.createOrganization()
  const listed = async (token?: string, query = {}) => {
    const { body } = await service.call('GET', '/oauth-clients', {
      query: { kinds: 'dynamic', ...query },
      ...(token && { token }),
    })
    return body.data.filter((client: { id: string }) => client.id === client_id)
  }
  assert.deepEqual(await listed(), [])
  const { status, body } = await patch(client_id, { verdict: 'verified' })
  assert.deepEqual([status, body.verdict], [200, 'verified'])
  assert.equal((await listed())[0].verdict, 'verified')
  assert.equal((await listed(undefined, { verdicts: 'blocked' })).length, 0)
  assert.deepEqual(await listed(other.token), [])
  assert.equal((await get(client_id, other.token)).status, 404)
  assert.equal((await patch(client_id, { verdict: 'none' })).body.verdict, 'none')
  assert.deepEqual(await listed(), [])
})

test('blocking ends every permission of the client here, for good; deciding again brings none back', async () => {
  const user = await signIn(service)
  const { client_id, access_token } = await connect(service, user, { resource: 'https://stint.test/rest/v2' })
  assert.equal((await service.call('GET', '/contracts', { token: access_token })).status, 200)
  await service.takeEvents()
  assert.equal((await patch(client_id, { verdict: 'blocked' })).body.verdict, 'blocked')
  assert.deepEqual(
    (await service.takeEvents()).map(({ event_type }) => event_type),
    ['oauth-grant.revoked'],
  )
  assert.equal((await service.call('GET', '/contracts', { token: access_token })).status, 401)
  await patch(client_id, { verdict: 'none' })
  assert.equal((await service.call('GET', '/contracts', { token: access_token })).status, 401)
})

for (const client_id of [
  'https://claude.ai/oauth/claude-code-client-metadata',
  `https://app.example/${'a/'.repeat(1_000)}client.json`,
])
  test(`a document client is named by its address in the path: ${client_id.length} characters`, async () => {
    await service.database.database.transaction({ role: 'lookup' }, (tx) =>
      tx.run(sql`
      insert into oauth_clients (client_id, kind, name, redirect_uris, grant_types, auth_methods, created_at, updated_at)
      values (${client_id}, 'document', 'Claude Code', '{http://localhost/callback}', '{authorization_code}', '{none}',
              app_now(), app_now())`),
    )
    assert.equal((await patch(client_id, { verdict: 'verified' })).body.id, client_id)
    assert.equal((await get(client_id)).body.verdict, 'verified')
  })

test('a repeated creation shows the same secret again and makes one client', async () => {
  const headers = { 'idempotency-key': 'make-one' }
  const first = await service.call('POST', '/oauth-clients', { body: web, headers })
  const again = await service.call('POST', '/oauth-clients', { body: web, headers })
  assert.deepEqual(again.body, first.body)
})

test('unused clients go after 30 days; those that are used, or wait for a decision, stay', async () => {
  const old = await register(service)
  const { client_id: managed } = await created(machine)
  await service.clock.advance(29 * 86_400_000)
  const recent = await register(service)
  const used = await connect(service, await signIn(service))
  await service.clock.advance(2 * 86_400_000)
  await service.cleanUp.run()
  const there = async (client_id: string) =>
    (await service.database.database.transaction({ role: 'lookup', read_only: true }, (tx) =>
      tx.row(sql`select client_id from oauth_clients where client_id = ${client_id}`),
    )) !== undefined
  assert.deepEqual(
    [await there(old.client_id), await there(recent.client_id), await there(used.client_id), await there(managed)],
    [false, true, true, true],
  )
})
