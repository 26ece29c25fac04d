import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect as connectHttp2, constants, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http2'
import { after, before, type TestContext, test } from 'node:test'
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls'
import { type HttpsService, startHttpsService } from '#test/https-service.ts'

let service: HttpsService
before(async () => {
  service = await startHttpsService()
})
after(() => service.close())

const path = '/rest/v2/organizations'

async function openTls(t: TestContext, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const { hostname: host, port } = new URL(service.origin)
  const socket = connectTls({
    host,
    port: Number(port),
    servername: host,
    ca: readFileSync(service.ca_file),
    ...options,
  })
  socket.on('error', () => socket.destroy()) // a cut connection; the tests look at what came before
  t.after(() => socket.destroy())
  await once(socket, 'secureConnect')
  return socket
}

interface Answer {
  status: number
  headers: Record<string, string>
  body: Record<string, unknown>
}

/** Reads what the server says until it ends its side. */
async function lastAnswer(socket: TLSSocket): Promise<Answer> {
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk as Buffer)
  return parsed(Buffer.concat(chunks).toString())
}

function parsed(text: string): Answer {
  const [head = '', body = ''] = text.split('\r\n\r\n')
  const [line = '', ...fields] = head.split('\r\n')
  const headers = fields.map((field) => [field.split(': ')[0]?.toLowerCase(), field.slice(field.indexOf(': ') + 2)])
  return { status: Number(line.split(' ')[1]), headers: Object.fromEntries(headers), body: JSON.parse(body) }
}

function assertProblem({ status, headers, body }: Answer, expected: string): void {
  assert.equal(`${status} ${body.code}`, expected, JSON.stringify(body))
  assert.match(String(headers['content-type']), /^application\/problem\+json/)
  assert.match(String(headers['request-id']), /^[0-9a-f-]{36}$/)
  assert.equal(body.request_id, headers['request-id'])
  assert.equal(headers['cache-control'], 'no-store')
}

const fields = (count: number) => Array.from({ length: count }, (_, n) => `x-field-${n}: 1\r\n`).join('')

const refused_heads: [what: string, request: string, expected: string][] = [
  ['two Host fields', `GET ${path} HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n`, '400 malformed_request'],
  ['two equal Host fields', `GET ${path} HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n`, '400 malformed_request'],
  ['no Host field', `GET ${path} HTTP/1.1\r\n\r\n`, '400 malformed_request'],
  [
    'two credentials',
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n`,
    '400 malformed_request',
  ],
  [
    'an address at another host',
    'GET https://evil.example/console HTTP/1.1\r\nHost: localhost\r\n\r\n',
    '400 malformed_request',
  ],
  [
    'an address at its own host',
    `GET https://localhost${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    '401 unauthenticated',
  ],
  ['no HTTP at all', 'HELLO\r\n\r\n', '400 malformed_request'],
  ['a Host that is no host', `GET ${path} HTTP/1.1\r\nHost: a b/c@d\r\n\r\n`, '400 malformed_request'],
  ['an empty Host', `GET ${path} HTTP/1.1\r\nHost:\r\n\r\n`, '400 malformed_request'],
  ['a method that is none', `FOO ${path} HTTP/1.1\r\nHost: a\r\n\r\n`, '400 malformed_request'],
  ['QUERY where nothing is', 'QUERY /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n', '404 not_found'],
  [
    'two lengths of one body',
    `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    '400 malformed_request',
  ],
  [
    'a header of more than 16 KiB',
    `GET ${path} HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(17_000)}\r\n\r\n`,
    '431 headers_too_large',
  ],
  ['a path of more than 16 KiB', `GET /${'x'.repeat(17_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, '431 headers_too_large'],
  ['more than 100 fields', `GET ${path} HTTP/1.1\r\nHost: a\r\n${fields(100)}\r\n`, '431 headers_too_large'],
  [
    'an expectation that nobody meets',
    `GET ${path} HTTP/1.1\r\nHost: a\r\nExpect: a-miracle\r\n\r\n`,
    '417 expectation_failed',
  ],
]
for (const [what, request, expected] of refused_heads) {
  test(`HTTP/1.1: ${what} answers ${expected}, as a problem document with Request-Id`, async (t) => {
    const socket = await openTls(t)
    socket.end(request)
    assertProblem(await lastAnswer(socket), expected)
  })
}

test('a broken request on a kept connection is answered once, and nothing after it is served', async (t) => {
  const socket = await openTls(t)
  const good = `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${service.organization.token}\r\n\r\n`
  socket.write(good)
  const [first] = (await once(socket, 'data')) as [Buffer]
  assert.match(first.toString(), /^HTTP\/1\.1 200 /)
  socket.write(`BROKEN\r\n\r\n${good}`)
  assertProblem(await lastAnswer(socket), '400 malformed_request')
})

async function sendHttp2(t: TestContext, given: OutgoingHttpHeaders, body?: Buffer) {
  const session = connectHttp2(service.origin, { ca: readFileSync(service.ca_file), maxSendHeaderBlockLength: 200_000 })
  session.on('error', () => session.destroy()) // a session that is cut; the tests look at what came before
  t.after(() => session.destroy())
  await once(session, 'remoteSettings')
  const stream = session.request({ ':path': path, ...given }, { endStream: body === undefined })
  stream.on('error', () => undefined) // the reset behind an answer
  if (body) stream.write(body)
  const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders]
  const chunks: Buffer[] = []
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  await once(stream, 'end')
  const text = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
  return {
    session,
    stream,
    answer: { status: Number(headers[':status']), headers: text, body: JSON.parse(Buffer.concat(chunks).toString()) },
  }
}

const many = Object.fromEntries(Array.from({ length: 110 }, (_, n) => [`x-field-${n}`, '1']))

for (const [what, given, expected] of [
  ['a header of more than 16 KiB', { 'x-long': 'x'.repeat(17_000) }, '431 headers_too_large'],
  ['more than 100 fields', many, '431 headers_too_large'],
  ['an expectation that nobody meets', { expect: 'a-miracle' }, '417 expectation_failed'],
  ['a method that is none', { ':method': 'FOO' }, '400 malformed_request'],
  ['an authority that is no host', { ':authority': 'localhost:port' }, '400 malformed_request'],
  ['QUERY where nothing is', { ':method': 'QUERY', ':path': '/nothing' }, '404 not_found'],
  [
    'a Host that is another than the authority',
    { ':authority': 'localhost', host: 'evil.example' },
    '400 malformed_request',
  ],
] as [string, OutgoingHttpHeaders, string][]) {
  test(`HTTP/2: ${what} answers ${expected}, as a problem document with Request-Id`, async (t) => {
    const { answer } = await sendHttp2(t, given)
    assertProblem(answer, expected)
  })
}

const feed = Buffer.alloc(65_536, ' ')

test('HTTP/1.1: who is refused before the body has arrived is answered, and then cut off', async (t) => {
  const socket = await openTls(t)
  const head = `POST /rest/v2/contracts HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`
  socket.write(`${head}Content-Length: 500000000\r\n\r\n{`)
  const answer = await lastAnswer(socket)
  assertProblem(answer, '401 unauthenticated')
  assert.equal(answer.headers.connection, 'close')
  const feeder = await openTls(t)
  feeder.resume()
  feeder.write(`${head}Transfer-Encoding: chunked\r\n\r\n`)
  const closed = new Promise<void>((resolve) => feeder.once('close', () => resolve()))
  const chunk = Buffer.concat([Buffer.from('10000\r\n'), feed, Buffer.from('\r\n')])
  let written = 0
  const go = () => {
    if (feeder.destroyed || !feeder.writable) return
    written += chunk.length
    feeder.write(chunk, go)
  }
  go()
  await closed
  assert.ok(written < 50_000_000, String(written))
})

test('HTTP/1.1: who is refused after a body that has arrived keeps the connection', async (t) => {
  const socket = await openTls(t)
  const request = 'POST /rest/v2/contracts HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}'
  for (let turn = 0; turn < 2; turn += 1) {
    socket.write(request)
    const [answer] = (await once(socket, 'data')) as [Buffer]
    assert.match(answer.toString(), /^HTTP\/1\.1 401 [\s\S]*\r\nConnection: keep-alive\r\n/i)
  }
})

test('HTTP/2: who is refused before the body has arrived is answered, the stream is cut and the session ends', async (t) => {
  const { answer, session, stream } = await sendHttp2(t, { ':method': 'POST', ':path': '/rest/v2/contracts' }, feed)
  assertProblem(answer, '401 unauthenticated')
  if (!stream.closed) await once(stream, 'close')
  assert.equal(stream.rstCode, constants.NGHTTP2_NO_ERROR)
  if (!session.destroyed) await once(session, 'close')
})

test('who expects to be asked for the body is asked for it only with a good credential', async (t) => {
  const head =
    'POST /rest/v2/api-tokens HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n'
  const stranger = await openTls(t)
  stranger.write(`${head}Content-Length: 2\r\n\r\n`)
  assertProblem(await lastAnswer(stranger), '401 unauthenticated')

  const caller = await openTls(t)
  caller.write(`${head}Authorization: Bearer ${service.organization.token}\r\nContent-Length: 2\r\n\r\n`)
  const [asked] = (await once(caller, 'data')) as [Buffer]
  assert.equal(asked.toString(), 'HTTP/1.1 100 Continue\r\n\r\n')
  caller.write('{}')
  const [answer] = (await once(caller, 'data')) as [Buffer]
  assert.match(answer.toString(), /^HTTP\/1\.1 400 /)
})

for (const expect of ['', 'Expect: 100-continue\r\n']) {
  const how = expect ? ', nor asked for' : ''
  const head = `Host: localhost\r\nContent-Type: application/json\r\n${expect}Content-Length: 900000\r\n`

  test(`HTTP/1.1: the body for a path that nothing stands at is not waited for${how}`, async (t) => {
    const socket = await openTls(t)
    socket.write(`POST /nothing HTTP/1.1\r\n${head}\r\n${expect ? '' : '{'}`)
    assertProblem(await lastAnswer(socket), '404 not_found')
  })

  test(`HTTP/1.1: the body behind what cannot be a credential of the tool server is not waited for${how}`, async (t) => {
    for (const token of ['x', service.organization.token]) {
      const socket = await openTls(t)
      socket.write(`POST /mcp HTTP/1.1\r\n${head}Authorization: Bearer ${token}\r\n\r\n${expect ? '' : '{'}`)
      const { status, headers } = await lastAnswer(socket)
      assert.equal(status, 401)
      assert.match(String(headers['www-authenticate']), /error="invalid_token"$/)
    }
  })
}

test('HTTP/2: the body for a path that nothing stands at is not waited for', async (t) => {
  const head = {
    ':method': 'POST',
    ':path': '/nothing',
    'content-type': 'application/json',
    'content-length': '900000',
  }
  const { answer } = await sendHttp2(t, head, Buffer.from('{'))
  assertProblem(answer, '404 not_found')
})

test('HTTP/2: methods that are none, and streams that are cut at once, leave the service as it is', async (t) => {
  for (const cut of ['stream', 'session']) {
    const session = connectHttp2(service.origin, { ca: readFileSync(service.ca_file) })
    session.on('error', () => session.destroy()) // the session that is cut
    t.after(() => session.destroy())
    await once(session, 'remoteSettings')
    const stream = session.request({ ':method': 'FOO', ':path': path }, { endStream: false })
    stream.on('error', () => undefined) // the stream that is cut
    await new Promise<void>((resolve) => stream.write('{', () => resolve()))
    const closed = once(session, 'close')
    if (cut === 'stream') stream.close(constants.NGHTTP2_CANCEL, () => session.close())
    else session.destroy()
    await closed
  }
  const { answer } = await sendHttp2(t, { ':method': 'FOO' })
  assertProblem(answer, '400 malformed_request')
})

test('HTTP/2: a method that is none leaves a line in the log like one of HTTP/1.1', async (t) => {
  const { answer } = await sendHttp2(t, { ':method': 'FOO' })
  const lines = service.logged.map((line) => JSON.parse(line))
  const line = lines.find(({ request_id }) => request_id === answer.headers['request-id'])
  assert.equal(line?.problem, 'malformed_request')
})

const of_intermediate_list = [
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
]
const others = [
  'ECDHE-ECDSA-AES128-SHA',
  'ECDHE-ECDSA-AES256-SHA384',
  'ECDHE-ECDSA-AES128-CCM',
  'ECDHE-ECDSA-ARIA128-GCM-SHA256',
]

test('TLS 1.2 is spoken with the suites of Mozilla’s intermediate list and no others', async (t) => {
  const withSuite = (suite: string) => openTls(t, { maxVersion: 'TLSv1.2', ciphers: `${suite}:@SECLEVEL=0` })
  for (const suite of of_intermediate_list) assert.equal((await withSuite(suite)).getCipher().name, suite)
  for (const suite of others) await assert.rejects(withSuite(suite), /HANDSHAKE_FAILURE|handshake failure/i, suite)
})

test('whoever sends another scheme, or none, is told which one is meant, and the credential is not repeated', async () => {
  for (const [authorization, detail] of [
    ['Basic bm9yYTpzZWNyZXQ=', 'The scheme Basic is not known here: send `Authorization: Bearer <token>`.'],
    ['token abc', 'The scheme token is not known here: send `Authorization: Bearer <token>`.'],
    [service.organization.token, 'The Authorization header names no scheme: send `Authorization: Bearer <token>`.'],
  ] as const) {
    for (const url of [path, '/mcp']) {
      const headers = {
        authorization,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      }
      const body = url === path ? undefined : JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
      const answer = await service.fetch(`${service.origin}${url}`, {
        headers,
        ...(body && { method: 'POST', body }),
      })
      assert.equal(answer.status, 401)
      assert.match(String(answer.headers.get('www-authenticate')), /^Bearer /)
      const said = (await answer.json()) as { detail?: string; error?: { message: string } }
      assert.equal(said.detail ?? said.error?.message, detail)
    }
  }
})
