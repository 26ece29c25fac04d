import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createGuardedGet } from '#outbound/guarded-get.ts'
import { createResolver } from '#outbound/resolver.ts'
import { type ClientHost, startClientHost } from '#test/client-host.ts'
import { addresses, startDnsServer } from '#test/dns-server.ts'
import { consent, postForm, signIn } from '#test/oauth.ts'
import { freePort } from '#test/process.ts'
import { answer, type Behaviour, drip, endless, hang, head, type Receiver, redirect } from '#test/receiver.ts'
import { startTestService, type TestService } from '#test/service.ts'
import { documentAddress, freshnessOf } from './client-documents.ts'

let clients: ClientHost
let host: Receiver
let service: TestService
before(async () => {
  clients = await startClientHost()
  host = clients.host
  service = await startTestService(clients.settings)
})
after(async () => {
  await service.close()
  await clients.close()
})

const callback = 'http://127.0.0.1/callback'
let made = 0

/** The address of a document that nobody asked for before. */
const newAddress = () => `https://localhost:${host.port}/client-${++made}.json`
const documentOf = (client_id: string, fields: Record<string, unknown> = {}) => ({
  client_id,
  client_name: 'Claude Code',
  client_uri: 'https://claude.ai',
  redirect_uris: ['http://localhost/callback', callback],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
  ...fields,
})
const json = (value: unknown, headers: Record<string, string> = {}): Behaviour =>
  answer({ headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(value) })

/** Sends a browser with this client_id; 303 leads on to the consent page, 400 is the page that leads nowhere. */
async function authorize(client_id: string, redirect_uri = callback): Promise<{ status: number; location: string }> {
  const query = {
    client_id,
    redirect_uri,
    response_type: 'code',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  }
  // Each from a network of its own, so that no limit of another test is met.
  const remoteAddress = `2001:db8:${(++made).toString(16)}::1`
  const { statusCode, headers } = await service.app.inject({ url: '/oauth/authorize', query, remoteAddress })
  return { status: statusCode, location: String(headers.location ?? '') }
}
/** A server of somebody else that is away is information: no error, no stack. */
function assertNoFaultIn({ logged }: TestService): void {
  const lines = logged.map((line) => JSON.parse(line) as { level: string | number; err?: unknown })
  assert.deepEqual(
    lines.filter(({ level, err }) => err !== undefined || level === 'error' || Number(level) >= 50),
    [],
  )
}
const fetches = (client_id: string) => host.requests.filter(({ path }) => path === new URL(client_id).pathname).length

const named: [name: string, fields: Record<string, unknown>, redirect_uri: string][] = [
  ['claude-code.document', {}, 'http://localhost:49152/callback'],
  [
    'chatgpt.document',
    {
      redirect_uris: ['https://chatgpt.com/connector/oauth/a1'],
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
      jwks_uri: 'https://chatgpt.com/oauth/a1/jwks.json',
    },
    'https://chatgpt.com/connector/oauth/a1',
  ],
  [
    'vscode.document',
    {
      redirect_uris: ['http://127.0.0.1:33418/', 'https://vscode.dev/redirect'],
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      scope: 'something:else contracts:read',
      logo_uri: 'data:image/png;base64,AA',
    },
    'http://127.0.0.1:40001/',
  ],
  ['no method and no grants', { token_endpoint_auth_method: undefined, grant_types: undefined }, callback],
]
for (const [name, fields, redirect_uri] of named) {
  test(`${name}: its document is read and its browser goes on to the consent page`, async () => {
    const client_id = newAddress()
    host.script(json(documentOf(client_id, fields)))
    const { status, location } = await authorize(client_id, redirect_uri)
    assert.equal(status, 303)
    assert.match(location, /^https:\/\/stint\.test\/console\/authorize\/[\w-]{43}$/)
    const { body } = await consent(service, 'GET', location.split('/').at(-1) ?? '', await signIn(service))
    const { host: proven } = new URL(client_id)
    assert.deepEqual(body.client.document_host, { host: proven, unicode_host: proven, mixed_scripts: [] })
    assert.equal((await authorize(client_id, 'https://evil.example/')).status, 400)
    assert.equal(fetches(client_id), 1)
  })
}

test('the request for a document names no user, sends no credential and asks for JSON', async () => {
  const client_id = newAddress()
  host.script(json(documentOf(client_id)))
  await authorize(client_id)
  const request = host.requests.at(-1)
  assert.equal(request?.method, 'GET')
  assert.deepEqual(Object.keys(request?.headers ?? {}).sort(), ['accept', 'connection', 'host', 'user-agent'])
})

const answers: [name: string, behaviour: (client_id: string) => Behaviour][] = [
  ['redirect', (id) => redirect(302, id)],
  ['not found', () => answer({ status: 404 })],
  ['6 KiB', (id) => json(documentOf(id, { padding: 'a'.repeat(6_000) }))],
  ['endless', () => endless({ 'content-type': 'application/json' }, Buffer.alloc(65_536, 0x20), 1_000)],
  ['wrong type', (id) => answer({ headers: { 'content-type': 'text/html' }, body: JSON.stringify(documentOf(id)) })],
  ['no type', (id) => answer({ body: JSON.stringify(documentOf(id)) })],
  ['other client_id', (id) => json(documentOf(`${id}x`))],
  ['no client_id', (id) => json({ ...documentOf(id), client_id: undefined })],
  ['shared-secret method', (id) => json(documentOf(id, { token_endpoint_auth_method: 'client_secret_basic' }))],
  ['unknown method', (id) => json(documentOf(id, { token_endpoint_auth_method: 'tls_client_auth' }))],
  ['signing without keys', (id) => json(documentOf(id, { token_endpoint_auth_method: 'private_key_jwt' }))],
  ['no name', (id) => json(documentOf(id, { client_name: '' }))],
  ['a name that nobody sees', (id) => json(documentOf(id, { client_name: '\u200b\u2066' }))],
  ['NUL in the name', (id) => json(documentOf(id, { client_name: 'a\0' }))],
  ['script as redirect', (id) => json(documentOf(id, { redirect_uris: ['javascript:alert(1)'] }))],
  ['no redirect', (id) => json(documentOf(id, { redirect_uris: [] }))],
  ['other grants', (id) => json(documentOf(id, { grant_types: ['client_credentials'] }))],
  ['a list', (id) => json([documentOf(id)])],
  ['no JSON', () => answer({ headers: { 'content-type': 'application/json' }, body: '{' })],
  ['not UTF-8', () => answer({ headers: { 'content-type': 'application/json' }, body: Buffer.from([0x7b, 0xff]) })],
  [
    'broken off',
    () => (socket) => void socket.end(head(200, { 'content-length': '500', 'content-type': 'application/json' })),
  ],
]
for (const [name, behaviour] of answers) {
  test(`document.answer: ${name} is an unknown client, and is not asked for again within a minute`, async () => {
    const client_id = newAddress()
    host.script(behaviour(client_id))
    assert.equal((await authorize(client_id)).status, 400)
    assert.match(
      await pageOf(service, client_id),
      /<strong>localhost:\d+<\/strong>, and what stands there describes no application/,
    )
    assert.equal(fetches(client_id), 1)
    host.script(json(documentOf(client_id)))
    await service.clock.advance(61_000)
    assert.equal((await authorize(client_id)).status, 303)
  })
}

for (const [name, behaviour] of [
  ['slow body', drip(`${head(200, { 'content-type': 'application/json', 'content-length': '4000' })}`, ' ', 100)],
  ['silence', hang],
] as const) {
  test(`document.answer: ${name} holds nobody longer than three seconds`, async () => {
    const client_id = newAddress()
    host.script(behaviour)
    const started_ms = performance.now()
    assert.equal((await authorize(client_id)).status, 400, name)
    assert.ok(performance.now() - started_ms < 10_000)
  })
}

test('document.answer: 100 parallel requests share one fetch', async () => {
  const client_id = newAddress()
  host.script(json(documentOf(client_id)))
  const statuses = await Promise.all(Array.from({ length: 100 }, async () => (await authorize(client_id)).status))
  assert.deepEqual(new Set(statuses), new Set([303]))
  assert.equal(fetches(client_id), 1)
})

test('a document is kept as long as its headers say, read again then, and serves for a day while its host is away', async () => {
  const client_id = newAddress()
  host.script(json(documentOf(client_id), { 'cache-control': 'max-age=600' }))
  assert.equal((await authorize(client_id)).status, 303)
  await service.clock.advance(599_000)
  assert.equal((await authorize(client_id)).status, 303)
  assert.equal(fetches(client_id), 1)
  await service.clock.advance(2_000)
  host.script(json(documentOf(client_id, { redirect_uris: ['https://app.example/new'] })))
  assert.equal((await authorize(client_id)).status, 400)
  assert.equal((await authorize(client_id, 'https://app.example/new')).status, 303)
  assert.equal(fetches(client_id), 2)
  await service.clock.advance(3_600_000)
  host.script(answer({ status: 503 }))
  assert.equal((await authorize(client_id, 'https://app.example/new')).status, 303)
  await service.clock.advance(86_400_000)
  host.script(answer({ status: 503 }))
  assert.equal((await authorize(client_id, 'https://app.example/new')).status, 400)
})

test('document.answer: a request that is open when the last kept document ends is answered as not available now', async () => {
  const client_id = newAddress()
  host.script(json(documentOf(client_id), { 'cache-control': 'max-age=600' }))
  assert.equal((await authorize(client_id)).status, 303)
  await service.clock.advance(600_000 + 86_400_000 - 60_000)
  host.script(answer({ status: 503 }))
  const { status, location } = await authorize(client_id)
  assert.equal(status, 303)
  await service.clock.advance(61_000)
  host.script(answer({ status: 503 }))
  const { body } = await consent(service, 'GET', location.split('/').at(-1) ?? '', await signIn(service))
  assert.equal(body.code, 'unavailable')
  assertNoFaultIn(service)
})

test('document.answer: a request that is open when its document is gone for good is over', async () => {
  const client_id = newAddress()
  host.script(json(documentOf(client_id), { 'cache-control': 'max-age=600' }))
  await authorize(client_id)
  await service.clock.advance(600_000 + 86_400_000 - 60_000)
  host.script(answer({ status: 503 }))
  const { location } = await authorize(client_id)
  await service.clock.advance(61_000)
  host.script(answer({ status: 404 }))
  const { body } = await consent(service, 'GET', location.split('/').at(-1) ?? '', await signIn(service))
  assert.equal(body.code, 'not_found')
})

test('document.answer: a client whose host is away for more than a day is not told that it is unknown', async () => {
  const client_id = newAddress()
  const redeem = () =>
    service.app.inject({
      method: 'POST',
      url: '/oauth/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'x', client_id }).toString(),
    })
  host.script(answer({ status: 502 }))
  const away = await redeem()
  assert.deepEqual([away.statusCode, away.json().error], [503, 'temporarily_unavailable'])
  assertNoFaultIn(service)
  await service.clock.advance(61_000)
  host.script(answer({ status: 404 }))
  const gone = await redeem()
  assert.deepEqual([gone.statusCode, gone.json().error], [401, 'invalid_client'])
})

test('an address brings at most 60 new documents an hour; those known are not counted', async () => {
  const from = '203.0.113.9'
  const known = newAddress()
  host.script(json(documentOf(known)))
  await authorize(known)
  const ask = (client_id: string) =>
    service.app.inject({ url: '/oauth/authorize', query: { client_id, redirect_uri: callback }, remoteAddress: from })
  for (let turn = 0; turn < 60; turn += 1) assert.equal((await ask(newAddress())).statusCode, 400)
  const last = newAddress()
  assert.equal((await ask(last)).statusCode, 429)
  assert.equal(fetches(last), 0)
  assert.notEqual((await ask(known)).statusCode, 429)
})

/** The page of a client whose document cannot be read. */
const pageOf = async (own: TestService, client_id: string) => {
  const { statusCode, body, headers } = await own.app.inject({
    url: '/oauth/authorize',
    query: { client_id, redirect_uri: callback },
  })
  assert.deepEqual([statusCode, headers.location], [400, undefined])
  return body
}
const isOffered = async (own: TestService) =>
  (await own.app.inject({ url: '/.well-known/oauth-authorization-server' })).json()
    .client_id_metadata_document_supported

test('document.offer: after three look-ups that reached nothing, clients are told to register; one that does brings it back', async (t) => {
  const own = await startTestService(clients.settings)
  t.after(() => own.close())
  const port = await freePort()
  const nowhere = (n: number) => `https://localhost:${port}/client-${n}.json`
  for (const n of [1, 2]) {
    const page = await pageOf(own, nowhere(n))
    assert.ok(page.includes(`<strong>localhost:${port}</strong>`) && page.includes('wait a minute'), page)
  }
  // Looked up once only: what failed is not asked for again within a minute.
  await pageOf(own, nowhere(2))
  assert.equal(await isOffered(own), true)
  assert.match(
    await pageOf(own, nowhere(3)),
    /wait five minutes.*can register here.*<code>STINT_CLIENT_DOCUMENTS<\/code>/s,
  )
  assert.equal(await isOffered(own), false)
  assertNoFaultIn(own)

  const client_id = newAddress()
  host.script(json(documentOf(client_id)))
  const query = { client_id, redirect_uri: 'https://evil.example/' }
  assert.equal((await own.app.inject({ url: '/oauth/authorize', query })).statusCode, 400)
  assert.equal(await isOffered(own), true)
})

test('document.offer: answers of whatever kind, and addresses that are not allowed, do not withdraw it', async (t) => {
  const closed = await startTestService()
  t.after(() => closed.close())
  for (let n = 0; n < 4; n += 1) {
    const client_id = newAddress()
    host.script(answer({ status: 500 }))
    await authorize(client_id)
    await pageOf(closed, newAddress())
  }
  assert.deepEqual([await isOffered(service), await isOffered(closed)], [true, true])
})

test('document.offer: on never withdraws it; off reads none, says what to do, and tells programs to register', async (t) => {
  const on = await startTestService({ ...clients.settings, STINT_CLIENT_DOCUMENTS: 'on' })
  const off = await startTestService({ ...clients.settings, STINT_CLIENT_DOCUMENTS: 'off' })
  t.after(() => Promise.all([on.close(), off.close()]))
  const port = await freePort()
  for (let n = 0; n < 4; n += 1) await pageOf(on, `https://localhost:${port}/client-${n}.json`)
  assert.deepEqual([await isOffered(on), await isOffered(off)], [true, false])

  const client_id = newAddress()
  host.script(json(documentOf(client_id)))
  const page = await pageOf(off, client_id)
  assert.ok(page.includes(`<strong>localhost:${host.port}</strong>`), page)
  assert.match(page, /add it again, so that it can register here.*<code>STINT_CLIENT_DOCUMENTS<\/code>/s)
  assert.equal(fetches(client_id), 0)
  const form = { grant_type: 'refresh_token', refresh_token: 'x', client_id }
  const { status, body } = await postForm(off, '/oauth/token', form)
  assert.deepEqual([status, body.error], [401, 'invalid_client'])
})

const spellings = [
  'http://localhost/client.json',
  'https://localhost',
  'https://localhost/',
  'https://app.example/c?x=1',
]
  .concat(['https://app.example/c?', 'https://app.example/c#', 'https://app.example/c#f', 'https://u@app.example/c'])
  .concat([
    'https://app.example/a/../c',
    'https://app.example/./c',
    'https://app.example/%2e%2e/c',
    'https://APP.example/c',
  ])
  .concat(['https://app.example:443/c', 'HTTPS://app.example/c', 'https://app.example\\c', 'https:app.example/c'])
  .concat(['https://127.0.0.1/c', 'https://127.1/c', 'https://0x7f000001/c', 'https://2130706433/c', 'https://[::1]/c'])
  .concat(['https://[::ffff:127.0.0.1]/c', 'https://0177.0.0.1/c', 'https://app.example/c d', 'https://app.example/ü'])
  .concat([`https://app.example/${'a'.repeat(2_048)}`, 'ftp://app.example/c', 'https://', 'https://@app.example/c'])
for (const client_id of spellings) {
  test(`document.address: ${client_id.slice(0, 60)} is no address of a document`, () =>
    assert.equal(documentAddress(client_id), null))
}

for (const client_id of ['https://claude.ai/oauth/claude-code-client-metadata', 'https://app.example:8443/c']) {
  test(`document.address: ${client_id} is one`, () => assert.equal(documentAddress(client_id)?.href, client_id))
}

test('document.address: our own hosts, private names and addresses are not asked', async (t) => {
  const closed = await startTestService()
  t.after(() => closed.close())
  const away = ['https://stint.test/oauth/c', 'https://localhost:8443/c', `https://localhost:${host.port}/c`]
  const asked = host.connections
  for (const client_id of [...away, 'https://metadata.internal/c', 'https://printer.local/c', 'https://host/c']) {
    const query = { client_id, redirect_uri: callback }
    assert.equal((await closed.app.inject({ url: '/oauth/authorize', query })).statusCode, 400, client_id)
  }
  assert.equal(host.connections, asked)
})

test('document.address: a name is judged by the address connected to, whatever it resolved to before', async (t) => {
  const dns = await startDnsServer({
    'private.test': addresses(['10.0.0.1']),
    'mapped.test': addresses(['::ffff:127.0.0.1']),
    'linklocal.test': addresses(['169.254.169.254']),
    'rebinding.test': { kind: 'sequence', answers: [addresses(['8.8.8.8'], 0), addresses(['127.0.0.1'], 0)] },
  })
  const guarded = createGuardedGet({}, createResolver({ name_servers: [dns.address] }))
  t.after(async () => {
    guarded.close()
    await dns.close()
  })
  const asked = host.connections
  for (const name of ['private.test', 'mapped.test', 'linklocal.test']) {
    const found = await guarded.get(`https://${name}:${host.port}/c`, 'application/json', 1_000)
    assert.match('failure' in found ? found.failure : '', /blocked_address/)
  }
  // The first answer leads away, where nothing answers in time; the second would lead to us and is refused.
  await guarded.get(`https://rebinding.test:${host.port}/c`, 'application/json', 300)
  const again = await guarded.get(`https://rebinding.test:${host.port}/c`, 'application/json', 300)
  assert.match('failure' in again ? again.failure : '', /blocked_address/)
  assert.equal(host.connections, asked)
})

const ages: [headers: Record<string, string>, fresh_s: number][] = [
  [{}, 3_600],
  [{ 'cache-control': 'public, max-age=7200' }, 7_200],
  [{ 'cache-control': 'max-age=7200', age: '7000' }, 300],
  [{ 'cache-control': 'max-age=0' }, 300],
  [{ 'cache-control': 'no-store' }, 300],
  [{ 'cache-control': 'private, no-cache, max-age=9000' }, 300],
  [{ 'cache-control': 'max-age=99999999' }, 86_400],
  [{ 'cache-control': 'x-max-age=7200' }, 3_600],
  [{ expires: 'Sun, 22 Nov 2026 12:00:00 GMT', date: 'Sun, 22 Nov 2026 10:00:00 GMT' }, 7_200],
  [{ expires: '0' }, 3_600],
]
for (const [headers, fresh_s] of ages) {
  test(`a document with ${JSON.stringify(headers)} is fresh for ${fresh_s} s`, () =>
    assert.equal(freshnessOf(headers), fresh_s))
}
