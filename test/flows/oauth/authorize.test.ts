import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from '#db/database.ts'
import {
  allow,
  authorize,
  connect,
  consent,
  type Overrides,
  pkce,
  postForm,
  redeem,
  redirect_uri,
  register,
  requestIdOf,
  type SignedIn,
  signIn,
} from '#test/oauth.ts'
import { startTestService, type TestService } from '#test/service.ts'
import { verifies } from '#test/verifies.ts'

const issuer = 'https://stint.test'

let service: TestService
let user: SignedIn
let client_id: string
before(async () => {
  service = await startTestService()
  user = await signIn(service)
  client_id = (await register(service)).client_id
})
after(() => service.close())

const ask = (overrides: Overrides = {}, cookie?: string, id = client_id) =>
  authorize(service, id, pkce().challenge, overrides, cookie)
const queryOf = (location: unknown) => Object.fromEntries(new URL(String(location)).searchParams)

const withoutPkce: [name: string, overrides: Overrides, error: string][] = [
  ['pkce.missing', { code_challenge: null, code_challenge_method: null }, 'invalid_request'],
  ['pkce.plain', { code_challenge_method: 'plain' }, 'invalid_request'],
  ['pkce.no-method', { code_challenge_method: null }, 'invalid_request'],
]

/** The answer that travels back to a loopback client, at once. */
const redirected: [name: string, overrides: Overrides, error: string][] = [
  ...withoutPkce,
  ['pkce.short', { code_challenge: 'a'.repeat(42) }, 'invalid_request'],
  ['pkce.short: 44 characters', { code_challenge: 'a'.repeat(44) }, 'invalid_request'],
  ['pkce.short: no base64url', { code_challenge: `${'a'.repeat(42)}+` }, 'invalid_request'],
  ['response.token', { response_type: 'token' }, 'unsupported_response_type'],
  ['response.token: hybrid', { response_type: 'code id_token' }, 'unsupported_response_type'],
  ['response.token: absent', { response_type: null }, 'invalid_request'],
  ['response.mode', { response_mode: 'fragment' }, 'invalid_request'],
  ['response.mode: form_post', { response_mode: 'form_post' }, 'invalid_request'],
  ['request.object', { request: 'eyJhbGciOiJub25lIn0.e30.' }, 'invalid_request'],
  ['request.object: by reference', { request_uri: 'https://evil.example/request' }, 'invalid_request'],
  ['scope.unknown', { scope: 'contracts:read contracts:delete' }, 'invalid_scope'],
  ['scope.many', { scope: Array.from({ length: 51 }, () => 'contracts:read').join(' ') }, 'invalid_scope'],
  ['resource.unknown', { resource: 'https://evil.example/mcp' }, 'invalid_target'],
  ['resource.origin', { resource: 'https://stint.test' }, 'invalid_target'],
  ['resource.origin: with a slash', { resource: 'https://stint.test/' }, 'invalid_target'],
  ['resource.unknown: fragment', { resource: 'https://stint.test/mcp#x' }, 'invalid_target'],
  ['resource.unknown: other query', { resource: 'https://stint.test/mcp?x=1' }, 'invalid_target'],
  ['resource.unknown: http', { resource: 'http://stint.test/mcp' }, 'invalid_target'],
  ['resource.unknown: two slashes', { resource: 'https://stint.test/mcp//' }, 'invalid_target'],
]
for (const [name, overrides, error] of redirected) {
  test(`${name} travels back as ${error}, with state and issuer`, async () => {
    const answer = await ask(overrides)
    assert.equal(answer.statusCode, 303, answer.body)
    const { error_description = '', ...members } = queryOf(answer.headers.location)
    assert.deepEqual(members, { error, state: 'x7', iss: issuer })
    assert.match(error_description, /^[a-z_]+: [\x20-\x7e]+$/)
    for (const sent of Object.values(overrides)) assert.ok(!sent || !error_description.includes(sent))
  })
}

test('a public client gets nothing without PKCE by S256, and a request to decide on with it', async () => {
  const asked = await Promise.all(
    [...withoutPkce.map(([, overrides]) => overrides), {}].map((overrides) => ask(overrides)),
  )
  verifies('5.2.pkce').deepEqual(
    asked.map(({ headers }) => new URL(String(headers.location)).searchParams.get('error')),
    ['invalid_request', 'invalid_request', 'invalid_request', null],
  )
})

test('state of 4,097 characters travels back as an error without it; 4,096 come back as sent', async () => {
  const { state, ...error } = queryOf((await ask({ state: 's'.repeat(4_097) })).headers.location)
  assert.deepEqual([state, error.error], [undefined, 'invalid_request'])
  const sent = `${'ü "&=%#\\'.repeat(512)}`.slice(0, 4_096)
  const request_id = requestIdOf(await ask({ state: sent }))
  const url = await allow(service, request_id, user.cookie)
  assert.equal(url.searchParams.get('state'), sent)
})

const accepted: [name: string, overrides: Overrides][] = [
  ['resource.slash', { resource: 'https://stint.test/mcp/' }],
  ['resource.case', { resource: 'HTTPS://STINT.TEST/mcp' }],
  ['resource.filter', { resource: 'https://stint.test/mcp?toolsets=contracts&readonly=1' }],
  ['resource: absent', { resource: null }],
]
for (const [name, overrides] of accepted) {
  test(`${name} is the tool server`, async () => {
    const request_id = requestIdOf(await ask(overrides))
    assert.equal((await consent(service, 'GET', request_id, user)).body.resource, 'mcp')
  })
}

test('scopes of OpenID Connect are ignored; without a scope those of the contract apply', async () => {
  const scopesOf = async (overrides: Overrides, id = client_id) => {
    const request_id = requestIdOf(await ask(overrides, undefined, id))
    const [place] = (await consent(service, 'GET', request_id, user)).body.organizations
    return place.scopes.map(({ name }: { name: string }) => name)
  }
  assert.deepEqual(await scopesOf({ scope: 'openid profile email offline_access contracts:read' }), ['contracts:read'])
  assert.equal((await scopesOf({ scope: null })).length, 7)
  assert.equal((await scopesOf({ scope: 'openid' })).length, 7)
  const own = (await register(service, { scope: 'people:read webhooks:write' })).client_id
  assert.deepEqual(await scopesOf({ scope: null }, own), ['people:read', 'webhooks:read', 'webhooks:write'])
  assert.deepEqual(await scopesOf({ scope: 'webhooks:read contracts:read' }, own), ['webhooks:read'])
  assert.equal(
    queryOf((await ask({ scope: 'contracts:read' }, undefined, own)).headers.location).error,
    'invalid_scope',
  )
})

/** Shown to the user and sent nowhere. */
const local: [name: string, overrides: Overrides][] = [
  ['redirect.unknown-client', { client_id: 'cli_0000000000000000000000' }],
  ['redirect.unknown-client: NUL', { client_id: 'cli_\0' }],
  ['redirect.unknown-client: absent', { client_id: null }],
  ['redirect.unknown-client: 3,000 characters', { client_id: 'c'.repeat(3_000) }],
  ['redirect: absent', { redirect_uri: null }],
  ...[
    'http://127.0.0.1:49152/callback/',
    'http://127.0.0.1:49152/callback?x=1',
    'http://user@127.0.0.1:49152/callback',
    'http://127.0.0.1:49152@evil.example/callback',
    'http://127.0.0.1:49152/callback#f',
    'https://127.0.0.1:49152/callback',
    'http://127.0.0.1:49152/%63allback',
    'http://localhost:49152/callback',
    'http://127.0.0.1:49152/other',
    'https://evil.example/callback',
    'javascript:alert(1)',
  ].map((uri): [string, Overrides] => [`redirect.mismatch: ${uri}`, { redirect_uri: uri }]),
]
for (const [name, overrides] of local) {
  test(`${name} stays here`, async () => {
    for (const cookie of [undefined, user.cookie]) {
      const answer = await ask(overrides, cookie)
      assert.equal(answer.statusCode, 400)
      assert.equal(answer.headers.location, undefined)
      assert.match(String(answer.headers['content-type']), /^text\/html/)
      assert.match(String(answer.headers['content-security-policy']), /default-src 'none'.*frame-ancestors 'none'/)
      assert.doesNotMatch(answer.body, /<script|href|evil\.example|x7/)
    }
  })
}

test('redirect.unknown-client: a client id or redirect URI sent twice stays here', async () => {
  for (const twice of [
    `client_id=${client_id}&client_id=${client_id}`,
    `redirect_uri=${redirect_uri}&redirect_uri=x`,
  ]) {
    const { statusCode, headers } = await service.app.inject({
      url: `/oauth/authorize?client_id=${client_id}&response_type=code&${twice}`,
    })
    assert.deepEqual([statusCode, headers.location], [400, undefined])
  }
})

test('redirect.blocked: who is in a blocking organization only is stopped here; who is not signed in is not told', async () => {
  const blocked = (await register(service, { client_name: 'Blocked' })).client_id
  const elsewhere = await service.createOrganization({ name: 'Elsewhere' })
  const both = await signIn(service)
  await service.database.database.transaction({ role: 'owner', organization_id: service.organization.id }, (tx) =>
    tx.run(sql`
      insert into oauth_client_verdicts (organization_id, client_id, verdict, decided_by, decided_at)
      values (${service.organization.id}, ${blocked}, 'blocked', '{}', app_now())`),
  )
  const stopped = await ask({}, user.cookie, blocked)
  assert.deepEqual([stopped.statusCode, stopped.headers.location], [400, undefined])
  const request_id = requestIdOf(await ask({}, undefined, blocked))
  assert.deepEqual((await consent(service, 'GET', request_id, user)).body.organizations, [])
  await service.database.database.transaction({ role: 'owner', organization_id: elsewhere.id }, (tx) =>
    tx.run(sql`insert into memberships (organization_id, user_id, role, created_at)
      values (${elsewhere.id}, ${both.user_id}, 'viewer', app_now())`),
  )
  const offered = (await consent(service, 'GET', requestIdOf(await ask({}, both.cookie, blocked)), both)).body
  assert.deepEqual(
    offered.organizations.map(({ name }: { name: string }) => name),
    ['Elsewhere'],
  )
})

test('redirect.silent: a bad request leads nowhere by itself unless the browser is signed in', async () => {
  const web = (await register(service, { redirect_uris: ['https://app.example/cb?tenant=1'] })).client_id
  const bad = { redirect_uri: 'https://app.example/cb?tenant=1', response_type: 'token', state: '"><script>x' }
  const page = await ask(bad, undefined, web)
  assert.deepEqual([page.statusCode, page.headers.location], [400, undefined])
  assert.match(page.body, /Go back to app\.example/)
  assert.doesNotMatch(page.body, /<script/)
  const link = /href="([^"]+)"/.exec(page.body)?.[1]?.replaceAll('&amp;', '&')
  const { headers, statusCode } = await ask(bad, user.cookie, web)
  assert.deepEqual([statusCode, headers.location], [303, link])
  assert.deepEqual(queryOf(link), {
    tenant: '1',
    error: 'unsupported_response_type',
    error_description: 'response_type: must be code',
    state: '"><script>x',
    iss: issuer,
  })
})

/** The address that the browser is sent to with the decision of the user. */
async function decided(decision: string, scopes = ['contracts:read'], overrides: Overrides = {}): Promise<URL> {
  const request_id = requestIdOf(await ask(overrides))
  const { csrf_token, organizations } = (await consent(service, 'GET', request_id, user)).body
  const { organization_id } = organizations[0]
  const body = { csrf_token, decision, organization_id, scopes }
  const answer = await consent(service, 'POST', request_id, { ...user, body })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return new URL(answer.body.redirect_to)
}

test('iss.always: success, denial, an empty choice and each redirected error name the issuer once, with the state', async () => {
  const errors = await Promise.all(
    redirected.map(async ([, overrides]) => String((await ask(overrides)).headers.location)),
  )
  const decisions = [await decided('approve'), await decided('deny'), await decided('approve', [])]
  for (const url of [...errors.map((location) => new URL(location)), ...decisions]) {
    assert.deepEqual([url.searchParams.getAll('iss'), url.searchParams.getAll('state')], [[issuer], ['x7']], url.href)
  }
  assert.equal((await decided('deny', [], { state: null })).searchParams.get('iss'), issuer)
})

test('scope.all: a client that asks for every scope of the metadata connects, and `scope` tells what was left', async () => {
  const { scopes_supported } = (await service.app.inject({ url: '/.well-known/oauth-protected-resource' })).json()
  const all = { scope: scopes_supported.join(' ') }
  const given = (await connect(service, user, all)).scope.split(' ')
  const left = (scopes_supported as string[]).filter((scope) => !/^(tokens|scim|worker):/.test(scope))
  assert.deepEqual(given.toSorted(), left.toSorted())
  const less = await connect(service, user, all, { scopes: ['people:read', 'contracts:read'] })
  assert.deepEqual(less.scope.split(' ').toSorted(), ['contracts:read', 'people:read'])
})

test('iss.exact: success and denial carry state and the issuer, byte for byte', async () => {
  const [approved, denied] = [await decided('approve'), await decided('deny')]
  for (const url of [approved, denied]) {
    assert.equal(`${url.origin}${url.pathname}`, redirect_uri)
    assert.equal(url.searchParams.get('iss'), issuer)
    assert.equal(url.searchParams.get('state'), 'x7')
  }
  assert.match(approved.searchParams.get('code') ?? '', /^stint_oac_[0-9A-Za-z]{49}$/)
  assert.equal(approved.searchParams.has('error'), false)
  assert.equal(denied.searchParams.get('error'), 'access_denied')
  assert.equal(denied.searchParams.has('code'), false)
})

test('a query of the registered address is kept, and the code appended', async () => {
  const redirect = 'https://app.example/cb?tenant=1'
  const web = (await register(service, { redirect_uris: [redirect] })).client_id
  const { verifier, challenge } = pkce()
  const request_id = requestIdOf(await authorize(service, web, challenge, { redirect_uri: redirect }))
  const url = await allow(service, request_id, user.cookie)
  assert.equal(url.searchParams.get('tenant'), '1')
  const code = url.searchParams.get('code') ?? ''
  const { status } = await redeem(service, { client_id: web, code, verifier, challenge }, { redirect_uri: redirect })
  assert.equal(status, 200)
})

test('a deleted client ends what it was given, and asks for nothing more', async () => {
  const {
    access_token,
    client_id: gone,
    refresh_token,
  } = await connect(service, user, {
    resource: 'https://stint.test/rest/v2',
  })
  await service.database.database.transaction({ role: 'engine' }, (tx) =>
    tx.run(sql`delete from oauth_clients where client_id = ${gone}`),
  )
  assert.equal((await ask({}, undefined, gone)).statusCode, 400)
  assert.equal((await service.call('GET', '/contracts', { token: access_token })).status, 401)
  const { status, body } = await postForm(service, '/oauth/token', {
    grant_type: 'refresh_token',
    refresh_token,
    client_id: gone,
  })
  assert.deepEqual([status, body.error], [401, 'invalid_client'])
})

test('more than 120 requests in a minute from one address answer 429, and other addresses go on', async () => {
  const from = (remoteAddress: string) => service.app.inject({ url: '/oauth/authorize', remoteAddress })
  for (let requests = 0; requests < 120; requests += 1) assert.equal((await from('192.0.2.1')).statusCode, 400)
  const { statusCode, headers, body } = await from('192.0.2.1')
  assert.equal(statusCode, 429)
  assert.ok(Number(headers['retry-after']) > 0)
  assert.match(String(headers['content-type']), /^text\/html/)
  assert.match(body, /<h1>.*\n<p>Too many requests came from your network\.<\/p>/)
  assert.equal((await from('192.0.2.2')).statusCode, 400)
})

test('only GET is taken', async () => {
  const { statusCode, headers } = await service.app.inject({ method: 'POST', url: '/oauth/authorize' })
  assert.deepEqual([statusCode, headers.allow], [405, 'GET, HEAD'])
})

test('HEAD is checked as GET is and stores nothing', async () => {
  const rows = () =>
    service.database.database.transaction({ role: 'owner' }, (tx) =>
      tx.row<{ rows: number }>(sql`select count(*)::int as rows from oauth_requests`),
    )
  const query = { response_type: 'code', client_id, redirect_uri, code_challenge: pkce().challenge }
  const url = `/oauth/authorize?${new URLSearchParams({ ...query, code_challenge_method: 'S256' })}`
  const before = await rows()
  const head = await service.app.inject({ method: 'HEAD', url })
  assert.deepEqual([head.statusCode, head.headers.location, head.body], [303, undefined, ''])
  assert.equal((await service.app.inject({ method: 'HEAD', url: '/oauth/authorize?client_id=x' })).statusCode, 400)
  assert.deepEqual(await rows(), before)
})

test('a request id is unknown to the database, which keeps its digest', async () => {
  const request_id = requestIdOf(await ask())
  const rows = await service.database.database.transaction({ role: 'owner' }, (tx) =>
    tx.rows(sql`select r::text as row from oauth_requests r`),
  )
  assert.ok(rows.length > 0 && !JSON.stringify(rows).includes(request_id))
})
