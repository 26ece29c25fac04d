import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Role, Scope, SensitiveCategory } from '#core/caller.ts'
import { invoke } from '#core/invoke.ts'
import { Problem } from '#core/problems.ts'
import { newId } from '#core/values.ts'
import { sql, type Transaction } from '#db/database.ts'
import { isWaitingForLock } from '#test/lock-wait.ts'
import { startTestService, type TestService } from '#test/service.ts'
import { verifies } from '#test/verifies.ts'
import { grantMembership, insertUser } from '../account.store.ts'
import { issueToken } from '../token.store.ts'

const hour_ms = 3_600_000
const day_ms = 24 * hour_ms

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const input = { name: 'Payroll export', scopes: ['contracts:read'] }
const create = (body: object = input, token?: string) =>
  service.call('POST', '/api-tokens', { body, ...(token !== undefined && { token }) })
const makerWith = (scopes: Scope[], sensitive_data: SensitiveCategory[] = [], expires_at: string | null = null) =>
  service.createToken(service.organization.id, { scopes: [...scopes, 'tokens:write'], sensitive_data, expires_at })
const ahead = (by_ms: number) => new Date(service.clock.now() + by_ms).toISOString()
const works = async (token: string) => (await service.call('GET', '/organizations', { token })).status === 200

test('a new token has the scopes and categories its maker chose, no end of its own, and works at once', async () => {
  await service.takeEvents()
  const { status, body, headers } = await create({ ...input, sensitive_data: ['compensation'] })
  assert.equal(status, 201)
  assert.equal(headers.location, `https://stint.test/rest/v2/api-tokens/${body.id}`)
  assert.match(body.token, /^stint_org_[0-9A-Za-z]{49}$/)
  verifies('5.1.token-scopes').deepEqual(body.scopes, ['contracts:read'])
  verifies('5.1.token-sensitive-data').deepEqual(body.sensitive_data, ['compensation'])
  assert.deepEqual([body.expires_at, body.type], [null, 'organization'])
  assert.ok(body.token.startsWith(body.prefix) && body.token.endsWith(body.last4))
  verifies('5.1.bearer').ok(await works(body.token))
  assert.deepEqual(await service.takeEvents(), [
    {
      event_type: 'api-token.created',
      resource: [{ credential_id: body.id, name: input.name, person_id: null, scopes: input.scopes, expires_at: null }],
    },
  ])
})

test('a token without an end still works after a hundred years', async (t) => {
  const { body } = await create()
  const now = service.clock.now()
  t.after(() => service.clock.set(new Date(now).toISOString()))
  await service.clock.advance(36_525 * day_ms)
  verifies('2.5.api-token').ok(await works(body.token))
})

test('without a choice a token has no sensitive category', async () => {
  assert.deepEqual((await create()).body.sensitive_data, [])
})

test('the value of a token is in the answer that made it and nowhere else', async () => {
  const { body } = await create()
  const secret = body.token.slice(body.prefix.length + 1, -4)
  const reads = [
    await service.call('GET', '/api-tokens?limit=100'),
    await service.call('GET', `/api-tokens/${body.id}`),
  ]
  for (const answer of reads) {
    assert.equal(answer.status, 200)
    verifies('5.1.shown-once', '2.5.api-token-once').ok(!JSON.stringify(answer.body).includes(secret))
  }
  assert.ok(!service.logged.join('\n').includes(secret))
  const stored = await service.database.database.transaction({ role: 'owner' }, (tx) =>
    tx.rows(
      sql`select t::text as row from access_tokens t union all select e::text from events e union all select a::text from audit_entries a`,
    ),
  )
  assert.ok(stored.length > 0 && !JSON.stringify(stored).includes(secret))
})

test('a repeated creation shows the same value again, kept sealed', async () => {
  const headers = { 'idempotency-key': 'token-once' }
  const [first, again] = [
    await service.call('POST', '/api-tokens', { body: input, headers }),
    await service.call('POST', '/api-tokens', { body: input, headers }),
  ]
  assert.deepEqual([again.headers['idempotent-replayed'], again.body], ['true', first.body])
  const kept = await service.database.database.transaction({ role: 'owner' }, (tx) =>
    tx.rows<{ body: Buffer; secret: Buffer }>(sql`select body, secret from idempotent_answers`),
  )
  assert.ok(kept.every(({ body, secret }) => ![body, secret].some((bytes) => bytes.includes(first.body.token))))
})

const excess: [what: string, maker: Scope[], body: object, code: string][] = [
  ['a scope that the maker lacks', ['contracts:read'], { scopes: ['people:read'] }, 'insufficient_scope'],
  ['writing where the maker may read', ['contracts:read'], { scopes: ['contracts:write'] }, 'insufficient_scope'],
  ['a worker’s scope, which no token of the organization has', [], { scopes: ['worker:read'] }, 'insufficient_scope'],
  [
    'a category that the maker was not granted',
    ['contracts:read'],
    { scopes: ['contracts:read'], sensitive_data: ['compensation'] },
    'sensitive_data_required',
  ],
  [
    'a personal token without a user',
    ['contracts:read'],
    { scopes: ['contracts:read'], type: 'personal' },
    'insufficient_scope',
  ],
]
for (const [what, scopes, body, code] of excess) {
  test(`a token cannot give more than it has: ${what}`, async () => {
    const answer = await create({ name: 'x', ...body }, await makerWith(scopes))
    assert.equal(`${answer.status} ${answer.body.code}`, `403 ${code}`)
  })
}

test('reading may be given by who may write', async () => {
  assert.equal(
    (await create({ name: 'x', scopes: ['contracts:read'] }, await makerWith(['contracts:write']))).status,
    201,
  )
})

const ends: [what: string, by_ms: number, status: number][] = [
  ['less than an hour ahead', hour_ms - 1, 400],
  ['an hour ahead', hour_ms, 201],
  ['nine years ahead', 9 * 365 * day_ms, 201],
  ['eleven years ahead', 11 * 366 * day_ms, 400],
  ['in the past', -1, 400],
]
for (const [what, by_ms, status] of ends) {
  test(`an end ${what} answers ${status}`, async () => {
    assert.equal((await create({ ...input, expires_at: ahead(by_ms) })).status, status)
  })
}

test('a token ends no later than its maker', async () => {
  const maker = await makerWith(['contracts:read'], [], ahead(2 * hour_ms))
  assert.equal((await create({ ...input, expires_at: ahead(3 * hour_ms) }, maker)).status, 400)
  assert.equal((await create(input, maker)).body.expires_at, ahead(2 * hour_ms))
})

test('a token stops at its end, to the millisecond', async () => {
  const { token } = (await create({ ...input, expires_at: ahead(hour_ms) })).body
  await service.clock.advance(hour_ms - 1)
  assert.ok(await works(token))
  await service.clock.advance(1)
  assert.ok(!(await works(token)))
})

test('a revoked token stops at once, with everything that was made with it', async () => {
  const maker = (await create({ name: 'maker', scopes: ['tokens:write', 'contracts:read'] })).body
  const child = (await create({ name: 'child', scopes: ['tokens:write', 'contracts:read'] }, maker.token)).body
  const grandchild = (await create(input, child.token)).body
  await service.takeEvents()
  assert.equal((await service.call('DELETE', `/api-tokens/${maker.id}`)).status, 204)
  for (const { token } of [maker, child, grandchild]) verifies('5.1.rotation').ok(!(await works(token)))
  const events = await service.takeEvents()
  assert.deepEqual(
    events.map(({ event_type }) => event_type),
    ['api-token.revoked', 'api-token.revoked', 'api-token.revoked'],
  )
  const { body } = await service.call('GET', `/api-tokens/${child.id}`)
  assert.ok(body.revoked_at)
})

test('a token may revoke itself without any scope for it, and no other one', async () => {
  const [own, other] = [(await create()).body, (await create()).body]
  const refused = await service.call('DELETE', `/api-tokens/${other.id}`, { token: own.token })
  assert.deepEqual([refused.status, refused.body.required_scopes], [403, ['tokens:write']])
  assert.equal((await service.call('DELETE', `/api-tokens/${own.id}`, { token: own.token })).status, 204)
  assert.ok(!(await works(own.token)))
  assert.ok(await works(other.token))
})

test('a rotated token has a successor with the same rights, and both work until the overlap ends', async () => {
  const old = (await create({ ...input, sensitive_data: ['compensation'] })).body
  const { status, body, headers } = await service.call('POST', `/api-tokens/${old.id}/rotate`, {
    body: { overlap_s: 3_600 },
    token: old.token,
  })
  assert.equal(status, 201)
  assert.equal(headers.location, `https://stint.test/rest/v2/api-tokens/${body.id}`)
  assert.deepEqual([body.scopes, body.sensitive_data, body.name], [old.scopes, old.sensitive_data, old.name])
  assert.ok((await works(old.token)) && (await works(body.token)))
  assert.equal((await service.call('GET', `/api-tokens/${old.id}`)).body.successor_id, body.id)
  await service.clock.advance(hour_ms)
  verifies('5.1.rotation').deepEqual([await works(old.token), await works(body.token)], [false, true])
})

test('a token that has ended or has a successor cannot be rotated', async () => {
  const [rotated, revoked] = [(await create()).body, (await create()).body]
  await service.call('POST', `/api-tokens/${rotated.id}/rotate`, { body: {} })
  await service.call('DELETE', `/api-tokens/${revoked.id}`)
  for (const { id } of [rotated, revoked]) {
    const { status, body } = await service.call('POST', `/api-tokens/${id}/rotate`, { body: {} })
    assert.equal(`${status} ${body.code}`, '409 invalid_state')
  }
})

test('tokens are found by their end, and by having been of no use since a time', async () => {
  const old = (await create({ ...input, name: 'soon', expires_at: ahead(2 * hour_ms) })).body
  const found = async (query: string): Promise<{ id: string; expires_at: string | null }[]> =>
    (await service.call('GET', `/api-tokens?limit=100&${query}`)).body.data
  const until = ahead(3 * hour_ms)
  const ending = await found(`expiring_before=${until}`)
  assert.ok(ending.some(({ id }) => id === old.id))
  assert.ok(ending.every(({ expires_at }) => expires_at !== null && expires_at < until))
  await service.clock.advance(hour_ms)
  const fresh = (await create()).body
  const unused = (await found(`unused_since=${ahead(-1)}`)).map(({ id }) => id)
  assert.ok(unused.includes(old.id) && !unused.includes(fresh.id))
})

test('a token that rotates another one gets a value that ends with its own rights', async () => {
  const maker = await makerWith(['contracts:read'], [], ahead(2 * hour_ms))
  const { id } = (await create()).body
  const successor = (await service.call('POST', `/api-tokens/${id}/rotate`, { body: {}, token: maker })).body
  assert.equal(successor.expires_at, ahead(2 * hour_ms))
  const { credential_id } = await service.authenticate(`Bearer ${maker}`, null)
  assert.equal(successor.created_with, credential_id)
  await service.call('DELETE', `/api-tokens/${credential_id}`)
  assert.ok(!(await works(successor.token)))
})

const inOrganization = <Result>(work: (tx: Transaction) => Promise<Result>) =>
  service.database.database.transaction({ role: 'app', organization_id: service.organization.id }, work)

const issue = (tx: Transaction, wished: { parent_token_id?: string; user_id?: string }) =>
  issueToken(tx, {
    id: newId(service.clock.now()),
    organization_id: service.organization.id,
    is_sandbox: false,
    kind: wished.user_id ? 'personal' : 'organization',
    name: 'test',
    scopes: ['tokens:write', 'contracts:read'],
    sensitive_data: [],
    created_by: { kind: 'system', id: null, name: 'test' },
    expires_at: null,
    ...wished,
  })

test('a token that is being made while its grandmaker is revoked ends with it', async () => {
  const maker = (await create({ name: 'maker', scopes: ['tokens:write', 'contracts:read'] })).body
  const child = (await create({ name: 'child', scopes: ['tokens:write', 'contracts:read'] }, maker.token)).body
  let revocation: ReturnType<TestService['call']> | undefined
  const made = await inOrganization(async (tx) => {
    const { token } = await issue(tx, { parent_token_id: child.id })
    revocation = service.call('DELETE', `/api-tokens/${maker.id}`)
    await isWaitingForLock(service)
    return token
  })
  assert.equal((await revocation)?.status, 204)
  for (const token of [maker.token, child.token, made]) assert.ok(!(await works(token)))
})

test('a call whose token is revoked before its transaction begins makes no token', async () => {
  const maker = (await create({ name: 'maker', scopes: ['tokens:write', 'contracts:read'] })).body
  const caller = await service.authenticate(`Bearer ${maker.token}`, null)
  await service.call('DELETE', `/api-tokens/${maker.id}`)
  const late = invoke(service.runtime, {
    operation: service.runtime.registry.operation('api_tokens.create'),
    caller,
    input,
    from_text: false,
    request_id: 'late',
    trace_id: null,
    address: null,
  })
  await assert.rejects(late, (error) => error instanceof Problem && error.definition.code === 'unauthenticated')
})

async function userWith(role: Role): Promise<{ user_id: string; id: string; token: string }> {
  const user_id = newId(service.clock.now())
  const owner = { role: 'owner', organization_id: service.organization.id } as const
  await service.database.database.transaction(owner, async (tx) => {
    await insertUser(tx, { id: user_id, email: `${user_id}@example.org`, name: 'Nora', password_hash: null })
    await grantMembership(tx, service.organization.id, user_id, role)
  })
  const { row, token } = await inOrganization((tx) => issue(tx, { user_id }))
  return { user_id, id: row.id, token }
}

test('a user may end its own tokens whatever its role, and those of others only where it manages tokens', async () => {
  const { id } = (await create()).body
  const [viewer, admin] = [await userWith('viewer'), await userWith('admin')]
  for (const [method, path] of [
    ['DELETE', `/api-tokens/${id}`],
    ['POST', `/api-tokens/${id}/rotate`],
    ['DELETE', `/api-tokens/${admin.id}`],
  ] as const) {
    const refused = await service.call(method, path, { token: viewer.token, ...(method === 'POST' && { body: {} }) })
    assert.equal(`${refused.status} ${refused.body.code}`, '403 insufficient_scope')
    // No scope would help, so none is asked for: a client would come back with the same request for ever.
    assert.equal(refused.headers['www-authenticate'], undefined)
  }
  const { row: second } = await inOrganization((tx) => issue(tx, { user_id: viewer.user_id }))
  assert.equal((await service.call('DELETE', `/api-tokens/${second.id}`, { token: viewer.token })).status, 204)
  assert.equal((await service.call('DELETE', `/api-tokens/${id}`, { token: admin.token })).status, 204)
})
