import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  type Code,
  connect,
  type Overrides,
  obtainCode,
  pkce,
  postForm,
  redeem,
  redirect_uri,
  refresh,
  register,
  signIn,
} from '#test/oauth.ts'
import { startTestService, type TestService } from '#test/service.ts'
import { verifies } from '#test/verifies.ts'

const rest = { resource: 'https://stint.test/rest/v2' }
const day_ms = 86_400_000

let service: TestService
let client_id: string
before(async () => {
  service = await startTestService()
  client_id = (await register(service)).client_id
})
after(() => service.close())

// Signed in each time: the tests wait longer than a session lives.
const newCode = async () => obtainCode(service, client_id, await signIn(service), rest)
const works = async (token: string) => (await service.call('GET', '/contracts', { token })).status === 200
const invalid_grant = {
  error: 'invalid_grant',
  error_description: 'code: is not valid, has expired or was used already',
}

test('a code gives an access token for an hour and a refresh token for 30 days', async () => {
  const { status, body, headers } = await redeem(service, await newCode())
  assert.equal(status, 200)
  assert.deepEqual([headers['cache-control'], headers.pragma], ['no-store', 'no-cache'])
  const { token_type, expires_in, scope } = body
  verifies('8.access-token').deepEqual([token_type, expires_in, scope], ['Bearer', 3_600, 'contracts:read'])
  assert.match(body.access_token, /^stint_oat_[0-9A-Za-z]{49}$/)
  assert.match(body.refresh_token, /^stint_ort_[0-9A-Za-z]{49}$/)
  await service.clock.advance(3_600_000 - 1)
  const within = await works(body.access_token)
  await service.clock.advance(1)
  verifies('2.5.access-token', '8.access-token').deepEqual([within, await works(body.access_token)], [true, false])
  await service.clock.advance(30 * day_ms - 3_600_000 - 1)
  const last = await refresh(service, client_id, body.refresh_token)
  verifies('5.2.exchange').equal(last.status, 200)
  await service.clock.advance(30 * day_ms)
  assert.equal((await refresh(service, client_id, last.body.refresh_token)).status, 400)
})

test('code.replay: a second use is refused and ends the grant, with its audit line and event', async () => {
  const code = await newCode()
  const { body } = await redeem(service, code)
  await service.takeEvents()
  assert.deepEqual((await redeem(service, code)).body, invalid_grant)
  assert.ok(!(await works(body.access_token)))
  assert.equal((await refresh(service, client_id, body.refresh_token)).status, 400)
  const events = await service.takeEvents()
  assert.deepEqual(
    events.map(({ event_type, resource: [entry] }) => [event_type, entry?.name]),
    [['oauth-grant.revoked', 'Desk Assistant']],
  )
})

test('code.replay: one that lacks the verifier, the client or the address cannot cut the connection', async () => {
  const code = await newCode()
  const other = (await register(service)).client_id
  const { body } = await redeem(service, code)
  for (const overrides of [
    { code_verifier: pkce().verifier },
    { client_id: other },
    { redirect_uri: 'http://127.0.0.1:1/callback' },
  ]) {
    assert.deepEqual((await redeem(service, code, overrides)).body, invalid_grant)
  }
  assert.ok(await works(body.access_token))
})

test('code.parallel: of ten at once one gets tokens', async () => {
  const code = await newCode()
  const answers = await Promise.all(Array.from({ length: 10 }, () => redeem(service, code)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(9).fill(400)])
})

test('code.expired: after 60 seconds', async () => {
  const [early, late] = [await newCode(), await newCode()]
  await service.clock.advance(60_000 - 1)
  assert.equal((await redeem(service, early)).status, 200)
  await service.clock.advance(1)
  assert.deepEqual((await redeem(service, late)).body, invalid_grant)
})

const refused: [name: string, overrides: () => Promise<Overrides> | Overrides, error: string][] = [
  ['code.other-client', async () => ({ client_id: (await register(service)).client_id }), 'invalid_grant'],
  ['code.other-redirect', () => ({ redirect_uri: 'http://127.0.0.1:49152/other' }), 'invalid_grant'],
  ['code.other-redirect: another port', () => ({ redirect_uri: 'http://127.0.0.1:49153/callback' }), 'invalid_grant'],
  ['pkce.verifier.wrong', () => ({ code_verifier: pkce().verifier }), 'invalid_grant'],
  ['pkce.verifier.absent', () => ({ code_verifier: null }), 'invalid_request'],
  ['pkce.verifier.42', () => ({ code_verifier: 'a'.repeat(42) }), 'invalid_request'],
  ['pkce.verifier.129', () => ({ code_verifier: 'a'.repeat(129) }), 'invalid_request'],
  ['pkce.verifier.characters', () => ({ code_verifier: `${'a'.repeat(43)}+` }), 'invalid_request'],
  ['resource.other', () => ({ resource: 'https://stint.test/mcp' }), 'invalid_target'],
  ['resource.unknown', () => ({ resource: 'https://evil.example' }), 'invalid_target'],
  ['token.grant: missing', () => ({ grant_type: null }), 'invalid_request'],
  ['token.grant: unknown', () => ({ grant_type: 'x' }), 'unsupported_grant_type'],
  ['token.grant: password', () => ({ grant_type: 'password', username: 'a', password: 'b' }), 'unsupported_grant_type'],
  ['token.grant: __proto__', () => ({ grant_type: '__proto__' }), 'unsupported_grant_type'],
  ['token.grant: client_credentials', () => ({ grant_type: 'client_credentials' }), 'unauthorized_client'],
  ['code.absent', () => ({ code: null }), 'invalid_request'],
  ['code.malformed', () => ({ code: 'x' }), 'invalid_grant'],
]
for (const [name, overridesOf, error] of refused) {
  test(`${name} is refused with ${error}, and the code survives (code.survives)`, async () => {
    const code = await newCode()
    const { status, body, headers } = await redeem(service, code, await overridesOf())
    assert.deepEqual([status, body.error], [400, error])
    assert.match(body.error_description, /^[a-z_]+: [\x20-\x7e]+$/)
    assert.equal(headers['cache-control'], 'no-store')
    assert.equal((await redeem(service, code)).status, 200)
  })
}

test('pkce.verifier.challenge: the challenge is no verifier', async () => {
  const code = await newCode()
  assert.deepEqual((await redeem(service, { ...code, verifier: code.challenge })).body, invalid_grant)
  assert.equal((await redeem(service, code)).status, 200)
})

test('the redirect URI need not be repeated, nor the resource', async () => {
  assert.equal((await redeem(service, await newCode(), { redirect_uri: null })).status, 200)
  assert.equal((await redeem(service, await newCode(), { resource: rest.resource })).status, 200)
})

test('oracle.text: unknown, expired, used and revoked codes and tokens read alike', async () => {
  const textOf = async (work: Promise<{ status: number; body: unknown }>) => {
    const { status, body } = await work
    return JSON.stringify([status, body])
  }
  const [used, expired, unknown] = [await newCode(), await newCode(), await newCode()]
  await redeem(service, used)
  const { body } = await redeem(service, await newCode())
  const codes = new Set([
    await textOf(redeem(service, used)),
    await textOf(
      redeem(service, { ...unknown, code: `${unknown.code.slice(0, -1)}${unknown.code.endsWith('0') ? 1 : 0}` }),
    ),
    await textOf(redeem(service, { ...unknown, code: body.access_token })),
  ])
  await service.clock.advance(60_000)
  codes.add(await textOf(redeem(service, expired)))
  assert.equal(codes.size, 1)
  const next = (await refresh(service, client_id, body.refresh_token)).body.refresh_token
  const tokens = new Set([
    await textOf(refresh(service, client_id, body.refresh_token)),
    await textOf(refresh(service, client_id, 'nonsense')),
    await textOf(refresh(service, client_id, body.access_token)),
  ])
  await service.clock.advance(30 * day_ms)
  tokens.add(await textOf(refresh(service, client_id, next)))
  assert.equal(tokens.size, 1)
})

const malformed: [name: string, type: string, payload: string][] = [
  ['JSON', 'application/json', '{"grant_type":"authorization_code"}'],
  ['a media type that is none', ';;;', 'grant_type=authorization_code'],
  ['text', 'text/plain', 'grant_type=authorization_code'],
  ['multipart', 'multipart/form-data; boundary=x', '--x--'],
  ['nothing', 'application/x-www-form-urlencoded', ''],
]
for (const [name, type, payload] of malformed) {
  test(`token.form: ${name} is refused with invalid_request`, async () => {
    const answer = await service.app.inject({
      method: 'POST',
      url: '/oauth/token',
      headers: { 'content-type': type },
      payload,
    })
    assert.deepEqual([answer.statusCode, answer.json().error], [400, 'invalid_request'])
  })
}

test('token.form: a parameter that is sent twice, and 65 KiB', async () => {
  const send = (payload: string) =>
    service.app.inject({
      method: 'POST',
      url: '/oauth/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload,
    })
  const twice = await send(`grant_type=authorization_code&grant_type=authorization_code&client_id=${client_id}`)
  assert.deepEqual([twice.statusCode, twice.json().error], [400, 'invalid_request'])
  assert.equal((await send(`grant_type=${'x'.repeat(65 * 1024)}`)).statusCode, 413)
})

test('leak.headers: every answer of the flow is not stored, names no referrer, and redirects with 303 only', async () => {
  const code: Code = await newCode()
  const answers = [
    await service.app.inject({ url: '/oauth/authorize' }),
    await service.app.inject({
      url: `/oauth/authorize?client_id=${client_id}&redirect_uri=${encodeURIComponent(redirect_uri)}`,
    }),
    ...(await Promise.all(
      ['/oauth/token', '/oauth/revoke', '/oauth/introspect'].map((url) => service.app.inject({ method: 'POST', url })),
    )),
  ].map(({ statusCode: status, headers }) => ({ status, headers }))
  const posted = [await redeem(service, code), await postForm(service, '/oauth/revoke', { client_id, token: 'x' })]
  for (const { status, headers } of [...answers, ...posted]) {
    assert.equal(headers['cache-control'], 'no-store')
    assert.equal(headers['referrer-policy'], 'no-referrer')
    assert.ok(status < 300 || status > 399 || status === 303, String(status))
  }
})

test('leak.logs: no credential of the flow is in the log', async () => {
  const { access_token, refresh_token } = await connect(service, await signIn(service), rest)
  await refresh(service, client_id, refresh_token)
  const log = service.logged.join('\n')
  for (const secret of [access_token, refresh_token]) assert.ok(!log.includes(secret.slice(-20)))
  assert.doesNotMatch(log, /stint_(?:test_)?(?:org|pat|wkr|oat|ort|oac|ocs)_[0-9A-Za-z]{49}/)
})
