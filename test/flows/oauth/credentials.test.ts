import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Role, Scope, SensitiveCategory } from '#core/caller.ts'
import { newId } from '#core/values.ts'
import { sql } from '#db/database.ts'
import { endCredential } from '#identity/end-credentials.ts'
import { issueToken } from '#identity/token.store.ts'
import { newToken } from '#identity/token-format.ts'
import { type Connection, connect, obtainCode, refresh, register, type SignedIn, signIn } from '#test/oauth.ts'
import { startTestService, type TestService } from '#test/service.ts'

const rest = { resource: 'https://stint.test/rest/v2' }
const mcp = { resource: 'https://stint.test/mcp' }
const tokens = { ...rest, scope: 'tokens:write contracts:write' }
const allTokens = { scopes: ['tokens:write', 'contracts:write'] }
const challenge = 'Bearer resource_metadata="https://stint.test/.well-known/oauth-protected-resource/rest/v2"'

let service: TestService
let user: SignedIn
before(async () => {
  service = await startTestService()
  user = await signIn(service)
})
after(() => service.close())

const list = (token: string) => service.call('GET', '/contracts', { token })
const works = async (token: string) => (await list(token)).status === 200
/** True when a token opens the tool server. */
const opensTools = (token: string) =>
  service.authenticateTools(`Bearer ${token}`, null).then(
    () => true,
    () => false,
  )
const inDatabase = (statement: ReturnType<typeof sql>) =>
  service.database.database.transaction({ role: 'owner', organization_id: service.organization.id }, (tx) =>
    tx.run(statement),
  )

/** A personal token straight from the identity room. */
const personalToken = (
  { user_id }: SignedIn,
  scopes: Scope[],
  { sensitive_data = [], expires_at = null }: { sensitive_data?: SensitiveCategory[]; expires_at?: string | null } = {},
) =>
  service.database.database.transaction({ role: 'app', organization_id: service.organization.id }, async (tx) => {
    const { row, token } = await issueToken(tx, {
      id: newId(service.clock.now()),
      organization_id: service.organization.id,
      is_sandbox: false,
      kind: 'personal',
      name: 'Laptop',
      scopes,
      sensitive_data,
      user_id,
      created_by: { kind: 'user', id: user_id, name: 'Nora Pine' },
      expires_at,
    })
    return { id: row.id, token }
  })

test('audience.rest-at-mcp, audience.mcp-at-rest, audience.org-at-mcp: a token opens its own resource only', async () => {
  const [forRest, forMcp] = [await connect(service, user, rest), await connect(service, user, mcp)]
  assert.deepEqual([await works(forRest.access_token), await opensTools(forRest.access_token)], [true, false])
  assert.deepEqual([await works(forMcp.access_token), await opensTools(forMcp.access_token)], [false, true])
  assert.deepEqual(
    [await works(service.organization.token), await opensTools(service.organization.token)],
    [true, false],
  )
  const personal = await personalToken(user, ['contracts:read'])
  assert.deepEqual([await works(personal.token), await opensTools(personal.token)], [true, true])
  const { headers, body } = await list(forMcp.access_token)
  const unknown = await list(newToken('oauth', false))
  assert.equal(headers['www-authenticate'], `${challenge}, error="invalid_token"`)
  assert.deepEqual([body.code, body.detail], [unknown.body.code, unknown.body.detail])
})

const misplaced: [name: string, send: (it: Connection & { code: string }) => ReturnType<TestService['call']>][] = [
  ['bearer.refresh', ({ refresh_token }) => list(refresh_token)],
  ['bearer.code', ({ code }) => list(code)],
  [
    'bearer.query',
    ({ access_token }) => service.call('GET', `/contracts?access_token=${access_token}`, { token: null }),
  ],
  ['bearer.body', ({ access_token }) => service.call('POST', '/contracts', { token: null, body: { access_token } })],
  [
    'bearer.basic',
    ({ access_token }) =>
      service.call('GET', '/contracts', {
        token: null,
        headers: { authorization: `Basic ${btoa(`${access_token}:`)}` },
      }),
  ],
  ['bearer.long', ({ access_token }) => list(`${access_token}${'a'.repeat(8_192)}`)],
]
for (const [name, send] of misplaced) {
  test(`${name} is no credential`, async () => {
    const connection = await connect(service, user, rest)
    const { code } = await obtainCode(service, connection.client_id, user, rest)
    const { status, headers } = await send({ ...connection, code })
    assert.equal(status, 401)
    assert.match(String(headers['www-authenticate']), /^Bearer resource_metadata="/)
  })
}

const endings: [name: string, end: (it: Connection, member: SignedIn) => Promise<unknown>][] = [
  ['mcp.revoked: the token, by its client', ({ client_id, access_token }) => postRevoke(client_id, access_token)],
  ['mcp.revoked: the grant, by its client', ({ client_id, refresh_token }) => postRevoke(client_id, refresh_token)],
  ['mcp.revoked: the grant, by an administrator', (it) => deleteGrant(it, service.organization.token)],
  [
    'mcp.revoked: the grant, by its user',
    async (it, member) => deleteGrant(it, (await personalToken(member, ['contracts:read'])).token),
  ],
  ['mcp.revoked: the grant, by its own token', (it) => deleteGrant(it, it.access_token)],
  [
    'mcp.disabled: the user',
    (_, { user_id }) => inDatabase(sql`update users set disabled_at = app_now() where id = ${user_id}`),
  ],
  [
    'mcp.disabled: the membership',
    (_, { user_id }) => inDatabase(sql`delete from memberships where user_id = ${user_id}`),
  ],
  [
    'mcp.disabled: what a user held ends with the account',
    (_, { user_id }) =>
      service.database.database.transaction({ role: 'app', organization_id: service.organization.id }, (tx) =>
        endCredential(
          { tx, emit: () => undefined },
          { user_id },
          {
            organization_id: service.organization.id,
            by: { kind: 'system', id: null, name: 'test' },
            reason: 'user_disabled',
          },
        ),
      ),
  ],
  [
    'mcp.disabled: the client is blocked',
    ({ client_id }) => service.call('PATCH', `/oauth-clients/${client_id}`, { body: { verdict: 'blocked' } }),
  ],
]
for (const [name, end] of endings) {
  test(`${name} ends access with the next request`, async () => {
    const member = await signIn(service, { role: 'admin' })
    const connection = await connect(service, member, rest)
    assert.ok(await works(connection.access_token))
    await end(connection, member)
    const { status, headers } = await list(connection.access_token)
    assert.deepEqual([status, headers['www-authenticate']], [401, `${challenge}, error="invalid_token"`])
    // An access token that its client gave back ends alone; else nothing is left to refresh.
    const next = await refresh(service, connection.client_id, connection.refresh_token)
    assert.equal(next.status, name === 'mcp.revoked: the token, by its client' ? 200 : 400, JSON.stringify(next.body))
  })
}

async function postRevoke(client_id: string, token: string) {
  const { statusCode, body } = await service.app.inject({
    method: 'POST',
    url: '/oauth/revoke',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: `client_id=${client_id}&token=${token}&token_type_hint=nonsense`,
  })
  assert.deepEqual([statusCode, body], [200, ''])
}

async function grantOf({ client_id }: Pick<Connection, 'client_id'>, token = service.organization.token) {
  const { body } = await service.call('GET', '/oauth-grants?limit=100', { token })
  return body.data.find((grant: { client_id: string }) => grant.client_id === client_id)
}

async function deleteGrant(connection: Connection, token: string) {
  const { id } = await grantOf(connection)
  assert.equal((await service.call('DELETE', `/oauth-grants/${id}`, { token })).status, 204)
}

test('an access token that its client gives back leaves an audit line, once', async () => {
  const { client_id, access_token } = await connect(service, user, rest)
  const { credential_id } = await service.authenticate(`Bearer ${access_token}`, null)
  await postRevoke(client_id, access_token)
  await postRevoke(client_id, access_token)
  const lines = await service.database.database.transaction({ role: 'owner' }, (tx) =>
    tx.rows(sql`select action, actor ->> 'name' as by from audit_entries where subject_id::text = ${credential_id}`),
  )
  assert.deepEqual(lines, [{ action: 'oauth_tokens.revoked_by_client', by: 'Desk Assistant' }])
})

test('enabling a user again revives nothing that ended', async () => {
  const member = await signIn(service)
  const connection = await connect(service, member, rest)
  await deleteGrant(connection, service.organization.token)
  await inDatabase(sql`update users set disabled_at = app_now() where id = ${member.user_id}`)
  await inDatabase(sql`update users set disabled_at = null where id = ${member.user_id}`)
  assert.ok(!(await works(connection.access_token)))
  assert.equal((await refresh(service, connection.client_id, connection.refresh_token)).status, 400)
})

test('revoke.foreign: unknown and other clients’ tokens are left alone, with the same answer', async () => {
  const connection = await connect(service, user, rest)
  const other = (await register(service)).client_id
  for (const token of [connection.refresh_token, connection.access_token, newToken('refresh', false), 'nonsense']) {
    await postRevoke(other, token)
  }
  assert.ok(await works(connection.access_token))
  assert.equal((await refresh(service, connection.client_id, connection.refresh_token)).status, 200)
})

test('a grant ends with what was created with it, and only its user or who manages tokens ends it', async () => {
  const connection = await connect(service, user, tokens, allTokens)
  const made = await service.call('POST', '/api-tokens', {
    token: connection.access_token,
    body: { name: 'child', scopes: ['contracts:read'] },
  })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const grandchild = await service.call('POST', '/api-tokens', {
    token: connection.access_token,
    body: { name: 'mine', type: 'personal', scopes: ['contracts:read', 'tokens:write'] },
  })
  const grant = await grantOf(connection)
  assert.deepEqual(
    [made.body.created_with, grant.client_name, grant.user_id],
    [grant.id, 'Desk Assistant', user.user_id],
  )
  const viewer = await personalToken(await signIn(service, { role: 'viewer' }), ['contracts:read', 'tokens:write'])
  const refused = await service.call('DELETE', `/oauth-grants/${grant.id}`, { token: viewer.token })
  assert.equal(`${refused.status} ${refused.body.code}`, '403 insufficient_scope')
  await service.takeEvents()
  await deleteGrant(connection, service.organization.token)
  for (const token of [connection.access_token, made.body.token, grandchild.body.token])
    assert.ok(!(await works(token)))
  assert.deepEqual((await service.takeEvents()).map(({ event_type }) => event_type).sort(), [
    'api-token.revoked',
    'api-token.revoked',
    'oauth-grant.revoked',
  ])
  assert.equal((await service.call('DELETE', `/oauth-grants/${grant.id}`)).status, 204)
  assert.deepEqual(await service.takeEvents(), [])
})

test('a user sees the own connected apps and personal tokens without a scope for it, and nobody else’s', async () => {
  const [one, other] = [await signIn(service, { role: 'viewer' }), await signIn(service, { role: 'viewer' })]
  const [connection, foreign] = [await connect(service, one, rest), await connect(service, other, rest)]
  const [own, others] = [await personalToken(one, ['contracts:read']), await personalToken(other, ['contracts:read'])]
  const idsOf = async (path: string) => {
    const { status, body } = await service.call('GET', path, { token: own.token })
    assert.equal(status, 200, JSON.stringify(body))
    return body.data.map(({ id }: { id: string }) => id)
  }
  assert.deepEqual(await idsOf('/oauth-grants'), [(await grantOf(connection)).id])
  assert.deepEqual(await idsOf('/api-tokens'), [own.id])
  assert.equal((await service.call('GET', `/api-tokens/${own.id}`, { token: own.token })).status, 200)
  assert.equal((await service.call('GET', `/api-tokens/${others.id}`, { token: own.token })).status, 404)
  assert.equal(
    (await service.call('DELETE', `/oauth-grants/${(await grantOf(foreign)).id}`, { token: own.token })).status,
    403,
  )
  const blind = await service.createToken(service.organization.id, { scopes: ['contracts:read'] })
  for (const path of ['/oauth-grants', '/api-tokens', `/api-tokens/${own.id}`]) {
    const { status, body } = await service.call('GET', path, { token: blind })
    assert.deepEqual([status, body.required_scopes], [403, ['tokens:read']])
  }
})

const ahead = (by_ms: number) => new Date(service.clock.now() + by_ms).toISOString()
const day_ms = 86_400_000
const beyond: [name: string, body: object, status: number][] = [
  ['one scope more', { scopes: ['people:read'] }, 403],
  ['writing where it may read', { scopes: ['people:write'] }, 403],
  ['a worker’s scope', { scopes: ['worker:read'] }, 403],
  ['one category more', { scopes: ['contracts:read'], sensitive_data: ['bank_details'] }, 403],
  ['one day more than the grant', { scopes: ['contracts:read'], expires_at: ahead0(366) }, 400],
  ['provisioning for a person', { scopes: ['scim:read'], type: 'personal' }, 403],
  ['what it has', { scopes: ['contracts:read'], sensitive_data: ['compensation'] }, 201],
]
function ahead0(days: number): (now: () => number) => string {
  return (now) => new Date(now() + days * day_ms).toISOString()
}
for (const [name, body, status] of beyond) {
  test(`rights.child: a grant that makes a token with ${name} is answered ${status}`, async () => {
    const { access_token } = await connect(service, await signIn(service), tokens, {
      ...allTokens,
      sensitive_data: ['compensation'],
    })
    const sent = Object.fromEntries(
      Object.entries(body).map(([key, value]) => [key, typeof value === 'function' ? value(service.clock.now) : value]),
    )
    const answer = await service.call('POST', '/api-tokens', { token: access_token, body: { name: 'x', ...sent } })
    assert.equal(answer.status, status, JSON.stringify(answer.body))
    if (status === 201) assert.equal(answer.body.expires_at, ahead(365 * day_ms))
  })
}

test('rights.lowered: a lower role counts at the next call, and a token made then has the lower rights', async () => {
  const member = await signIn(service, { role: 'owner' })
  const { token } = await personalToken(member, ['contracts:write', 'tokens:write', 'accounting:write'])
  const give = (scopes: Scope[]) =>
    service.call('POST', '/api-tokens', { token, body: { name: 'x', type: 'personal', scopes } })
  assert.equal((await give(['accounting:write'])).status, 201)
  const lower = (role: Role) => inDatabase(sql`update memberships set role = ${role} where user_id = ${member.user_id}`)
  await lower('developer')
  const refused = await give(['accounting:write', 'contracts:write', 'contracts:read'])
  assert.deepEqual([refused.status, refused.body.required_scopes], [403, ['accounting:write', 'contracts:write']])
  assert.equal((await give(['contracts:read'])).status, 201)
  await lower('viewer')
  const personal = await give(['contracts:read'])
  assert.equal(personal.status, 201)
  const organization = await service.call('POST', '/api-tokens', {
    token,
    body: { name: 'x', scopes: ['contracts:read'] },
  })
  assert.equal(`${organization.status} ${organization.body.code}`, '403 insufficient_scope')
})

test('rights.lowered: a category is seen for as long as the role has it', async () => {
  const member = await signIn(service, { role: 'owner' })
  const { token } = await personalToken(member, ['contracts:read'], {
    sensitive_data: ['compensation', 'home_address'],
  })
  const seen = async () => [...(await service.authenticate(`Bearer ${token}`, null)).sensitive_data]
  assert.deepEqual(await seen(), ['compensation', 'home_address'])
  for (const [role, categories] of [
    ['finance', ['compensation']],
    ['viewer', []],
    ['admin', ['compensation', 'home_address']],
  ] as const) {
    await inDatabase(sql`update memberships set role = ${role} where user_id = ${member.user_id}`)
    assert.deepEqual(await seen(), categories)
  }
})

test('a personal token acts as its user, in REST and at the tool server, and nobody else rotates it', async () => {
  const member = await signIn(service, { role: 'finance' })
  const own = await personalToken(member, ['contracts:read', 'tokens:write'])
  for (const authenticate of [service.authenticate, service.authenticateTools]) {
    const caller = await authenticate(`Bearer ${own.token}`, null)
    assert.deepEqual([caller.kind, caller.user_id, caller.role], ['personal', member.user_id, 'finance'])
    assert.deepEqual(caller.actor, { kind: 'user', id: member.user_id, name: 'Nora Pine' })
  }
  const rotate = (token: string) => service.call('POST', `/api-tokens/${own.id}/rotate`, { token, body: {} })
  assert.equal((await rotate(service.organization.token)).status, 404)
  const admin = await personalToken(await signIn(service, { role: 'admin' }), ['tokens:write', 'contracts:read'])
  assert.equal((await rotate(admin.token)).status, 404)
  const { status, body } = await rotate(own.token)
  assert.equal(status, 201)
  assert.match(body.token, /^stint_pat_/)
  assert.ok(await opensTools(body.token))
})

test('the end of a token is announced 14 days and one day before, unless it ended or was replaced', async () => {
  const create = async () =>
    (
      await service.call('POST', '/api-tokens', {
        body: { name: 'Payroll export', scopes: ['contracts:read'], expires_at: ahead(20 * day_ms) },
      })
    ).body
  const [kept, revoked, replaced] = [await create(), await create(), await create()]
  await service.call('DELETE', `/api-tokens/${revoked.id}`)
  await service.call('POST', `/api-tokens/${replaced.id}/rotate`, { body: { overlap_s: 0 } })
  const successors = 1
  const announced = async (by_ms: number) => {
    await service.clock.advance(by_ms)
    await service.takeEvents()
    await service.timers.runDue()
    const events = await service.takeEvents()
    return events.filter(({ event_type }) => event_type === 'api-token.expiring').map(({ resource }) => resource[0])
  }
  assert.deepEqual(await announced(6 * day_ms - 1), [])
  const first = await announced(1)
  assert.equal(first.length, 1 + successors)
  assert.deepEqual(
    first.find((entry) => entry?.credential_id === kept.id),
    {
      credential_id: kept.id,
      name: 'Payroll export',
      person_id: null,
      scopes: ['contracts:read'],
      expires_at: kept.expires_at,
    },
  )
  assert.deepEqual(await announced(12 * day_ms), [])
  assert.equal((await announced(day_ms)).length, 1 + successors)
  user = await signIn(service)
})
