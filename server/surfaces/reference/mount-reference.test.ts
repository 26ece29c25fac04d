import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { declaredProblems } from '#core/problems/problem.ts'
import { startTestService, type TestService } from '#test/service.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const get = (url: string, headers: Record<string, string> = {}) => service.app.inject({ url, headers })

test('every problem of the interface has the page its type leads to, readable without a credential', async () => {
  for (const { code, title, status } of declaredProblems()) {
    const page = await get(`/docs/problems/${code}`)
    assert.equal(page.statusCode, 200, code)
    assert.match(page.body, new RegExp(`<code>${code}</code></dd>\\s*<dt>Status</dt><dd>${status}</dd>`))
    assert.ok(page.body.includes(`<h1>${title.replaceAll("'", '&#39;')}</h1>`), code)
  }
})

test('the type of a refusal is the address of a page', async () => {
  const { type } = (await service.call('GET', '/organizations', { token: null })).body
  assert.equal((await get(new URL(type).pathname)).statusCode, 200)
})

test('a page of an unknown code is not found', async () => {
  assert.equal((await get('/docs/problems/no_such_code')).statusCode, 404)
})

test('pages run no script and load nothing', async () => {
  for (const path of ['/docs', '/docs/problems', '/docs/problems/not_found']) {
    const page = await get(path)
    const policy = String(page.headers['content-security-policy'])
    assert.match(policy, /^default-src 'none'; style-src 'sha256-/)
    assert.doesNotMatch(policy, /unsafe/)
    assert.doesNotMatch(page.body, /<script|javascript:| on[a-z]+=/)
    assert.match(page.body, /<html lang="en">.*<title>[^<]+<\/title>.*<main>\s*<h1>/s)
  }
})

test('every link of the index leads somewhere', async () => {
  const index = await get('/docs')
  const links = [...index.body.matchAll(/href="([^"]+)"/g)].map((match) => match[1] ?? '')
  assert.ok(links.length >= 3)
  for (const link of links) assert.equal((await get(link)).statusCode, 200, link)
})

test('the resource metadata names the REST base address and the scopes of its operations, to every origin', async () => {
  const { headers, body } = await get('/.well-known/oauth-protected-resource/rest/v2')
  const metadata = JSON.parse(body)
  assert.equal(headers['access-control-allow-origin'], '*')
  assert.equal(metadata.resource, 'https://stint.test/rest/v2')
  const used = service.runtime.registry.operations.flatMap(({ definition }) => definition.scopes)
  assert.deepEqual(new Set(metadata.scopes_supported), new Set(used))
  assert.deepEqual(metadata.bearer_methods_supported, ['header'])
})

test('the OpenAPI document is public, valid as JSON and answers 304 to who has it', async () => {
  const first = await get('/openapi.json')
  assert.equal(first.statusCode, 200)
  assert.equal(JSON.parse(first.body).openapi, '3.1.0')
  const etag = String(first.headers.etag)
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
    const again = await get('/openapi.json', { 'if-none-match': known })
    assert.equal(again.statusCode, 304, known)
    assert.equal(again.body, '')
  }
  assert.equal((await get('/openapi.json', { 'if-none-match': '"other"' })).statusCode, 200)
})
