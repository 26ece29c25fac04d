import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import Fastify from 'fastify'
import { parse } from 'yaml'
import { settingsTable } from '#boot/config.ts'
import { declaredProblems } from '#core/problems.ts'
import { startTestService, type TestService } from '#test/service.ts'
import { mountReference } from './mount-reference.ts'

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

test('an unknown code is answered as every other path that nothing stands at, to browsers and to programs', async () => {
  for (const accept of ['text/html', 'application/json']) {
    const [code, other] = [await get('/docs/problems/foo', { accept }), await get('/docs/foo', { accept })]
    assert.deepEqual([code.statusCode, code.headers['content-type']], [404, other.headers['content-type']])
    const text = (body: string) => body.replace(/"request_id":"[^"]+"/, '')
    assert.equal(text(code.body), text(other.body))
  }
})

test('no problem refers to a guide or an operation that does not exist', () => {
  const nameless = (path: string) => path.replaceAll(/:\w+|\{\w+\}/g, '*')
  const known = service.runtime.registry.operations.map(
    ({ definition: { method, path } }) => `${method} ${nameless(path)}`,
  )
  for (const { code, advice, title } of declaredProblems()) {
    for (const [, guide] of `${title} ${advice}`.matchAll(/guide (?:on )?(\S+)/g)) {
      assert.ok(existsSync(new URL(`../../../docs/guides/${guide}.md`, import.meta.url)), `${code}: ${guide}`)
    }
    for (const [called] of advice.matchAll(/(GET|POST|PATCH|DELETE) \/[\w/{}-]+/g)) {
      assert.ok(known.includes(nameless(called)), `${code}: ${called}`)
    }
  }
})

test('pages run no script and load nothing', async () => {
  const texts = ['settings', 'problems', 'problems/not_found', 'operations', 'events', 'scopes', 'search?q=contract']
  for (const path of [...texts, 'operations/contracts.create'].map((name) => `/docs/${name}`)) {
    const page = await get(path)
    const policy = String(page.headers['content-security-policy'])
    assert.match(policy, /^default-src 'none'; style-src 'sha256-/)
    assert.doesNotMatch(policy, /unsafe/)
    assert.doesNotMatch(page.body, /<script|javascript:| on[a-z]+=/)
    assert.match(page.body, /<html lang="en">.*<title>[^<]+<\/title>.*<main>\s*<h1>/s)
  }
})

test('the reference runs two scripts of ours under their digests, and without them it is a list of the raw documents', async (t) => {
  const { body, headers } = await get('/docs')
  assert.match(String(headers['content-security-policy']), /script-src 'self'; .*form-action 'none'/)
  const scripts = [...body.matchAll(/<script [^>]*src="([^"]+)"/g)].map(([, src = '']) => src)
  assert.equal(scripts.length, 2)
  assert.match(body, /<script [^>]*integrity="sha256-[^"]{44}"/)
  for (const src of scripts) {
    const script = await get(src, { 'accept-encoding': 'br' })
    assert.equal(script.statusCode, 200, src)
    assert.match(String(script.headers['content-type']), /^text\/javascript/)
    assert.match(String(script.headers['cache-control']), /immutable/)
  }
  const bare = Fastify()
  t.after(() => bare.close())
  const rights = { scopes: {}, categories: {} }
  const parts = { registry: service.runtime.registry, settings: settingsTable, rights, origin: 'https://stint.test' }
  mountReference(bare, { ...parts, folder: '/nowhere' })
  const plain = await bare.inject('/docs')
  assert.equal(plain.statusCode, 200)
  assert.doesNotMatch(plain.body, /<script/)
  assert.match(plain.body, /href="\/openapi.json".*href="\/openapi.yaml"/s)
})

test('the page of settings names every setting, and no value', async () => {
  const { body } = await get('/docs/settings')
  for (const name of Object.keys(settingsTable))
    assert.ok(body.includes(`<dt id="${name}"><code>${name}</code></dt>`), name)
})

test('the YAML says the same as the JSON, also to a reader of YAML 1.1', async () => {
  const [json, yaml] = [await get('/openapi.json'), await get('/openapi.yaml')]
  assert.match(String(yaml.headers['content-type']), /^application\/yaml/)
  assert.deepEqual(parse(yaml.body, { version: '1.1' }), json.json())
  const packed = await get('/openapi.json', { 'accept-encoding': 'gzip' })
  assert.equal(gunzipSync(packed.rawPayload).toString(), json.body)
  assert.ok(packed.rawPayload.length * 5 < json.rawPayload.length)
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
  for (const known of [etag, etag.replace('W/', ''), `"other", ${etag}`]) {
    const again = await get('/openapi.json', { 'if-none-match': known })
    assert.equal(again.statusCode, 304, known)
    assert.equal(again.body, '')
  }
  assert.equal((await get('/openapi.json', { 'if-none-match': '"other"' })).statusCode, 200)
})

test('every operation has a page with its scopes, fields, refusals and a call for the shell and for the client', async () => {
  for (const { definition } of service.runtime.registry.operations) {
    const { statusCode, body } = await get(`/docs/operations/${definition.id}`)
    assert.equal(statusCode, 200, definition.id)
    assert.ok(body.includes(`<code>${definition.method} /rest/v2${definition.path}</code>`), definition.id)
    assert.ok(body.includes('curl &quot;$STINT_URL/rest/v2/'), definition.id)
    assert.ok(body.includes(`stint.${definition.id}(`), definition.id)
    for (const scope of definition.scopes)
      assert.ok(body.includes(`/docs/scopes#${scope}`), `${definition.id} ${scope}`)
    for (const name of Object.keys(definition.input.properties))
      assert.ok(body.includes(`<code>${name}</code>`), `${definition.id} ${name}`)
  }
  assert.equal((await get('/docs/operations/contracts.fly')).statusCode, 404)
})

test('every event and every scope is on its page, at the place that links name', async () => {
  const [events, scopes] = [(await get('/docs/events')).body, (await get('/docs/scopes')).body]
  for (const name of service.runtime.registry.events.keys()) assert.ok(events.includes(`<section id="${name}">`), name)
  const used = service.runtime.registry.operations.flatMap(({ definition }) => definition.scopes)
  for (const name of new Set(used)) assert.ok(scopes.includes(`<dt id="${name}">`), name)
})

test('the search finds operations, events, problems, scopes and settings by all of the words, and shows markup as text', async () => {
  const found = async (question: string) => (await get(`/docs/search?q=${encodeURIComponent(question)}`)).body
  assert.match(await found('terminate contract'), /href="\/docs\/operations\/contracts.terminate"/)
  assert.match(await found('contract.created'), /href="\/docs\/events#contract.created"/)
  assert.match(await found('insufficient_scope'), /href="\/docs\/problems\/insufficient_scope"/)
  assert.match(await found('people:write'), /href="\/docs\/scopes#people:write"/)
  assert.match(await found('STINT_PORT'), /href="\/docs\/settings#STINT_PORT"/)
  assert.match(await found('herons'), /Nothing has all of these words/)
  assert.doesNotMatch(await found('"><script>'), /<script/)
})

test('llms.txt leads to every operation, event, problem, scope and setting', async () => {
  const { headers, body } = await get('/llms.txt')
  assert.match(String(headers['content-type']), /^text\/plain/)
  assert.match(body, /^# Stint\n\n> /)
  const links = [...body.matchAll(/^- \[([^\]]+)\]\(https:\/\/stint\.test(\/docs\/[^)#]+)/gm)]
  const { operations, events } = service.runtime.registry
  assert.ok(links.length > operations.length + events.size + Object.keys(settingsTable).length)
  for (const path of new Set(links.map((link) => link[2] ?? ''))) assert.equal((await get(path)).statusCode, 200, path)
})
