import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { base64url, type JWTPayload, SignJWT } from 'jose'
import { type ClientHost, startClientHost } from '#test/client-host.ts'
import { register } from '#test/oauth.ts'
import { answer, type Receiver } from '#test/receiver.ts'
import { assertNoSecretIn } from '#test/secrets.ts'
import { startTestService, type TestService } from '#test/service.ts'

let clients: ClientHost
let host: Receiver
let service: TestService
before(async () => {
  clients = await startClientHost()
  host = clients.host
  service = await startTestService(clients.settings)
})
after(async () => {
  assertNoSecretIn(service.logged)
  await service.close()
  await clients.close()
})

let networks = 0
/** Revokes a token that nobody knows: 200 once the client is who it says, 401 otherwise. */
async function present(fields: Record<string, string>, headers: Record<string, string> = {}, from?: string) {
  networks += 1
  const answer = await service.app.inject({
    method: 'POST',
    url: '/oauth/revoke',
    remoteAddress: from ?? `2001:db8:${networks.toString(16)}::1`,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: new URLSearchParams({ token: 'unknown', ...fields }).toString(),
  })
  return {
    status: answer.statusCode,
    headers: answer.headers,
    body: answer.body === '' ? null : JSON.parse(answer.body),
  }
}

const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
})

async function confidential(method: 'client_secret_basic' | 'client_secret_post') {
  const { client_id, client_secret } = await register(service, { token_endpoint_auth_method: method })
  return { client_id, client_secret: client_secret ?? assert.fail('no secret') }
}

async function isRefused(fields: Record<string, string>, headers: Record<string, string> = {}) {
  const refused = await present(fields, headers)
  assert.deepEqual([refused.status, refused.body?.error], [401, 'invalid_client'], JSON.stringify(refused.body))
  assert.equal(refused.headers['www-authenticate'], 'Basic realm="stint"')
  assert.equal(refused.headers['cache-control'], 'no-store')
  return refused.body.error_description
}

test('client.auth: a secret is accepted as it was registered to be sent, and not otherwise', async () => {
  const header = await confidential('client_secret_basic')
  const form = await confidential('client_secret_post')
  assert.equal((await present({}, basic(header.client_id, header.client_secret))).status, 200)
  assert.equal((await present({ ...form })).status, 200)
  await isRefused({ ...header })
  await isRefused({}, basic(form.client_id, form.client_secret))
})

test('client.auth: each wrong credential reads alike, and like an unknown client', async () => {
  const { client_id, client_secret } = await confidential('client_secret_basic')
  const other = await confidential('client_secret_basic')
  const open = await register(service)
  const post = await confidential('client_secret_post')
  const almost = `${client_secret.slice(0, -1)}${client_secret.endsWith('0') ? '1' : '0'}`
  const texts = [
    await isRefused({}, basic(client_id, almost)),
    await isRefused({}, basic(client_id, other.client_secret)),
    await isRefused({}, basic('cli_0000000000000000000000', client_secret)),
    await isRefused({ client_id }),
    await isRefused({ client_id: post.client_id }),
    await isRefused({ client_id: open.client_id, client_secret }),
    await isRefused({}, basic(open.client_id, client_secret)),
    await isRefused({ client_id: 'cli_0000000000000000000000' }),
    await isRefused({}),
  ]
  assert.equal(new Set(texts).size, 1)
})

const malformed: [name: string, authorization: string][] = [
  ['Bearer', 'Bearer stint_ocs_x'],
  ['no colon', `Basic ${Buffer.from('client').toString('base64')}`],
  ['no base64', 'Basic %%%'],
  ['nothing', 'Basic '],
  ['no scheme', 'abc'],
  ['broken percent', `Basic ${Buffer.from('a%zz:b%').toString('base64')}`],
  ['NUL', `Basic ${Buffer.from('a%00:b').toString('base64')}`],
  ['empty secret', `Basic ${Buffer.from('a:').toString('base64')}`],
]
for (const [name, authorization] of malformed) {
  test(`client.auth: an Authorization header with ${name} is refused`, () => isRefused({}, { authorization }))
}

test('client.auth: who is public comes without a secret; another name beside the header is refused', async () => {
  const { client_id } = await register(service)
  assert.equal((await present({ client_id })).status, 200)
  const own = await confidential('client_secret_basic')
  await isRefused({ client_id }, basic(own.client_id, own.client_secret))
  assert.equal((await present({ client_id: own.client_id }, basic(own.client_id, own.client_secret))).status, 200)
})

test('client.auth: two ways at once are refused', async () => {
  const { client_id, client_secret } = await confidential('client_secret_basic')
  const { status, body } = await present({ client_secret }, basic(client_id, client_secret))
  assert.deepEqual([status, body.error], [400, 'invalid_request'])
})

test('client.auth: after 60 failures at an address a wrong secret of this client answers 429, and the right one is taken', async () => {
  const { client_id, client_secret } = await confidential('client_secret_post')
  const from = (remoteAddress: string, secret: string) =>
    service.app.inject({
      method: 'POST',
      url: '/oauth/revoke',
      remoteAddress,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ token: 'unknown', client_id, client_secret: secret }).toString(),
    })
  for (let turn = 0; turn < 60; turn += 1) assert.equal((await from('192.0.2.50', 'wrong')).statusCode, 401)
  const beyond = await from('192.0.2.50', 'wrong')
  assert.deepEqual([beyond.statusCode, beyond.json().error], [429, 'temporarily_unavailable'])
  assert.equal((await from('192.0.2.50', client_secret)).statusCode, 200)
  assert.equal((await from('192.0.2.51', 'wrong')).statusCode, 401)
})

const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 })
const other_rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 })
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const ed = generateKeyPairSync('ed25519')
const jwk = (key: KeyObject, kid?: string) => ({ ...key.export({ format: 'jwk' }), ...(kid && { kid }) })
const assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

const signing = (fields: Record<string, unknown> = { jwks: { keys: [jwk(rsa.publicKey)] } }) =>
  register(service, { token_endpoint_auth_method: 'private_key_jwt', ...fields })

interface Signed {
  claims?: Record<string, unknown>
  header?: Record<string, unknown>
  key?: KeyObject
}

/** An assertion that holds, but for what a case changes; a claim of undefined is left out. */
function assertionOf(client_id: string, { claims = {}, header = {}, key = rsa.privateKey }: Signed = {}) {
  const now_s = Math.floor(service.clock.now() / 1_000)
  const payload = {
    iss: client_id,
    sub: client_id,
    aud: 'https://stint.test',
    exp: now_s + 240,
    iat: now_s,
    jti: randomBytes(8).toString('hex'),
    ...claims,
  }
  return new SignJWT(payload as JWTPayload)
    .setProtectedHeader({ alg: 'RS256', ...header })
    .sign(key, { crit: { x: true } })
}
const asserted = (client_assertion: string, more: Record<string, string> = {}) => ({
  client_assertion,
  client_assertion_type: assertion_type,
  ...more,
})

const algorithms: [alg: string, pair: { publicKey: KeyObject; privateKey: KeyObject }][] = [
  ['RS256', rsa],
  ['PS256', rsa],
  ['ES256', ec],
  ['EdDSA', ed],
]
for (const [alg, { publicKey, privateKey }] of algorithms) {
  test(`assertion: ${alg} is accepted for issuer and token endpoint, with and without client_id`, async () => {
    const { client_id } = await signing({ jwks: { keys: [jwk(other_rsa.publicKey, 'old'), jwk(publicKey, 'new')] } })
    for (const aud of ['https://stint.test', 'https://stint.test/oauth/token', ['https://stint.test']]) {
      const options = { header: { alg, kid: 'new' }, key: privateKey, claims: { aud } }
      assert.equal((await present(asserted(await assertionOf(client_id, options)))).status, 200)
      assert.equal((await present(asserted(await assertionOf(client_id, options), { client_id }))).status, 200)
    }
  })
}

test('assertion: keys without an id are each tried', async () => {
  const { client_id } = await signing({ jwks: { keys: [jwk(other_rsa.publicKey), jwk(rsa.publicKey)] } })
  assert.equal((await present(asserted(await assertionOf(client_id)))).status, 200)
})

const in_s = (seconds: number) => Math.floor(service.clock.now() / 1_000) + seconds
const wrong: [name: string, make: (client_id: string) => Signed][] = [
  ['another key', () => ({ key: other_rsa.privateKey })],
  ['an embedded key', () => ({ key: other_rsa.privateKey, header: { jwk: jwk(other_rsa.publicKey) } })],
  ['an embedded key beside the right one', () => ({ header: { jwk: jwk(rsa.publicKey) } })],
  ['jku', () => ({ header: { jku: 'https://evil.example/keys' } })],
  ['x5u', () => ({ header: { x5u: 'https://evil.example/cert' } })],
  ['x5c', () => ({ header: { x5c: ['AA'] } })],
  ['an unknown critical header', () => ({ header: { crit: ['x'], x: 1 } })],
  ['a wrong aud', () => ({ claims: { aud: 'https://evil.example' } })],
  ['no aud', () => ({ claims: { aud: undefined } })],
  ['an aud that names another too', () => ({ claims: { aud: ['https://stint.test', 'https://evil.example'] } })],
  ['aud of the API', () => ({ claims: { aud: 'https://stint.test/rest/v2' } })],
  ['another iss', () => ({ claims: { iss: 'somebody' } })],
  ['no iss', () => ({ claims: { iss: undefined } })],
  ['no exp', () => ({ claims: { exp: undefined } })],
  ['a past exp', () => ({ claims: { exp: in_s(-61) } })],
  ['a far exp', () => ({ claims: { exp: in_s(302) } })],
  ['iat in the future', () => ({ claims: { iat: in_s(62) } })],
  ['nbf in the future', () => ({ claims: { nbf: in_s(62) } })],
  ['no jti', () => ({ claims: { jti: undefined } })],
  ['an empty jti', () => ({ claims: { jti: '' } })],
  ['a long jti', () => ({ claims: { jti: 'a'.repeat(257) } })],
  ['a kid with SQL', () => ({ header: { kid: "' or 1=1 --" } })],
  ['a kid with a path', () => ({ header: { kid: '../../../dev/null' } })],
  ['the name of a prototype as kid', () => ({ header: { kid: '__proto__' } })],
]
for (const [name, make] of wrong) {
  test(`assertion: one with ${name} is refused`, async () => {
    const { client_id } = await signing({ jwks: { keys: [jwk(rsa.publicKey, 'known')] } })
    const made = make(client_id)
    await isRefused(asserted(await assertionOf(client_id, made), { client_id }))
  })
}

test('assertion: 60 seconds of tolerance hold at both ends', async () => {
  const { client_id } = await signing()
  for (const claims of [{ exp: in_s(-58) }, { iat: in_s(58), nbf: in_s(58) }]) {
    assert.equal((await present(asserted(await assertionOf(client_id, { claims })))).status, 200)
  }
})

test('assertion: another sub is another client', async () => {
  const { client_id } = await signing()
  const other = await signing({ jwks: { keys: [jwk(other_rsa.publicKey)] } })
  await isRefused(asserted(await assertionOf(client_id, { claims: { sub: other.client_id } })))
  await isRefused(asserted(await assertionOf(client_id), { client_id: other.client_id }))
})

const encode = (value: object) => base64url.encode(JSON.stringify(value))
test('assertion: none, and HS256 with the public key as its secret, are refused', async () => {
  const { client_id } = await signing()
  const payload = encode({ iss: client_id, sub: client_id, aud: 'https://stint.test', exp: in_s(60), jti: 'a' })
  for (const alg of ['none', 'None', 'NONE']) await isRefused(asserted(`${encode({ alg })}.${payload}.`))
  for (const secret of [rsa.publicKey.export({ format: 'pem', type: 'spki' }), JSON.stringify(jwk(rsa.publicKey))]) {
    const head = `${encode({ alg: 'HS256' })}.${payload}`
    const signature = createHmac('sha256', secret).update(head).digest('base64url')
    await isRefused(asserted(`${head}.${signature}`))
  }
})

test('assertion: what is no assertion is refused, whatever it is', async () => {
  const { client_id } = await signing()
  const good = await assertionOf(client_id)
  for (const text of ['x', 'a.b.c', '..', good.slice(0, -4), `${good}.x`, encode({}), 'a'.repeat(10_000)]) {
    await isRefused(asserted(text, { client_id }))
    await isRefused(asserted(text))
  }
  await isRefused({ client_assertion: good, client_id, client_assertion_type: 'jwt' })
  await isRefused({ client_assertion: good, client_id })
})

test('assertion: each holds once, also when it comes ten times at once', async () => {
  const { client_id } = await signing()
  const assertion = await assertionOf(client_id)
  const statuses = await Promise.all(
    Array.from({ length: 10 }, async () => (await present(asserted(assertion))).status),
  )
  assert.deepEqual(statuses.sort(), [200, ...Array(9).fill(401)])
  await isRefused(asserted(assertion))
})

test('assertion: a client that is registered for it cannot come with its name alone, nor another with an assertion', async () => {
  const { client_id } = await signing()
  await isRefused({ client_id })
  const open = await register(service)
  await isRefused(asserted(await assertionOf(open.client_id)))
})

const keySet = (...keys: object[]) =>
  answer({ headers: { 'content-type': 'application/jwk-set+json' }, body: JSON.stringify({ keys }) })

test('chatgpt.document: RS256 with keys at an address works; they are kept, and read again for a new kid once a minute', async () => {
  const jwks_uri = `https://localhost:${host.port}/jwks-${networks}.json`
  const { client_id } = await signing({ jwks_uri })
  const with_kid = (kid: string, key = rsa.privateKey) => assertionOf(client_id, { header: { kid }, key })
  const reads = () => host.requests.filter(({ path }) => jwks_uri.endsWith(path)).length
  host.script(keySet(jwk(rsa.publicKey, 'a'), { kty: 'oct', k: 'AA' }, { kty: 'unheard of' }))
  assert.equal((await present(asserted(await with_kid('a')))).status, 200)
  assert.equal((await present(asserted(await with_kid('a')))).status, 200)
  assert.equal(reads(), 1)
  await isRefused(asserted(await with_kid('b', other_rsa.privateKey)))
  assert.equal(reads(), 1)
  await service.clock.advance(61_000)
  host.script(keySet(jwk(rsa.publicKey, 'a'), jwk(other_rsa.publicKey, 'b')))
  assert.equal((await present(asserted(await with_kid('b', other_rsa.privateKey)))).status, 200)
  assert.equal(reads(), 2)
  await service.clock.advance(601_000)
  host.script(answer({ status: 500 }))
  assert.equal((await present(asserted(await with_kid('a')))).status, 200)
  assert.equal(reads(), 3)
})

for (const [name, behaviour] of [
  ['no set', answer({ headers: { 'content-type': 'application/json' }, body: '{"keys":{}}' })],
  ['an error', answer({ status: 404 })],
  ['a page', answer({ headers: { 'content-type': 'text/html' }, body: '{"keys":[]}' })],
] as const) {
  test(`assertion: keys at an address that answers ${name} are none`, async () => {
    const { client_id } = await signing({ jwks_uri: `https://localhost:${host.port}/none-${++networks}` })
    host.script(behaviour)
    await isRefused(asserted(await assertionOf(client_id)))
  })
}

test('assertion: keys that cannot be read for the moment are no bad credential, and old ones serve for a day', async () => {
  const { client_id } = await signing({ jwks_uri: `https://localhost:${host.port}/away-${++networks}` })
  const arrive = async () =>
    present(asserted(await assertionOf(client_id, { header: { kid: 'a' }, key: rsa.privateKey })))
  const isAway = async () => {
    host.script(answer({ status: 503 }))
    const { status, headers, body } = await arrive()
    assert.deepEqual([status, body.error, headers['retry-after']], [503, 'temporarily_unavailable', '5'])
  }
  await isAway()
  await service.clock.advance(61_000)
  host.script(keySet(jwk(rsa.publicKey, 'a')))
  assert.equal((await arrive()).status, 200)
  await service.clock.advance(86_399_000)
  host.script(answer({ status: 503 }))
  assert.equal((await arrive()).status, 200)
  await service.clock.advance(61_000)
  await isAway()
})

test('assertion: a network brings at most 60 new addresses of keys in an hour', async () => {
  const new_addresses_per_hour_max = 60
  const read = host.requests.length
  const remoteAddress = '2001:db8:ffff::1'
  const statuses: number[] = []
  for (let count = 0; count <= new_addresses_per_hour_max; count += 1) {
    const { client_id } = await signing({ jwks_uri: `https://localhost:${host.port}/many-${count}` })
    host.script(answer({ status: 404 }))
    statuses.push((await present(asserted(await assertionOf(client_id)), {}, remoteAddress)).status)
  }
  assert.deepEqual(statuses, [...Array(new_addresses_per_hour_max).fill(401), 429])
  assert.equal(host.requests.length - read, new_addresses_per_hour_max)
})

test('leak.headers: no answer of these endpoints is kept, and none names where it came from', async () => {
  for (const url of ['/oauth/register', '/oauth/token', '/oauth/revoke', '/oauth/introspect', '/oauth/authorize']) {
    for (const method of ['GET', 'POST', 'PUT'] as const) {
      const { headers, statusCode } = await service.app.inject({ method, url })
      assert.equal(headers['cache-control'], 'no-store', `${method} ${url}`)
      if (statusCode !== 405) assert.equal(headers.pragma, 'no-cache', `${method} ${url}`)
      assert.equal(headers['referrer-policy'], 'no-referrer', `${method} ${url}`)
    }
  }
})
