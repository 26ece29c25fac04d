import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Role, Scope, SensitiveCategory } from '#core/caller.ts'
import { invoke } from '#core/invoke.ts'
import { Problem } from '#core/problems.ts'
import { newId } from '#core/values.ts'
import { sql, type Transaction } from '#db/database.ts'
import { cases, serviceOfCases } from '#test/cases.ts'
import { type Body, memberToken } from '#test/factories.ts'
import { isWaitingForLock } from '#test/lock-wait.ts'
import { postForm } from '#test/oauth.ts'
import type { TestService } from '#test/service.ts'
import { verifies } from '#test/verifies.ts'
import { grantMembership, insertUser } from '../account.store.ts'
import { issueToken } from '../token.store.ts'

const hour_ms = 3_600_000
const day_ms = 24 * hour_ms

let service: TestService
before(async () => {
  service = await serviceOfCases()
})

const input = { name: 'Payroll export', scopes: ['contracts:read'] }
const create = (body: object = input, token?: string) =>
  service.call('POST', '/api-tokens', { body, ...(token !== undefined && { token }) })
const makerWith = (scopes: Scope[], sensitive_data: SensitiveCategory[] = [], expires_at: string | null = null) =>
  service.createToken(service.organization.id, { scopes: [...scopes, 'tokens:write'], sensitive_data, expires_at })
const ahead = (by_ms: number) => new Date(service.clock.now() + by_ms).toISOString()
const works = async (token: string) => (await service.call('GET', '/organizations', { token })).status === 200

/** A token of these rights, in the organization of the case, beside what a case needs more. */
const maker =
  (scopes: Scope[], options: { sensitive_data?: SensitiveCategory[]; ends_in_ms?: number } = {}) =>
  async ({ clock, createToken, organization: { id } }: TestService): Promise<Body> => {
    const { sensitive_data = [], ends_in_ms } = options
    const expires_at = ends_in_ms === undefined ? null : new Date(clock.now() + ends_in_ms).toISOString()
    return {
      maker: await createToken(id, { scopes: [...scopes, 'tokens:write'], sensitive_data, expires_at }),
      expires_at,
    }
  }
const asMaker = ({ maker: token }: Body): string => token
const ending =
  (in_ms: number) =>
  (_: Body, { clock }: TestService) => ({
    ...input,
    expires_at: new Date(clock.now() + in_ms).toISOString(),
  })
/** A token made through the API. */
const token =
  (body: object = input) =>
  async (t: TestService) => {
    const made = (await t.call('POST', '/api-tokens', { body })).body
    return { ...made, api_token_id: made.id }
  }
const created = (_: Body, { id, name, scopes, expires_at }: Body) =>
  [['api-token.created', { credential_id: id, person_id: null, name, scopes, expires_at }]] as const

/** Tokens prove themselves; persons at the console are asked, in console-rest.test.ts. */
const asked_of_persons = { reauthentication_required: 'only a session of the console gets old' }

cases(
  'api_tokens.create',
  {
    'it has the scopes and categories that its maker chose, and no end of its own': {
      input: { ...input, sensitive_data: ['compensation'] },
      body: { ...input, sensitive_data: ['compensation'], type: 'organization', expires_at: null, user_id: null },
      headers: (_, { id }) => ({ location: `https://stint.test/rest/v2/api-tokens/${id}` }),
      emits: created,
      audit: (_, { id }) => ({ subject_kind: 'api_tokens', subject_id: id }),
    },
    'without a choice it has no sensitive category': { input, body: { sensitive_data: [] }, emits: created },
    'reading may be given by who may write': {
      given: maker(['contracts:write']),
      as: asMaker,
      input,
      emits: created,
    },
    'a scope that the maker lacks is refused': {
      given: maker(['contracts:read']),
      as: asMaker,
      input: { name: 'x', scopes: ['people:read'] },
      answers: '403 insufficient_scope',
    },
    'writing is refused where the maker may read': {
      given: maker(['contracts:read']),
      as: asMaker,
      input: { name: 'x', scopes: ['contracts:write'] },
      answers: '403 insufficient_scope',
    },
    'a worker’s scope is refused: no token of the organization has it': {
      input: { name: 'x', scopes: ['worker:read'] },
      answers: '403 insufficient_scope',
    },
    'a category that the maker was not granted is refused': {
      as: 'client without sensitive data',
      input: { ...input, sensitive_data: ['compensation'] },
      answers: '403 sensitive_data_required',
    },
    'a token of the organization makes no personal one': {
      input: { ...input, type: 'personal' },
      answers: '403 insufficient_scope',
    },
    'a viewer makes a personal token': {
      as: 'viewer',
      input: { ...input, type: 'personal' },
      body: { type: 'personal', scopes: input.scopes },
      emits: created,
    },
    'a viewer makes no token of the organization': { as: 'viewer', input, answers: '403 insufficient_scope' },
    'an end less than an hour ahead is refused': {
      input: ending(hour_ms - 1),
      answers: '400 validation_failed',
      errors: ['/expires_at'],
    },
    'an end an hour ahead is taken': { input: ending(hour_ms), emits: created },
    'an end nine years ahead is taken': { input: ending(9 * 365 * day_ms), emits: created },
    'an end eleven years ahead is refused': {
      input: ending(11 * 366 * day_ms),
      answers: '400 validation_failed',
      errors: ['/expires_at'],
    },
    'an end in the past is refused': { input: ending(-1), answers: '400 validation_failed', errors: ['/expires_at'] },
    'an end after that of its maker is refused': {
      given: maker(['contracts:read'], { ends_in_ms: 2 * hour_ms }),
      as: asMaker,
      input: ending(3 * hour_ms),
      answers: '400 validation_failed',
      errors: ['/expires_at'],
    },
    'without an end it ends with its maker': {
      given: maker(['contracts:read'], { ends_in_ms: 2 * hour_ms }),
      as: asMaker,
      input,
      body: ({ expires_at }) => ({ expires_at }),
      emits: created,
    },
  },
  { unmet: asked_of_persons },
)

/** A personal token of somebody else, by its id. */
const personal = async (t: TestService): Promise<Body> => {
  const of_other = await memberToken(t, 'admin')
  const { data } = (await t.call('GET', '/api-tokens', { token: of_other, query: { types: 'personal' } })).body
  return { api_token_id: data[0].id, of_other }
}

cases('api_tokens.get', {
  'who may read tokens sees everything but the value': {
    given: token(),
    as: 'reader',
    body: ({ token: _, api_token_id, ...shown }) => shown,
    afterwards: async (_, { body }) => assert.ok(!('token' in body)),
  },
  'a user sees the own one': { given: personal, as: ({ of_other }) => of_other, body: { type: 'personal' } },
  'a user of a role that manages no tokens does not find one of the organization': {
    given: token(),
    as: 'viewer',
    answers: '404 not_found',
  },
  'a user of a role that manages no tokens does not find one of somebody else': {
    given: personal,
    as: 'viewer',
    answers: '404 not_found',
  },
})

cases('api_tokens.list', {
  'who may read tokens sees those of the organization, without their values': {
    given: token(),
    as: 'reader',
    body: (_, { data }) => ({ total_count: data.length }),
    afterwards: async (_, { given, body }) => {
      assert.ok(body.data.some(({ id }: Body) => id === given.api_token_id))
      assert.ok(body.data.every((shown: object) => !('token' in shown)))
    },
  },
  'a user of a role that manages no tokens sees the own ones': {
    given: token(),
    as: 'viewer',
    body: { data: [{ type: 'personal', name: 'test' }], total_count: 1 },
  },
  'a token without the scope sees none': {
    given: async ({ createToken, organization: { id } }) => ({
      none: await createToken(id, { scopes: ['contracts:read'] }),
    }),
    as: ({ none }) => none,
    answers: '403 insufficient_scope',
  },
})

cases(
  'api_tokens.rotate',
  {
    'the successor has the same rights, and stands in the former one': {
      given: token({ ...input, sensitive_data: ['compensation'] }),
      input: { overlap_s: 60 },
      body: { ...input, sensitive_data: ['compensation'] },
      headers: (_, { id }) => ({ location: `https://stint.test/rest/v2/api-tokens/${id}` }),
      emits: created,
      audit: { subject_kind: 'api_tokens' },
      async afterwards(t, { given, body }) {
        const former = (await t.call('GET', `/api-tokens/${given.id}`)).body
        assert.equal(former.successor_id, body.id)
        assert.equal(former.expires_at, new Date(t.clock.now() + 60_000).toISOString())
      },
    },
    'a token rotates itself without any scope for it': { given: token(), as: ({ token: own }) => own, emits: created },
    'a token that has a successor is refused': {
      async given(t) {
        const made = await token()(t)
        await t.call('POST', `/api-tokens/${made.id}/rotate`, { body: {} })
        return made
      },
      answers: '409 invalid_state',
    },
    'a token that was revoked is refused': {
      async given(t) {
        const made = await token()(t)
        await t.call('DELETE', `/api-tokens/${made.id}`)
        return made
      },
      answers: '409 invalid_state',
    },
    'a category that the caller was not granted is refused': {
      given: token({ ...input, sensitive_data: ['compensation'] }),
      as: 'client without sensitive data',
      answers: '403 sensitive_data_required',
    },
    'a scope that the caller lacks is refused': {
      given: async (t) => ({ ...(await token()(t)), ...(await maker(['people:read'])(t)) }),
      as: asMaker,
      answers: '403 insufficient_scope',
    },
    'a personal token of somebody else is not found': { given: personal, answers: '404 not_found' },
  },
  { unmet: asked_of_persons },
)

/** A token with which a client was made that has a permission by now. */
const withClient = async (t: TestService): Promise<Body> => {
  const made = await token({ name: 'maker', scopes: ['tokens:write', 'contracts:read'] })(t)
  const machine = { name: 'Nightly export', grant_types: ['client_credentials'], scopes: ['contracts:read'] }
  const { client_id, client_secret } = (await t.call('POST', '/oauth-clients', { token: made.token, body: machine }))
    .body
  const authorization = `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`
  assert.equal((await postForm(t, '/oauth/token', { grant_type: 'client_credentials' }, { authorization })).status, 200)
  return { ...made, client_id }
}

cases('api_tokens.delete', {
  'it ends, and its end is told': {
    given: token(),
    emits: ({ id }) => [['api-token.revoked', { credential_id: id, name: input.name }]],
    audit: ({ id }) => ({ subject_kind: 'api_tokens', subject_id: id }),
    async afterwards(t, { given }) {
      const { revoked_at, revoked_by } = (await t.call('GET', `/api-tokens/${given.id}`)).body
      assert.deepEqual([revoked_at, revoked_by.kind], [new Date(t.clock.now()).toISOString(), 'token'])
    },
  },
  'what was created with it ends with it': {
    given: withClient,
    emits: ({ id }) => [
      ['api-token.revoked', { credential_id: id }],
      ['oauth-grant.revoked', { name: 'Nightly export' }],
    ],
  },
  'a token ends itself without any scope for it': {
    given: token(),
    as: ({ token: own }) => own,
    emits: ['api-token.revoked'],
  },
  'another one takes the scope': {
    given: token(),
    as: 'reader',
    answers: '403 insufficient_scope',
  },
  'a role that manages no tokens ends none of others': {
    given: personal,
    as: 'viewer',
    answers: '403 insufficient_scope',
  },
})

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
