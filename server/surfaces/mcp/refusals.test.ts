import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { newToken } from '#identity/token-format.ts'
import { startTestService, type TestService } from '#test/service.ts'
import { createMember, modernRequest, type PostOptions, post, request } from '#test/tool-client.ts'
import { verifies } from '#test/verifies.ts'

let service: TestService
let token: string
before(async () => {
  service = await startTestService({ STINT_MCP_ALLOWED_ORIGINS: 'https://agent.example' })
  token = (await createMember(service)).token
})
after(() => service.close())

const challenge = 'Bearer resource_metadata="https://stint.test/.well-known/oauth-protected-resource/mcp"'
const call = (args: unknown = {}, name: unknown = 'list_organizations') =>
  request('tools/call', { name, arguments: args })
const modern = modernRequest('tools/call', { name: 'list_organizations', arguments: {} })

interface Case extends PostOptions {
  body?: string | Buffer | undefined
  /** Status and JSON-RPC code; no code where there is a result or nothing. */
  answers: [status: number, code?: number]
  /** Exactly this `WWW-Authenticate`; absent: none. */
  challenge?: string
  id?: string | number | null
}

/** Of the right form and kind: whether it is good, only the database says. */
const unknown = newToken('oauth', false)
const longName = 'x'.repeat(65_536)
const refused = { answers: [401, 401] as [number, number], challenge: `${challenge}, error="invalid_token"` }

/** Every named case of the authorization design, sections 8 and 9, that a single request shows. */
const cases: Record<string, Case> = {
  'mcp.host': { body: call(), headers: { host: 'evil.example' }, answers: [403, 403], id: null },
  'mcp.host: a look-alike': {
    body: call(),
    headers: { host: 'stint.test.evil.example' },
    answers: [403, 403],
    id: null,
  },
  'mcp.origin': { body: call(), headers: { origin: 'https://evil.example' }, answers: [403, 403], id: null },
  'mcp.origin: null': { body: call(), headers: { origin: 'null' }, answers: [403, 403], id: null },
  'mcp.origin: a look-alike of loopback': {
    body: call(),
    headers: { origin: 'http://localhost.evil.example' },
    answers: [403, 403],
    id: null,
  },
  'mcp.origin before the credential': {
    body: call(),
    headers: { origin: 'https://evil.example', authorization: 'Bearer wrong' },
    answers: [403, 403],
    id: null,
  },
  'GET is not served': { method: 'GET', answers: [405, 405], id: null },
  'DELETE is not served': { method: 'DELETE', answers: [405, 405], id: null },
  'PUT is not served': { method: 'PUT', body: call(), answers: [405, 405], id: null },
  'mcp.shape.two-megabytes': { body: `"${'x'.repeat(2_000_000)}"`, answers: [413, 413], id: null },
  'mcp.shape.media-type': { body: call(), headers: { 'content-type': 'text/plain' }, answers: [415, 415], id: null },
  'mcp.shape.not-json': { body: '{"jsonrpc"', answers: [400, -32_700], id: null },
  'mcp.shape.empty': { body: '', answers: [400, -32_700], id: null },
  'mcp.shape.invalid-utf8': {
    body: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]),
    answers: [400, -32_700],
    id: null,
  },
  'mcp.shape.batch': { body: `[${call()}]`, token: unknown, answers: [400, -32_600], id: null },
  'mcp.shape.empty-batch': { body: '[]', answers: [400, -32_600], id: null },
  'mcp.shape.text': { body: '"tools/call"', answers: [400, -32_600], id: null },
  'mcp.shape.response': { body: '{"jsonrpc":"2.0","id":1,"result":{}}', answers: [400, -32_600], id: null },
  'mcp.shape.error-response': {
    body: '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}',
    answers: [400, -32_600],
    id: null,
  },
  'mcp.shape.null-id': { body: request('tools/call', {}, null), answers: [400, -32_600], id: null },
  'mcp.shape.fraction-id': { body: request('ping', {}, 1.5), answers: [400, -32_600], id: null },
  'mcp.shape.no-jsonrpc': { body: '{"id":1,"method":"ping"}', answers: [400, -32_600], id: null },
  'mcp.shape.other-jsonrpc': { body: '{"jsonrpc":"1.0","id":1,"method":"ping"}', answers: [400, -32_600], id: null },
  'mcp.shape.method-number': { body: '{"jsonrpc":"2.0","id":1,"method":5}', answers: [400, -32_600], id: null },
  'mcp.shape.params-list': {
    body: '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}',
    answers: [400, -32_600],
    id: null,
  },
  'mcp.shape.before-credential': { body: '{"id":1}', token: unknown, answers: [400, -32_600], id: null },
  'mcp.shape.unknown-version': {
    ...modernRequest('tools/list', {}, '2099-01-01'),
    token: unknown,
    answers: [400, -32_022],
  },
  'mcp.shape.unknown-version-older': {
    body: request('tools/list'),
    headers: { 'mcp-protocol-version': '1999-01-01' },
    answers: [400, -32_000],
    id: null,
  },
  'mcp.shape.no-version-header': {
    body: modern.body,
    headers: { ...modern.headers, 'mcp-protocol-version': undefined },
    token: unknown,
    answers: [400, -32_020],
  },
  'mcp.shape.other-version-header': {
    body: modern.body,
    headers: { ...modern.headers, 'mcp-protocol-version': '2025-11-25' },
    answers: [400, -32_020],
  },
  'mcp.shape.no-method-header': {
    body: modern.body,
    headers: { ...modern.headers, 'mcp-method': undefined },
    answers: [400, -32_020],
  },
  'mcp.shape.other-method-header': {
    body: modern.body,
    headers: { ...modern.headers, 'mcp-method': 'tools/list' },
    answers: [400, -32_020],
  },
  'mcp.shape.no-name-header': {
    body: modern.body,
    headers: { ...modern.headers, 'mcp-name': undefined },
    answers: [400, -32_020],
  },
  'mcp.shape.other-name-header': {
    body: modern.body,
    headers: { ...modern.headers, 'mcp-name': 'list_contracts' },
    answers: [400, -32_020],
  },
  'mcp.shape.name-header-base64-other': {
    body: modern.body,
    headers: { ...modern.headers, 'mcp-name': `=?base64?${btoa('list_contracts')}?=` },
    answers: [400, -32_020],
  },
  'mcp.shape.name-header-bad-base64': {
    body: modern.body,
    headers: { ...modern.headers, 'mcp-name': '=?base64?***?=' },
    answers: [400, -32_020],
  },
  'a mistyped filter is not passed over': {
    body: request('tools/list'),
    url: '/mcp?read_only=1',
    answers: [400, -32_602],
  },
  'mcp.shape.unknown-toolset': { body: call(), url: '/mcp?toolsets=payroll', token: unknown, answers: [400, -32_602] },
  'mcp.shape.odd-readonly': { body: call(), url: '/mcp?readonly=maybe', answers: [400, -32_602] },
  'a call without a credential': { body: call(), answers: [401, 401], challenge },
  'a call without a credential, 2026-07-28': { ...modern, answers: [401, 401], challenge },
  'an unknown tool without a credential': { body: call({}, 'no_such_tool'), answers: [401, 401], challenge },
  'mcp.shape.long-name without a credential': { body: call({}, longName), answers: [401, 401], challenge },
  'mcp.shape.array-arguments without a credential': { body: call([1]), answers: [401, 401], challenge },
  'bearer.refresh': { body: call(), token: newToken('refresh', false), ...refused, id: null },
  'bearer.code': { body: call(), token: newToken('code', false), ...refused, id: null },
  'bearer.basic': { body: call(), headers: { authorization: `Basic ${btoa('a:b')}` }, ...refused, id: null },
  'bearer.long': { body: call(), token: 'a'.repeat(8_192), ...refused, id: null },
  'bearer.unknown': { body: call(), token: newToken('oauth', false), ...refused },
  'bearer.query': {
    body: call(),
    url: `/mcp?access_token=${newToken('oauth', false)}`,
    answers: [401, 401],
    challenge,
  },
  'bearer.body': { body: call({ access_token: newToken('oauth', false) }), answers: [401, 401], challenge },
  'a bad credential at an open method': { body: request('tools/list'), token: 'wrong', ...refused, id: null },
  'what cannot be a credential, before the body is looked at': {
    body: '{"id":1}',
    token: 'wrong',
    ...refused,
    id: null,
  },
  'a bad credential with a notification': {
    body: '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    token: 'wrong',
    ...refused,
    id: null,
  },
}

for (const [name, { body, answers, id = 7, challenge: expected, ...options }] of Object.entries(cases)) {
  test(name, async () => {
    const answer = await post(service, body, options)
    assert.deepEqual([answer.status, answer.body.error?.code], answers, JSON.stringify(answer.body))
    assert.equal(answer.body.id, id)
    assert.equal(answer.body.jsonrpc, '2.0')
    assert.equal(answer.headers['www-authenticate'], expected)
    assert.match(String(answer.headers['content-type']), /^application\/json/)
  })
}

test('a call without a valid token is answered exactly as the contract says', async () => {
  const { status, headers, body } = await post(service, call())
  verifies('7.tool-401', '4.6.protected-tool').deepEqual([status, headers['www-authenticate']], [401, challenge])
  assert.deepEqual(body, { jsonrpc: '2.0', id: 7, error: { code: 401, message: 'This tool needs an access token.' } })
})

test('initialize, server/discover, ping, tools/list and notifications answer without a credential', async () => {
  for (const body of [request('initialize', hello), request('ping'), request('tools/list')]) {
    const answer = await post(service, body)
    assert.equal(answer.status, 200)
    verifies('4.6.open-methods').ok(answer.body.result, JSON.stringify(answer.body))
  }
  for (const method of ['server/discover', 'tools/list']) {
    const { body, headers } = modernRequest(method)
    const answer = await post(service, body, { headers })
    assert.equal(answer.status, 200)
    assert.ok(answer.body.result, JSON.stringify(answer.body))
  }
  const noticed = await post(service, '{"jsonrpc":"2.0","method":"notifications/initialized"}')
  assert.deepEqual([noticed.status, noticed.body], [202, ''])
})

const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
const nestedHello = request('initialize', hello).replace(
  '"capabilities":{}',
  `"capabilities":{"experimental":{"a":{"b":${'['.repeat(50_000)}${']'.repeat(50_000)}}}}`,
)

/** Requests that a good credential does not help either, answered by the protocol. */
const answered: Record<string, Case> = {
  'an unknown method, older': { body: request('tools/forget'), answers: [200, -32_601] },
  'an unknown method, 2026-07-28': { ...modernRequest('tools/forget'), answers: [404, -32_601] },
  'no event stream is opened': { ...modernRequest('subscriptions/listen'), answers: [404, -32_601] },
  'an unknown tool': { body: call({}, 'no_such_tool'), answers: [200, -32_602] },
  'mcp.shape.proto-tool': { body: call({}, '__proto__'), answers: [200, -32_602] },
  'mcp.shape.constructor-tool': { body: call({}, 'constructor'), answers: [200, -32_602] },
  'mcp.shape.long-name': { body: call({}, longName), answers: [200, -32_602] },
  'mcp.shape.number-name': { body: call({}, 5), answers: [200, -32_602] },
  'mcp.shape.array-arguments': { body: call([1]), answers: [200, -32_602] },
  'mcp.shape.text-arguments': { body: call('limit=1'), answers: [200, -32_602] },
  'mcp.shape.null-arguments': { body: call(null), answers: [200, -32_602] },
  'a tool that a filter took away': { body: call(), url: '/mcp?toolsets=contracts', answers: [200, -32_602] },
  'regression: params that the method does not have': { body: request('initialize'), answers: [200, -32_602] },
  'regression: params nested 50,000 levels deep': { body: nestedHello, answers: [200, -32_602] },
  'a cursor for the list': { body: request('tools/list', { cursor: 'x' }), answers: [200, -32_602] },
}

for (const [name, { body, answers, ...options }] of Object.entries(answered)) {
  test(`with a good credential: ${name}`, async () => {
    const answer = await post(service, body, { token, ...options })
    assert.deepEqual([answer.status, answer.body.error?.code], answers, JSON.stringify(answer.body))
    assert.ok(JSON.stringify(answer.body).length < 1_000, 'nothing long is sent back')
    assert.doesNotMatch(JSON.stringify(answer.body), /\\n|"code\\"|invalid_type|expected/, 'no words of a validator')
  })
}

test('params that do not fit say what they should be, in both eras', async () => {
  const named = 'Invalid params: name is the name of a tool, a text.'
  const args = 'Invalid params: arguments is an object whose members are the arguments of the tool.'
  for (const [params, message] of [
    [{ name: 'list_contracts', arguments: [1] }, args],
    [{ name: 'list_contracts', arguments: null }, args],
    [{ name: 'list_contracts', arguments: 'limit=1' }, args],
    [{ name: 5 }, named],
    [{}, named],
  ] as [Record<string, unknown>, string][]) {
    const modern = modernRequest('tools/call', params)
    for (const { body, headers } of [{ body: request('tools/call', params), headers: {} }, modern]) {
      const answer = await post(service, body, { token, headers })
      assert.deepEqual([answer.status, answer.body.error], [200, { code: -32_602, message }])
    }
  }
})

test('a member of the envelope in another form is named, without the words of a validator', async () => {
  const { body, headers } = modernRequest('tools/list')
  const answer = await post(service, body.replace('{"name":"test","version":"1"}', '5'), { headers })
  const key = 'io.modelcontextprotocol/clientInfo'
  const message = `Invalid params: _meta lacks ${key}, or has it in another form.`
  assert.deepEqual([answer.status, answer.body.error], [400, { code: -32_602, message, data: { envelope: { key } } }])
  const older = await post(service, request('tools/list', { _meta: 5 }))
  assert.deepEqual([older.status, older.body.error.message], [400, 'The params hold _meta, which is an object.'])
})

test('server/discover names every revision that is served, and for how long that can be kept', async () => {
  const { body, headers } = modernRequest('server/discover')
  const { result } = (await post(service, body, { headers })).body
  assert.deepEqual(result.supportedVersions, ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'])
  assert.deepEqual([result.ttlMs, result.cacheScope], [300_000, 'public'])
  assert.deepEqual(result.capabilities, { tools: {} })
  assert.ok(result.instructions.length > 0)
  const unknown = modernRequest('tools/list', {}, '2099-01-01')
  const refused = (await post(service, unknown.body, { headers: unknown.headers })).body.error
  assert.deepEqual(refused.data, { supported: result.supportedVersions, requested: '2099-01-01' })
})

test('mcp.shape.proto-argument: a member called __proto__ is an unknown field like any other', async () => {
  const body = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"list_organizations","arguments":{"__proto__":{"limit":1}}}}`
  const { result } = (await post(service, body, { token })).body
  assert.equal(result.isError, true)
  assert.match(result.content[0].text, /^validation_failed: .*\n\/__proto__: is not a known field/)
})

for (const version of ['2025-11-25', '2025-06-18', '2025-03-26']) {
  test(`a client of ${version} is answered in its revision, lists and calls`, async () => {
    const offered = await post(service, request('initialize', { ...hello, protocolVersion: version }))
    assert.equal(offered.body.result.protocolVersion, version)
    const headers = { 'mcp-protocol-version': version }
    assert.equal((await post(service, request('tools/list'), { headers })).status, 200)
    const { result } = (await post(service, call(), { token, headers })).body
    assert.equal(JSON.parse(result.content[0].text).data[0].id, service.organization.id)
  })
}

test('a request without a revision counts as one of 2025-03-26; who asks for an unknown one is offered the newest older', async () => {
  assert.equal((await post(service, call(), { token })).body.result.isError, undefined)
  const { body } = await post(service, request('initialize', { ...hello, protocolVersion: '1999-01-01' }))
  assert.equal(body.result.protocolVersion, '2025-11-25')
})

test('a tool whose scope is lacking answers 403 and names the least scope that suffices', async () => {
  const { token: narrow } = await createMember(service, { scopes: ['people:read'] })
  const body = request('tools/call', { name: 'list_contract_amendments', arguments: {} })
  const answer = await post(service, body, { token: narrow })
  verifies('5.2.scopes').equal(answer.status, 403)
  assert.equal(answer.headers['www-authenticate'], `${challenge}, error="insufficient_scope", scope="contracts:read"`)
  assert.equal(answer.body.error.code, 403)
  assert.deepEqual(answer.body.error.data, { required_scopes: ['contracts:read', 'contracts:write'] })
  const write = await post(service, request('tools/call', { name: 'create_contract', arguments: {} }), {
    token: narrow,
  })
  assert.match(String(write.headers['www-authenticate']), /scope="contracts:write"$/)
})

const wrongKinds: Record<string, () => string> = {
  'an organization token': () => service.organization.token,
  'a worker token': () => newToken('worker', false),
  'a refresh token': () => newToken('refresh', true),
  'an authorization code': () => newToken('code', false),
  'a client secret': () => newToken('client_secret', false),
}

for (const [name, secret] of Object.entries(wrongKinds)) {
  test(`audience.org-at-mcp: ${name} does not open the tool server and is told so, and what does`, async () => {
    const { status, headers, body } = await post(service, call(), { token: secret() })
    assert.equal(status, 401)
    assert.equal(headers['www-authenticate'], `${challenge}, error="invalid_token"`)
    const words = 'Connect without a token, to be asked to sign in, or use a personal access token (stint_pat_…).'
    assert.equal(body.error.message, `This is ${name}, which does not open the tool server. ${words}`)
  })
}

test('a secret of the wrong kind is told so by the REST API too, and one whose checksum is wrong tells nothing', async () => {
  const answerTo = async (token: string) => (await service.call('GET', '/organizations', { token })).body.detail
  assert.match(
    await answerTo(newToken('refresh', false)),
    /^This is a refresh token, which does not open the REST API\./,
  )
  assert.match(await answerTo(newToken('refresh', false).slice(0, -1)), /^The token is not known/)
})

test('a personal access token opens the tool server', async () => {
  const { data } = (await post(service, call(), { token })).body.result.structuredContent
  verifies('5.2.personal-token').equal(data[0].id, service.organization.id)
})

test('pages of allowed origins are answered, and told that they may read the answer', async () => {
  for (const origin of ['https://stint.test', 'https://agent.example', 'http://localhost:6274', 'http://127.0.0.1:1']) {
    const { status, headers } = await post(service, call(), { headers: { origin } })
    assert.equal(status, 401)
    assert.equal(headers['access-control-allow-origin'], origin)
    assert.match(String(headers['access-control-expose-headers']), /www-authenticate/)
    assert.equal(headers.vary, 'Origin')
    assert.equal(headers['access-control-allow-credentials'], undefined)
  }
})

test('a preflight is answered 204 without a look at anything but Host and Origin', async () => {
  const headers = { origin: 'http://localhost:6274', 'content-type': undefined }
  const { status, headers: answered } = await post(service, undefined, { method: 'OPTIONS', headers, token: 'wrong' })
  assert.equal(status, 204)
  assert.equal(answered['access-control-allow-methods'], 'POST, OPTIONS')
  for (const name of ['authorization', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'x-mcp-readonly']) {
    assert.ok(String(answered['access-control-allow-headers']).includes(name), name)
  }
  const foreign = { origin: 'https://evil.example', 'content-type': undefined }
  assert.equal((await post(service, undefined, { method: 'OPTIONS', headers: foreign })).status, 403)
})

test('a client that accepts only one media type, or sends a session of another server, is served', async () => {
  for (const headers of [
    { accept: 'application/json' },
    { accept: '*/*' },
    { 'mcp-session-id': 'x', 'last-event-id': '1' },
  ]) {
    assert.equal((await post(service, request('ping'), { headers: headers as Record<string, string> })).status, 200)
  }
})

/** Messages that are right in most places, wrong in some, and headers that fit them or do not. */
const odd = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom('__proto__', '\ud800', 'x'.repeat(5_000), -0, 2 ** 53),
)
const methods = fc.constantFrom('initialize', 'server/discover', 'ping', 'tools/list', 'tools/call', 'resources/read')
const members = fc.record(
  {
    name: fc.oneof(fc.constantFrom('list_contracts', 'create_contract', 'no_such_tool'), odd),
    arguments: fc.oneof(
      fc.dictionary(fc.constantFrom('limit', 'cursor', 'contract_id', '__proto__', 'type'), odd),
      odd,
    ),
    _meta: fc.oneof(fc.constant(JSON.parse(modern.body).params._meta), odd),
    protocolVersion: odd,
    cursor: odd,
  },
  { requiredKeys: [] },
)
const messages = fc.record(
  {
    jsonrpc: fc.oneof({ weight: 9, arbitrary: fc.constant('2.0') }, odd),
    id: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(1, 'a') }, odd),
    method: fc.oneof({ weight: 9, arbitrary: methods }, odd),
    params: fc.oneof({ weight: 9, arbitrary: members }, odd),
  },
  { requiredKeys: ['jsonrpc', 'method'] },
)
const sentHeaders = fc.record(
  {
    'mcp-protocol-version': fc.constantFrom('2026-07-28', '2025-11-25', '2099-01-01', ''),
    'mcp-method': fc.constantFrom('tools/call', 'tools/list', ''),
    'mcp-name': fc.constantFrom('list_contracts', '=?base64?bGlzdA==?=', '=?base64?*?='),
    'x-mcp-readonly': fc.constantFrom('1', 'x'),
  },
  { requiredKeys: [] },
)

test('whatever is sent, nothing is a mistake of ours, and without a credential no tool is called', async () => {
  await fc.assert(
    fc.asyncProperty(messages, sentHeaders, fc.boolean(), async (message, headers, isOpen) => {
      const answer = await post(service, JSON.stringify(message), { headers, token: isOpen ? null : token })
      const shown = JSON.stringify(answer.body)
      assert.ok(answer.status < 500, shown)
      assert.notEqual(answer.body.error?.code, -32_603, shown)
      if (isOpen) assert.equal(answer.body.result?.content, undefined, shown)
    }),
    { numRuns: 400 },
  )
})
