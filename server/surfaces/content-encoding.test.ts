import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { createContract } from '#test/factories.ts'
import { startTestService, type TestService } from '#test/service.ts'
import { request } from '#test/tool-client.ts'

let service: TestService
before(async () => {
  service = await startTestService()
  for (let made = 0; made < 20; made += 1) {
    await createContract(service, { title: `Engagement ${made}` })
  }
})
after(() => service.close())

const get = (url: string, encoding: string) =>
  service.app.inject({
    url,
    headers: { authorization: `Bearer ${service.organization.token}`, 'accept-encoding': encoding },
  })
const readers = { br: brotliDecompressSync, gzip: gunzipSync }

const wanted: [accepted: string, encoding: 'br' | 'gzip' | undefined][] = [
  ['gzip, deflate, br', 'br'],
  ['gzip', 'gzip'],
  ['br;q=0.1, gzip', 'gzip'],
  ['*', 'br'],
  ['br;q=0, gzip;q=0.5', 'gzip'],
  ['gzip;q=0, *;q=0', undefined],
  ['identity', undefined],
  ['', undefined],
]
for (const [accepted, encoding] of wanted) {
  test(`a list is sent as ${encoding ?? 'it is'} to who accepts "${accepted}", and reads the same`, async () => {
    const plain = await get('/rest/v2/contracts?limit=50', 'identity')
    const answer = await get('/rest/v2/contracts?limit=50', accepted)
    assert.equal(answer.statusCode, 200)
    assert.equal(answer.headers['content-encoding'], encoding)
    assert.match(String(answer.headers.vary), /Accept-Encoding/)
    const bytes = encoding ? readers[encoding](answer.rawPayload) : answer.rawPayload
    assert.equal(bytes.toString(), plain.body)
    if (encoding)
      assert.ok(answer.rawPayload.length * 5 < bytes.length, `${answer.rawPayload.length} of ${bytes.length}`)
  })
}

test('a short answer is sent as it is', async () => {
  const { headers } = await get('/rest/v2/organizations', 'br')
  assert.equal(headers['content-encoding'], undefined)
})

test('no answer that reveals a secret is compressed, however long', async () => {
  const answer = await service.app.inject({
    method: 'POST',
    url: '/rest/v2/webhooks',
    headers: {
      authorization: `Bearer ${service.organization.token}`,
      'accept-encoding': 'br, gzip',
      'content-type': 'application/json',
    },
    payload: {
      url: 'https://93.184.215.14/',
      events: [...service.runtime.registry.events.keys()],
      description: 'x'.repeat(500),
    },
  })
  assert.equal(answer.statusCode, 201)
  assert.ok(answer.body.length > 1_400, `${answer.body.length}`)
  assert.match(answer.body, /"signing_key":"/)
  assert.equal(answer.headers['content-encoding'], undefined)
})

test('the list of tools is compressed when asked', async () => {
  const ask = (encoding: string) =>
    service.app.inject({
      method: 'POST',
      url: '/mcp',
      headers: {
        host: 'stint.test',
        accept: 'application/json, text/event-stream',
        'accept-encoding': encoding,
        'content-type': 'application/json',
      },
      payload: request('tools/list'),
    })
  const [plain, packed] = [await ask('identity'), await ask('gzip')]
  assert.equal(plain.statusCode, 200)
  assert.equal(packed.headers['content-encoding'], 'gzip')
  assert.equal(gunzipSync(packed.rawPayload).toString(), plain.body)
})

test('a list that is followed is not compressed', async () => {
  const headers = {
    authorization: `Bearer ${service.organization.token}`,
    accept: 'text/event-stream',
    'accept-encoding': 'br',
  }
  const answer = await service.app.inject({ url: '/rest/v2/events', headers, payloadAsStream: true })
  answer.stream().destroy()
  assert.match(String(answer.headers['content-type']), /^text\/event-stream/)
  assert.equal(answer.headers['content-encoding'], undefined)
})
