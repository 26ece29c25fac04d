import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { cases } from '#test/cases.ts'
import { clock_start } from '#test/contract-states.ts'
import { createContract, workerToken } from '#test/factories.ts'
import { connect, postForm, signIn } from '#test/oauth.ts'
import { startTestService, type TestService, useTestService } from '#test/service.ts'

let service: TestService
before(async () => {
  service = await startTestService()
  await service.clock.set(clock_start)
})
after(() => service.close())

const mint = (person_id: string, body: object = {}, token = service.organization.token) =>
  service.call('POST', `/people/${person_id}/worker-tokens`, { body, token })

const expires_at = '2026-06-16T09:00:00.000Z'

test('a worker token lives a day, sees what its minter sees, and its event holds no secret', async () => {
  const { worker_id } = await createContract(service)
  await service.takeEvents()
  const { status, body, headers } = await mint(worker_id)
  assert.equal(status, 201)
  assert.match(body.token, /^stint_wkr_/)
  assert.partialDeepStrictEqual(body, { person_id: worker_id, scopes: ['worker:read', 'worker:write'], expires_at })
  assert.equal(body.sensitive_data.length, 5)
  assert.equal(headers['cache-control'], 'no-store')
  const events = await service.takeEvents()
  assert.deepEqual(events, [
    {
      event_type: 'worker-token.created',
      resource: [{ credential_id: body.id, name: null, person_id: worker_id, scopes: body.scopes, expires_at }],
    },
  ])
  assert.equal(service.logged.join('').includes(body.token), false)
})

test('it acts for its person and holds no scope of the client', async () => {
  const { worker_id } = await createContract(service)
  const token = await workerToken(service, worker_id)
  assert.equal((await service.call('GET', '/worker/contracts', { token })).body.total_count, 1)
  for (const path of ['/contracts', '/people', `/people/${worker_id}`]) {
    assert.equal((await service.call('GET', path, { token })).status, 403)
  }
  assert.equal((await mint(worker_id, {}, token)).status, 403)
})

test('scopes can be left out, not added', async () => {
  const { worker_id, id } = await createContract(service)
  const { body } = await mint(worker_id, { scopes: ['worker:read'] })
  assert.deepEqual(body.scopes, ['worker:read'])
  const sign = { token: body.token, body: { signer_name: 'Jonas', terms_version: 1 } }
  assert.equal((await service.call('POST', `/worker/contracts/${id}/sign`, sign)).status, 403)
  for (const scopes of [[], ['contracts:read'], ['worker:read', 'people:read'], null]) {
    assert.equal((await mint(worker_id, { scopes })).status, 400)
  }
})

test('the next token of a person replaces the one before, also at once; others stay', async () => {
  const [{ worker_id }, other] = [await createContract(service), await createContract(service)]
  const works = async (token: string) => (await service.call('GET', '/worker/contracts', { token })).status === 200
  const first = await workerToken(service, worker_id)
  const theirs = await workerToken(service, other.worker_id)
  const minted = await Promise.all([mint(worker_id), mint(worker_id), mint(worker_id)])
  const living = await Promise.all(minted.map(({ body }) => works(body.token)))
  assert.deepEqual([await works(first), await works(theirs)], [false, true])
  assert.equal(living.filter(Boolean).length, 1)
})

test('it never sees more, or lives longer, than the credential that minted it', async () => {
  const { worker_id } = await createContract(service)
  const end = '2026-06-15T12:00:00.000Z'
  const minter = await service.createToken(service.organization.id, {
    scopes: ['tokens:write'],
    sensitive_data: ['home_address'],
    expires_at: end,
  })
  const { body } = await mint(worker_id, {}, minter)
  assert.deepEqual([body.sensitive_data, body.expires_at], [['home_address'], end])
})

test('a day later it is expired', async (t) => {
  const own = await useTestService(t)
  const { worker_id } = await createContract(own)
  const token = await workerToken(own, worker_id)
  await own.clock.advance(24 * 3_600_000)
  assert.equal((await own.call('GET', '/worker/contracts', { token })).status, 401)
})

test('a missing or foreign person has no token', async () => {
  const other = await service.createOrganization()
  const { worker_id } = await createContract(service, {}, other)
  for (const id of [worker_id, '019b8d2b-8c00-7a10-8c02-61f0d4b7a9e3', 'x']) {
    assert.equal((await mint(id)).status, 404)
  }
})

// Ticked by hand: a right to tokens is never ticked beforehand.
const wished = { scopes: ['tokens:write'] }
const rest = { resource: 'https://stint.test/rest/v2', scope: 'tokens:write' }
const ofUsers: [name: string, token: () => Promise<string>][] = [
  [
    'an app that a developer allowed tokens:write',
    async () => {
      return (await connect(service, await signIn(service, { role: 'developer' }), rest, wished)).access_token
    },
  ],
  [
    'a personal token of an owner',
    async () => {
      const { access_token: token } = await connect(service, await signIn(service), rest, wished)
      const body = { name: 'mine', type: 'personal', scopes: ['tokens:write'] }
      return (await service.call('POST', '/api-tokens', { token, body })).body.token
    },
  ],
  [
    'a token of the organization that such an app made',
    async () => {
      const { access_token: token } = await connect(service, await signIn(service), rest, wished)
      const body = { name: 'by an app', type: 'organization', scopes: ['tokens:write'] }
      return (await service.call('POST', '/api-tokens', { token, body })).body.token
    },
  ],
  [
    'a client of the organization that such an app made',
    async () => {
      const { access_token: token } = await connect(service, await signIn(service), rest, wished)
      const body = {
        name: 'by an app',
        application_type: 'web',
        grant_types: ['client_credentials'],
        token_endpoint_auth_method: 'client_secret_post',
        scopes: ['tokens:write'],
      }
      const { client_id, client_secret } = (await service.call('POST', '/oauth-clients', { token, body })).body
      const form = { grant_type: 'client_credentials', client_id, client_secret }
      return (await postForm(service, '/oauth/token', form)).body.access_token
    },
  ],
]
for (const [name, tokenOf] of ofUsers) {
  test(`rights: ${name} mints none, and the one before stays`, async () => {
    const { worker_id } = await createContract(service)
    const former = await workerToken(service, worker_id)
    const token = await tokenOf()
    assert.ok(token, 'no token to try with')
    const { status, body } = await mint(worker_id, {}, token)
    assert.deepEqual([status, body.code, body.required_scopes], [403, 'insufficient_scope', []])
    assert.equal((await service.call('GET', '/worker/contracts', { token: former })).status, 200)
  })
}

cases('people.create_worker_token', {
  'a worker token is told without its secret': {
    given: async (t) => ({ person_id: (await createContract(t)).worker_id }),
    input: { scopes: ['worker:read'] },
    body: ({ person_id }) => ({ person_id, scopes: ['worker:read'] }),
    emits: ({ person_id }, { id }) => [['worker-token.created', { credential_id: id, person_id }]],
    audit: (_, { id }) => ({ subject_id: id, changed_fields: ['scopes'] }),
  },
  'a scope of the client is refused': {
    given: async (t) => ({ person_id: (await createContract(t)).worker_id }),
    input: { scopes: ['contracts:read'] },
    answers: '400 validation_failed',
  },
})
