import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, test } from 'node:test'
import { sql } from '#db/database.ts'
import { assertNoSecretIn } from '#test/secrets.ts'
import { startTestService, type TestService } from '#test/service.ts'
import { verifies } from '#test/verifies.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(async () => {
  assertNoSecretIn(service.logged)
  await service.close()
})

let networks = 0
/** Each from an address of its own, so that the limits of other tests are not met. */
async function register(body: unknown, headers: Record<string, string> = {}) {
  networks += 1
  const answer = await service.app.inject({
    method: 'POST',
    url: '/oauth/register',
    remoteAddress: `2001:db8:${networks.toString(16)}::1`,
    headers: { 'content-type': 'application/json', ...headers },
    payload: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
  })
  return { status: answer.statusCode, headers: answer.headers, body: JSON.parse(answer.body) }
}

const desk = {
  client_name: 'Desk Assistant',
  redirect_uris: ['http://127.0.0.1/callback'],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
  application_type: 'native',
}

test('a public client registers and is told its id and every registered field, and no secret', async () => {
  const { status, headers, body } = await register(desk)
  assert.equal(status, 201)
  const { client_id, client_id_issued_at, ...fields } = body
  verifies('2.4.registration').match(client_id, /^cli_[0-9A-Za-z]{22}$/)
  assert.equal(client_id_issued_at, Math.floor(service.clock.now() / 1_000))
  verifies('2.4.registration').deepEqual(fields, desk)
  assert.equal(headers['cache-control'], 'no-store')
  assert.equal(headers['referrer-policy'], 'no-referrer')
  assert.equal(headers['access-control-allow-origin'], '*')
})

test('without a method the client gets a secret, which is stored as a digest only', async () => {
  const { token_endpoint_auth_method: _, ...rest } = desk
  const { body } = await register(rest)
  assert.equal(body.token_endpoint_auth_method, 'client_secret_basic')
  assert.equal(body.client_secret_expires_at, 0)
  assert.match(body.client_secret, /^stint_ocs_[0-9A-Za-z]{49}$/)
  const kept = await service.database.database.transaction({ role: 'owner' }, (tx) =>
    tx.row<{ kept: string }>(sql`
      select string_agg(row_to_json(c)::text || row_to_json(s)::text, '') as kept
      from oauth_clients c join oauth_client_secrets s using (client_id) where client_id = ${body.client_id}`),
  )
  assert.ok(kept?.kept && !kept.kept.includes(body.client_secret))
})

test('every optional field is stored and echoed, unknown ones are neither', async () => {
  const full = {
    ...desk,
    code_challenge_method: 'S256',
    application_type: 'web',
    client_uri: 'https://desk.example',
    logo_uri: 'https://desk.example/logo.png',
    client_description: 'Reads contracts\nand nothing else.',
    scope: 'contracts:read people:read',
  }
  const unknown = {
    software_id: 'x',
    contacts: ['a@desk.example'],
    client_id: 'mine',
    client_secret: 'mine',
    __proto__: {},
  }
  const { client_id, client_id_issued_at: _, ...fields } = (await register({ ...full, ...unknown })).body
  assert.deepEqual(fields, full)
  assert.notEqual(client_id, 'mine')
})

const named: [name: string, fields: Record<string, unknown>, expected?: Record<string, unknown>][] = [
  [
    'claude-code.dynamic',
    { redirect_uris: ['http://localhost:49152/callback'], application_type: undefined },
    { redirect_uris: ['http://localhost:49152/callback'] },
  ],
  ['claude-web.reregister', { redirect_uris: ['https://claude.ai/api/mcp/auth_callback'] }],
  [
    'vscode.dynamic',
    {
      redirect_uris: [
        'https://insiders.vscode.dev/redirect',
        'https://vscode.dev/redirect',
        'http://127.0.0.1/',
        'http://127.0.0.1:33418/',
      ],
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
    },
    { grant_types: ['authorization_code', 'refresh_token'] },
  ],
  ['cursor.scheme', { redirect_uris: ['cursor://anysphere.cursor-mcp/oauth/callback'], application_type: 'web' }],
  ['scopes of OpenID are ignored', { scope: 'openid offline_access contracts:read' }, { scope: 'contracts:read' }],
  ['a value that is null is no value', { logo_uri: null, client_uri: '' }],
  ['150 characters, counted as people count them', { client_name: '😀'.repeat(150) }],
]
for (const [name, fields, expected = {}] of named) {
  test(`${name}: is registered`, async () => {
    const { status, body } = await register({ ...desk, ...fields })
    assert.equal(status, 201, JSON.stringify(body))
    for (const [field, value] of Object.entries(expected)) assert.deepEqual(body[field], value)
  })
}

const surplus: [name: string, fields: Record<string, unknown>][] = [
  ['the password grant', { grant_types: ['password', 'refresh_token', 'authorization_code'] }],
  [
    'the implicit grant and its response',
    { grant_types: ['authorization_code', 'implicit', 'refresh_token'], response_types: ['code', 'token', 'id_token'] },
  ],
  ['client credentials', { grant_types: ['authorization_code', 'client_credentials', 'refresh_token'] }],
  [
    'the device grant',
    { grant_types: ['refresh_token', 'urn:ietf:params:oauth:grant-type:device_code', 'authorization_code'] },
  ],
  [
    'a type twice',
    { grant_types: ['authorization_code', 'refresh_token', 'refresh_token'], response_types: ['code', 'code'] },
  ],
  [
    'a type that nobody knows',
    { grant_types: ['authorization_code', 'refresh_token', 'magic'], response_types: ['magic', 'code'] },
  ],
]
for (const [name, fields] of surplus) {
  test(`further grant and response types are dropped, and the answer says the same whatever was dropped: ${name}`, async () => {
    const { status, body } = await register({ ...desk, ...fields })
    assert.equal(status, 201, JSON.stringify(body))
    assert.deepEqual([body.grant_types, body.response_types], [['authorization_code', 'refresh_token'], ['code']])
  })
}

test('claude-web.reregister: the same client registers twice at once from one address and gets two ids', async () => {
  const web = { ...desk, redirect_uris: ['https://claude.ai/api/mcp/auth_callback'] }
  const post = () =>
    service.app.inject({ method: 'POST', url: '/oauth/register', remoteAddress: '192.0.2.7', payload: web })
  const ids = (await Promise.all([post(), post()])).map((answer) => [answer.statusCode, answer.json().client_id])
  assert.deepEqual([ids[0]?.[0], ids[1]?.[0]], [201, 201])
  assert.notEqual(ids[0]?.[1], ids[1]?.[1])
})

const publicKey = (bits: number) =>
  generateKeyPairSync('rsa', { modulusLength: bits }).publicKey.export({ format: 'jwk' })
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const signed = { ...desk, token_endpoint_auth_method: 'private_key_jwt' }

test('a client that signs registers its public keys or where they are', async () => {
  const jwks = { keys: [{ ...ec.publicKey.export({ format: 'jwk' }), kid: 'a', alg: 'ES256' }, publicKey(2_048)] }
  const { status, body } = await register({ ...signed, jwks })
  assert.equal(status, 201, JSON.stringify(body))
  assert.deepEqual(body.jwks, jwks)
  assert.equal(body.client_secret, undefined)
  const there = await register({ ...signed, jwks_uri: 'https://desk.example/jwks.json' })
  assert.deepEqual([there.status, there.body.jwks_uri], [201, 'https://desk.example/jwks.json'])
})

const without = (field: string) => Object.fromEntries(Object.entries(desk).filter(([name]) => name !== field))
const refused: [name: string, body: unknown, code: string, field: string][] = [
  ...(['client_name', 'redirect_uris', 'grant_types', 'response_types'] as const).flatMap(
    (field): [string, unknown, string, string][] => [
      [`${field} absent`, without(field), 'invalid_client_metadata', field],
      [`${field} null`, { ...desk, [field]: null }, 'invalid_client_metadata', field],
      [`${field} of wrong type`, { ...desk, [field]: { length: 1 } }, 'invalid_client_metadata', field],
      [
        `${field} empty`,
        { ...desk, [field]: field === 'client_name' ? '' : [] },
        field === 'redirect_uris' ? 'invalid_redirect_uri' : 'invalid_client_metadata',
        field,
      ],
    ],
  ),
  ['redirect_uris with a number', { ...desk, redirect_uris: [1] }, 'invalid_client_metadata', 'redirect_uris'],
  [
    'redirect_uris as text',
    { ...desk, redirect_uris: 'https://a.example' },
    'invalid_client_metadata',
    'redirect_uris',
  ],
  ['client_name of blanks', { ...desk, client_name: ' \t ' }, 'invalid_client_metadata', 'client_name'],
  [
    'client_name that nobody sees',
    { ...desk, client_name: '\u200b\u202e\u3164\u2800\u00ad\ufeff' },
    'invalid_client_metadata',
    'client_name',
  ],
  ['151 characters', { ...desk, client_name: 'a'.repeat(151) }, 'invalid_client_metadata', 'client_name'],
  ['a line break in the name', { ...desk, client_name: 'Desk\nAssistant' }, 'invalid_client_metadata', 'client_name'],
  [
    'a name that turns around',
    { ...desk, client_name: 'Desk \u202etnatsissA' },
    'invalid_client_metadata',
    'client_name',
  ],
  [
    'a tab in the description',
    { ...desk, client_description: 'a\tb' },
    'invalid_client_metadata',
    'client_description',
  ],
  ['a member twice', `{"client_name":"A",${JSON.stringify(desk).slice(1)}`, 'invalid_client_metadata', 'body'],
  ['NUL in the name', { ...desk, client_name: 'a\0b' }, 'invalid_client_metadata', 'client_name'],
  ['half a character', { ...desk, client_name: 'a\ud800' }, 'invalid_client_metadata', 'client_name'],
  [
    'grant client_credentials alone',
    { ...desk, grant_types: ['client_credentials'] },
    'invalid_client_metadata',
    'grant_types',
  ],
  ['response type token alone', { ...desk, response_types: ['token'] }, 'invalid_client_metadata', 'response_types'],
  ['only refreshing', { ...desk, grant_types: ['refresh_token'] }, 'invalid_client_metadata', 'grant_types'],
  [
    'unknown method',
    { ...desk, token_endpoint_auth_method: 'client_secret_jwt' },
    'invalid_client_metadata',
    'token_endpoint_auth_method',
  ],
  ['plain', { ...desk, code_challenge_method: 'plain' }, 'invalid_client_metadata', 'code_challenge_method'],
  ['application_type', { ...desk, application_type: 'browser' }, 'invalid_client_metadata', 'application_type'],
  ['client_uri of a script', { ...desk, client_uri: 'javascript:alert(1)' }, 'invalid_client_metadata', 'client_uri'],
  ['logo_uri of data', { ...desk, logo_uri: 'data:image/png;base64,AA' }, 'invalid_client_metadata', 'logo_uri'],
  ['client_uri relative', { ...desk, client_uri: '/here' }, 'invalid_client_metadata', 'client_uri'],
  [
    'client_uri too long',
    { ...desk, client_uri: `https://a.example/${'a'.repeat(2_048)}` },
    'invalid_client_metadata',
    'client_uri',
  ],
  [
    'client_description too long',
    { ...desk, client_description: 'a'.repeat(1_001) },
    'invalid_client_metadata',
    'client_description',
  ],
  ['unknown scope', { ...desk, scope: 'contracts:read contracts:destroy' }, 'invalid_client_metadata', 'scope'],
  ['scope as list', { ...desk, scope: ['contracts:read'] }, 'invalid_client_metadata', 'scope'],
  ['no key', signed, 'invalid_client_metadata', 'jwks'],
  ['keys twice', { ...signed, jwks: { keys: [] }, jwks_uri: 'https://a.example/k' }, 'invalid_client_metadata', 'jwks'],
  ['no keys in the set', { ...signed, jwks: { keys: [] } }, 'invalid_client_metadata', 'jwks'],
  ['11 keys', { ...signed, jwks: { keys: Array(11).fill(publicKey(2_048)) } }, 'invalid_client_metadata', 'jwks'],
  ['weak key', { ...signed, jwks: { keys: [publicKey(1_024)] } }, 'invalid_client_metadata', 'jwks'],
  [
    'private key',
    { ...signed, jwks: { keys: [ec.privateKey.export({ format: 'jwk' })] } },
    'invalid_client_metadata',
    'jwks',
  ],
  ['symmetric key', { ...signed, jwks: { keys: [{ kty: 'oct', k: 'AA' }] } }, 'invalid_client_metadata', 'jwks'],
  ['broken key', { ...signed, jwks: { keys: [{ kty: 'RSA', n: 'x', e: 1 }] } }, 'invalid_client_metadata', 'jwks'],
  [
    'key with NUL',
    { ...signed, jwks: { keys: [{ ...publicKey(2_048), kid: '\0' }] } },
    'invalid_client_metadata',
    'jwks',
  ],
  ['jwks_uri over http', { ...signed, jwks_uri: 'http://a.example/k' }, 'invalid_client_metadata', 'jwks_uri'],
  ['__proto__ as the fields', `{"__proto__": ${JSON.stringify(desk)}}`, 'invalid_client_metadata', 'client_name'],
  ['no JSON', '{"client_name"', 'invalid_client_metadata', 'body'],
  ['a list', [desk], 'invalid_client_metadata', 'body'],
  ['null', 'null', 'invalid_client_metadata', 'body'],
  ['nothing', '', 'invalid_client_metadata', 'body'],
  ['bytes that are no text', Buffer.from([0x22, 0xff, 0x22]), 'invalid_client_metadata', 'body'],
  [
    '11 redirect URIs',
    { ...desk, redirect_uris: Array.from({ length: 11 }, (_, at) => `https://a.example/${at}`) },
    'invalid_redirect_uri',
    'redirect_uris',
  ],
]
for (const [name, body, code, field] of refused) {
  test(`register.field: ${name} is refused, naming the field and quoting nothing`, async () => {
    const answer = await register(body)
    assert.deepEqual([answer.status, answer.body.error], [400, code], JSON.stringify(answer.body))
    assert.ok(answer.body.error_description.startsWith(`${field}: `), answer.body.error_description)
    assert.match(answer.body.error_description, /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/)
    assert.deepEqual(Object.keys(answer.body), ['error', 'error_description'])
    assert.equal(answer.headers['cache-control'], 'no-store')
  })
}

const statusesOf = (bodies: object[]) => Promise.all(bodies.map(async (body) => (await register(body)).status))

test('a name of 150 characters is registered; one of 151, and none, are not', async () => {
  const names = [150, 151].map((length) => ({ ...desk, client_name: 'a'.repeat(length) }))
  const statuses = await statusesOf([...names, without('client_name')])
  verifies('2.4.client-name', '8.client-name').deepEqual(statuses, [201, 400, 400])
})

test('one redirect URI is enough; an empty list, and none, are not', async () => {
  const statuses = await statusesOf([desk, { ...desk, redirect_uris: [] }, without('redirect_uris')])
  verifies('2.4.redirect-uris', '8.redirect-uris').deepEqual(statuses, [201, 400, 400])
})

test('the grant authorization_code and the response type code are required', async () => {
  const grants = [['authorization_code'], ['refresh_token'], []].map((grant_types) => ({ ...desk, grant_types }))
  const granted = await statusesOf([...grants, without('grant_types')])
  verifies('2.4.grant-types').deepEqual(granted, [201, 400, 400, 400])
  const types = [['code'], ['token'], []].map((response_types) => ({ ...desk, response_types }))
  verifies('2.4.response-types').deepEqual(
    await statusesOf([...types, without('response_types')]),
    [201, 400, 400, 400],
  )
})

test('the other fields may be left out, and are taken with the values that the contract lists', async () => {
  const taken = (field: string, values: unknown[]) =>
    statusesOf([without(field), ...values.map((value) => ({ ...desk, [field]: value }))])
  const method = 'token_endpoint_auth_method'
  verifies('2.4.token-endpoint-auth-method').deepEqual(await taken(method, ['none', 'x']), [201, 201, 400])
  const challenges = await taken('code_challenge_method', ['S256', 'plain'])
  verifies('2.4.code-challenge-method').deepEqual(challenges, [201, 201, 400])
  const types = await taken('application_type', ['web', 'native', 'browser'])
  verifies('2.4.application-type').deepEqual(types, [201, 201, 201, 400])
  verifies('2.4.client-uri').deepEqual(await taken('client_uri', ['https://desk.example', '/here']), [201, 201, 400])
  verifies('2.4.logo-uri').deepEqual(await taken('logo_uri', ['https://desk.example/a.png', '/a']), [201, 201, 400])
  verifies('2.4.client-description').deepEqual(await taken('client_description', ['Reads.', 5]), [201, 201, 400])
})

test('a bad redirect URI is named by its place', async () => {
  const redirect_uris = ['https://a.example/cb', 'javascript:alert(1)']
  const { body } = await register({ ...desk, redirect_uris })
  assert.equal(body.error, 'invalid_redirect_uri')
  assert.match(body.error_description, /^redirect_uris: entry 1 /)
})

test('register.field: 200 kB are too large, whatever is in them', async () => {
  const { status, body } = await register({ ...desk, padding: 'a'.repeat(200_000) })
  assert.deepEqual([status, body.error], [413, 'invalid_client_metadata'])
})

for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'not a type', 'application/jsonx']) {
  test(`register.field: a body sent as ${type} is refused`, async () => {
    const { status, body } = await register(desk, { 'content-type': type })
    assert.deepEqual([status, body.error], [400, 'invalid_client_metadata'])
  })
}

test('another method answers 405 and names what there is; a preflight passes', async () => {
  for (const method of ['GET', 'PUT', 'DELETE', 'PATCH'] as const) {
    const answer = await service.app.inject({ method, url: '/oauth/register' })
    assert.deepEqual([answer.statusCode, answer.headers.allow], [405, 'OPTIONS, POST'])
  }
  const preflight = await service.app.inject({ method: 'OPTIONS', url: '/oauth/register' })
  assert.deepEqual([preflight.statusCode, preflight.headers['access-control-allow-methods']], [204, 'POST'])
})

test('refused registrations use up a budget of their own, and the 429 says what was counted and until when', async () => {
  const remoteAddress = '198.51.100.1'
  const post = (payload: object) =>
    service.app.inject({ method: 'POST', url: '/oauth/register', remoteAddress, payload })
  for (let turn = 0; turn < 30; turn += 1) assert.equal((await post({})).statusCode, 400)
  const answer = await post({})
  assert.deepEqual([answer.statusCode, answer.json().error], [429, 'temporarily_unavailable'])
  assert.match(String(answer.headers['retry-after']), /^\d+$/)
  assert.equal(
    answer.json().error_description,
    `request: more than 30 refused registrations from this address within 10 minutes; come again in ${answer.headers['retry-after']} seconds`,
  )
  assert.equal((await post(desk)).statusCode, 201, 'who is right is not kept waiting for who is wrong')
  await service.clock.advance(601_000)
  assert.equal((await post({})).statusCode, 400)
})

test('beyond 300 registrations in an hour an address waits', async () => {
  const statuses = new Map<number, number>()
  for (let turn = 0; turn < 302; turn += 1) {
    const remoteAddress = `2001:db8:ffff::${turn.toString(16)}`
    const { statusCode } = await service.app.inject({
      method: 'POST',
      url: '/oauth/register',
      remoteAddress,
      payload: desk,
    })
    statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1)
  }
  assert.deepEqual(
    [...statuses],
    [
      [201, 300],
      [429, 2],
    ],
  )
})

test('an international client_uri is kept in ASCII, where a look-alike shows', async () => {
  const { body } = await register({ ...desk, client_uri: 'https://\u0430pple.example/a' })
  assert.equal(body.client_uri, 'https://xn--pple-43d.example/a')
})
