import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newToken } from '#identity/token-format.ts'
import { createContract } from '#test/factories.ts'
import { type HttpsService, startHttpsService } from '#test/https-service.ts'
import { connect, encoded, register, signIn } from '#test/oauth.ts'

let service: HttpsService
before(async () => {
  service = await startHttpsService({ STINT_RATE_LIMIT_FAILURES: '20', STINT_RATE_LIMIT_REQUESTS: '60' })
})
after(() => service.close())

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

function get(path: string, token: string, headers: Record<string, string> = {}): Promise<Response> {
  return service.fetch(`${service.origin}${path}`, { headers: { ...bearer(token), ...headers } })
}

function send(path: string, body: unknown, token: string, headers: Record<string, string> = {}): Promise<Response> {
  const all = { 'content-type': 'application/json', ...bearer(token), ...headers }
  return service.fetch(`${service.origin}${path}`, { method: 'POST', headers: all, body: JSON.stringify(body) })
}

async function form(path: string, fields: Record<string, string>): Promise<{ status: number; body: Answer }> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const answer = await service.fetch(`${service.origin}${path}`, { method: 'POST', headers, body: encoded(fields) })
  const text = await answer.text()
  return { status: answer.status, body: text === '' ? {} : JSON.parse(text) }
}

type Answer = Record<string, string>

const callTool = (token: string) =>
  send(
    '/mcp',
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_contracts', arguments: {} } },
    token,
    { accept: 'application/json, text/event-stream' },
  )

test('behind an address that sends bad tokens without end every good credential is served, at once and for the first time', async () => {
  const { token: organization_token, id } = await service.createOrganization()
  const app = await connect(service, await signIn(service), { resource: `${service.origin}/mcp` })
  const bad = () => newToken('organization', false)
  let refused = await get('/rest/v2/contracts', bad())
  for (let turns = 0; turns < 40; turns += 1) refused = await get('/rest/v2/contracts', turns % 2 ? bad() : 'nonsense')
  assert.equal(refused.status, 429)
  assert.match(String(refused.headers.get('retry-after')), /^\d+$/)
  assert.equal((await callTool(newToken('personal', false))).status, 429)

  assert.equal((await get('/rest/v2/contracts', organization_token)).status, 200)
  assert.equal((await get('/rest/v2/contracts', await service.createToken(id))).status, 200)
  assert.equal((await callTool(app.access_token)).status, 200)
  const stream = await get('/rest/v2/events', organization_token, { accept: 'text/event-stream' })
  assert.deepEqual([stream.status, stream.headers.get('content-type')], [200, 'text/event-stream'])
  await stream.body?.cancel()
})

test('behind an address that guesses without end every good code, secret and refresh token is taken', async () => {
  const app = await connect(service, await signIn(service), { resource: `${service.origin}/mcp` })
  const { client_id, client_secret = '' } = await register(service, {
    token_endpoint_auth_method: 'client_secret_post',
  })
  const guess = { grant_type: 'refresh_token', refresh_token: newToken('refresh', false), token: 'x' }
  for (let turns = 0; turns < 61; turns += 1) {
    await form('/oauth/token', { ...guess, client_id: app.client_id })
    await form('/oauth/introspect', { ...guess, client_id, client_secret: newToken('client_secret', false) })
  }
  const wrong = { client_id, client_secret: newToken('client_secret', false), token: app.access_token }
  for (const path of ['/oauth/introspect', '/oauth/revoke']) assert.equal((await form(path, wrong)).status, 429)
  assert.equal((await form('/oauth/token', { ...guess, client_id: app.client_id })).status, 429)

  const right = { client_id, client_secret, token: app.access_token }
  assert.equal((await form('/oauth/introspect', right)).status, 200)
  assert.equal((await form('/oauth/revoke', right)).status, 200)
  const fresh = { grant_type: 'refresh_token', client_id: app.client_id, refresh_token: app.refresh_token }
  const refreshed = await form('/oauth/token', fresh)
  assert.equal(refreshed.status, 200)
  const own = { client_id: app.client_id, token: refreshed.body.refresh_token ?? '' }
  assert.equal((await form('/oauth/revoke', own)).status, 200)
})

test('minting tokens does not multiply a rate limit: what a token made, directly or not, counts with it', async () => {
  const { id, token: root } = await service.createOrganization()
  const left = async (token: string, path = '/rest/v2/organizations') =>
    Number(/;r=(\d+)/.exec(String((await get(path, token)).headers.get('ratelimit')))?.[1])
  const make = async (path: string, body: unknown, token: string): Promise<Answer> => {
    const answer = await send(`/rest/v2${path}`, body, token)
    assert.equal(answer.status, 201, JSON.stringify(body))
    return (await answer.json()) as Answer
  }
  const { worker_id } = await createContract(service, {}, { id, token: root })
  const scopes = ['tokens:write', 'people:write', 'contracts:read', 'organizations:read']
  const child = await make('/api-tokens', { name: 'child', scopes }, root)
  const grandchild = await make('/api-tokens', { name: 'grandchild', scopes }, child.token ?? '')
  const successor = await make(`/api-tokens/${grandchild.id}/rotate`, {}, grandchild.token ?? '')
  const of_successor = await make('/api-tokens', { name: 'late', scopes }, successor.token ?? '')
  const worker = await make(`/people/${worker_id}/worker-tokens`, {}, of_successor.token ?? '')
  const client = await make(
    '/oauth-clients',
    {
      ...{ name: 'Machine', grant_types: ['client_credentials'], token_endpoint_auth_method: 'client_secret_post' },
      scopes: ['contracts:read', 'tokens:write'],
    },
    successor.token ?? '',
  )
  const { client_id = '', client_secret = '' } = client
  const granted = await form('/oauth/token', {
    ...{ grant_type: 'client_credentials', client_id, client_secret },
    resource: `${service.origin}/rest/v2`,
  })
  assert.equal(granted.status, 200, JSON.stringify(granted.body))
  const of_client = granted.body.access_token ?? ''
  const of_grant = await make('/api-tokens', { name: 'of a grant', scopes: ['contracts:read'] }, of_client)

  let rest = await left(root)
  const line = [child, grandchild, successor, of_successor, of_grant].map(({ token = '' }) => token)
  for (const token of [...line, of_client]) {
    rest -= 1
    assert.equal(await left(token, '/rest/v2/contracts'), rest)
  }
  assert.equal(await left(worker.token ?? '', '/rest/v2/worker/contracts'), rest - 1)
  assert.equal(await left(await service.createToken(id)), 59)
})
