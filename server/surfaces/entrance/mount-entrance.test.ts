import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { welcome } from '#boot/demo/welcome.ts'
import { startTestService, type TestService } from '#test/service.ts'
import { post, request } from '#test/tool-client.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
const program = { accept: '*/*' }
const get = (url: string, headers: Record<string, string>) =>
  service.app.inject({ url, headers: { host: 'stint.test', ...headers } })

test('/ leads a browser to the console, and tells a program what is where', async () => {
  const answer = await get('/', browser)
  assert.equal(answer.statusCode, 303)
  assert.equal(answer.headers.location, service.has_console ? 'https://stint.test/console' : 'https://stint.test/docs')
  const about = (await get('/', program)).json()
  assert.deepEqual(
    [about.rest_api, about.tool_server, about.documentation],
    ['https://stint.test/rest/v2', 'https://stint.test/mcp', 'https://stint.test/docs'],
  )
})

test('the base address of the API says what it is and what to call first', async () => {
  for (const url of ['/rest/v2', '/rest/v2/']) {
    const { statusCode, body } = await get(url, program)
    assert.equal(statusCode, 200, url)
    assert.match(body, /\/openapi\.json.*Bearer <token>.*\/rest\/v2\/organizations/s)
  }
})

test('every address that a start prints answers a browser and a program', async () => {
  const running = { origin: 'https://stint.test', service, management_port: 9, ca_file: null, certificate_faults: [] }
  const begun = { demo: undefined, demo_file: '', set_up_file: null, is_terminal: true }
  const text = welcome(running, service.config, begun)
  const printed = [...text.matchAll(/https:\/\/(?:stint\.test|localhost:\d+)(\/[^\s'"]*)?/g)].map(
    ([, path = '/']) => path,
  )
  assert.ok(printed.length >= 5, text)
  for (const path of new Set(printed)) {
    for (const headers of [browser, program]) {
      const authorization = path.includes('/contracts') ? { authorization: `Bearer ${service.organization.token}` } : {}
      const { statusCode } = await get(path, { ...headers, ...authorization })
      const expected = path === '/mcp' && headers === program ? [405] : [200, 303]
      assert.ok(expected.includes(statusCode), `${path} ${headers.accept}: ${statusCode}`)
    }
  }
})

test('a slash at the end of an address changes nothing', async () => {
  assert.equal((await get('/docs/', browser)).headers.location, '/docs')
  const listed = await Promise.all(['/mcp', '/mcp/'].map((url) => post(service, request('tools/list'), { url })))
  assert.equal(listed[0]?.status, 200)
  assert.deepEqual(listed[1]?.body, listed[0]?.body)
  const refused = await post(service, request('tools/call', { name: 'list_contracts' }), { url: '/mcp/' })
  assert.equal(refused.status, 401)
  const metadata = await get('/.well-known/oauth-protected-resource/mcp/', program)
  assert.equal(metadata.json().resource, 'https://stint.test/mcp')
})

test('a browser that opens the address of the tool server learns what to do with it; a client is refused as before', async () => {
  for (const url of ['/mcp', '/mcp/']) {
    const page = await get(url, browser)
    assert.deepEqual([page.statusCode, page.headers['content-type']], [200, 'text/html; charset=utf-8'], url)
    assert.match(page.body, /https:\/\/stint\.test\/mcp.*list_contracts/s)
    assert.equal((await get(url, { accept: 'text/event-stream' })).statusCode, 405)
    assert.equal((await get(url, { ...browser, host: 'evil.example' })).statusCode, 403)
  }
})

test('there is an icon, as browsers ask for one', async () => {
  const { statusCode, headers, rawPayload } = await get('/favicon.ico', {})
  assert.deepEqual([statusCode, headers['content-type']], [200, 'image/x-icon'])
  assert.deepEqual([...rawPayload.subarray(0, 4)], [0, 0, 1, 0])
})

test('a browser at an address where nothing is gets a page that leads on; a program gets a problem', async () => {
  for (const url of ['/nowhere', '/rest/v2/nowhere', '/rest/v3']) {
    const page = await get(url, browser)
    assert.deepEqual([page.statusCode, page.headers['content-type']], [404, 'text/html; charset=utf-8'], url)
    assert.match(page.body, /href="\/docs"/)
    assert.match(String(page.headers['content-security-policy']), /^default-src 'none'/)
    assert.equal((await get(url, program)).json().code, 'not_found')
  }
})
