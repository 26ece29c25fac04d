import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Operation } from '#core/operation.ts'
import { startTestService, type TestService } from '#test/service.ts'
import { verifies } from '#test/verifies.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const get = (url: string, headers: Record<string, string> = {}) => service.app.inject({ url, headers })
const read = async (url: string) => JSON.parse((await get(url)).body)

const contract_scopes = [
  ...['contracts:read', 'contracts:write', 'people:read', 'timesheets:read', 'timesheets:write'],
  ...['invoice-adjustments:read', 'invoice-adjustments:write'],
]
const used = (isIncluded: (operation: Operation) => boolean) =>
  service.runtime.registry.operations
    .map(({ definition }) => definition)
    .filter(isIncluded)
    .flatMap((operation) => operation.scopes)

test('the resource metadata names the tool server, its authorization server and the scopes that tools use', async () => {
  const { scopes_supported, ...metadata } = await read('/.well-known/oauth-protected-resource/mcp')
  const tools = used(({ tool }) => tool !== undefined)
  verifies('4.6.protected-resource').deepEqual(new Set(scopes_supported), new Set([...contract_scopes, ...tools]))
  assert.equal(new Set(scopes_supported).size, scopes_supported.length)
  // Clients ask for all that stands here, and nobody lets an agent end tokens in passing. Payments are confirmed one by one.
  for (const scope of ['tokens:read', 'tokens:write', 'scim:read', 'scim:write', 'webhooks:write'])
    assert.equal(scopes_supported.includes(scope), false, scope)
  verifies('4.6.protected-resource').deepEqual(metadata, {
    resource: 'https://stint.test/mcp',
    authorization_servers: ['https://stint.test'],
    bearer_methods_supported: ['header'],
    resource_name: 'Stint',
    resource_documentation: 'https://stint.test/docs',
  })
})

test('metadata.root: who reads only the root document gets the one of the tool server', async () => {
  const [root, mcp] = await Promise.all([
    get('/.well-known/oauth-protected-resource'),
    get('/.well-known/oauth-protected-resource/mcp'),
  ])
  assert.equal(root.body, mcp.body)
})

test('the REST API has a document of its own, which its challenges name', async () => {
  const challenge = String((await service.call('GET', '/organizations', { token: null })).headers['www-authenticate'])
  const address = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? ''
  const metadata = await read(new URL(address).pathname)
  assert.equal(metadata.resource, 'https://stint.test/rest/v2')
  assert.deepEqual(metadata.authorization_servers, ['https://stint.test'])
  assert.deepEqual(new Set(metadata.scopes_supported), new Set(used(() => true)))
})

test('the authorization server metadata names every endpoint and what it supports', async () => {
  const { scopes_supported, ...metadata } = await read('/.well-known/oauth-authorization-server')
  const scopes = new Set([...contract_scopes, ...used(() => true)])
  verifies('4.6.authorization-server').deepEqual(new Set(scopes_supported), scopes)
  verifies('4.6.authorization-server').deepEqual(metadata, {
    issuer: 'https://stint.test',
    authorization_endpoint: 'https://stint.test/oauth/authorize',
    token_endpoint: 'https://stint.test/oauth/token',
    registration_endpoint: 'https://stint.test/oauth/register',
    revocation_endpoint: 'https://stint.test/oauth/revoke',
    introspection_endpoint: 'https://stint.test/oauth/introspect',
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'],
    token_endpoint_auth_signing_alg_values_supported: ['RS256', 'PS256', 'ES256', 'EdDSA'],
    revocation_endpoint_auth_methods_supported: [
      'none',
      'client_secret_basic',
      'client_secret_post',
      'private_key_jwt',
    ],
    revocation_endpoint_auth_signing_alg_values_supported: ['RS256', 'PS256', 'ES256', 'EdDSA'],
    introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
    introspection_endpoint_auth_signing_alg_values_supported: ['RS256', 'PS256', 'ES256', 'EdDSA'],
    client_id_metadata_document_supported: true,
    protected_resources: ['https://stint.test/mcp', 'https://stint.test/rest/v2'],
    service_documentation: 'https://stint.test/docs',
  })
})

const documents = [
  '/.well-known/oauth-protected-resource',
  '/.well-known/oauth-protected-resource/mcp',
  '/.well-known/oauth-protected-resource/rest/v2',
  '/.well-known/oauth-authorization-server',
]
for (const url of documents) {
  test(`inspector.browser: ${url} is open to scripts of every origin and kept for five minutes`, async () => {
    const preflight = await service.app.inject({ method: 'OPTIONS', url })
    assert.equal(preflight.statusCode, 204)
    assert.match(String(preflight.headers['access-control-allow-headers']), /mcp-protocol-version/)
    const { headers, statusCode } = await get(url)
    assert.equal(statusCode, 200)
    assert.equal(headers['access-control-allow-origin'], '*')
    assert.equal(headers['access-control-allow-credentials'], undefined)
    assert.equal(headers['cache-control'], 'public, max-age=300')
    assert.match(String(headers['content-type']), /^application\/json/)
    const head = await service.app.inject({ method: 'HEAD', url })
    assert.deepEqual([head.statusCode, head.body], [200, ''])
    const post = await service.app.inject({ method: 'POST', url })
    assert.deepEqual([post.statusCode, post.headers.allow], [405, 'GET, HEAD, OPTIONS'])
  })
}

test('there is no OpenID configuration, and a page can read that there is none', async () => {
  const { statusCode, headers } = await get('/.well-known/openid-configuration')
  assert.deepEqual([statusCode, headers['access-control-allow-origin']], [404, '*'])
})

for (const path of ['/oauth/register', '/oauth/token', '/oauth/revoke']) {
  test(`inspector.browser: a page on another origin passes the preflight of ${path} and reads its refusals`, async () => {
    const origin = 'http://localhost:6274'
    const asked = { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' }
    const preflight = await service.app.inject({ method: 'OPTIONS', url: path, headers: asked })
    assert.equal(preflight.statusCode, 204)
    assert.equal(preflight.headers['access-control-allow-origin'], '*')
    assert.match(String(preflight.headers['access-control-allow-methods']), /POST/)
    assert.match(String(preflight.headers['access-control-allow-headers']), /authorization.*content-type/)
    const refused = await service.app.inject({ method: 'POST', url: path, headers: { origin } })
    assert.ok(refused.statusCode >= 400)
    assert.equal(refused.headers['access-control-allow-origin'], '*')
  })
}

for (const path of ['/oauth/introspect', '/oauth/authorize']) {
  test(`no page of another origin calls ${path}`, async () => {
    const headers = { origin: 'http://localhost:6274', 'access-control-request-method': 'POST' }
    const preflight = await service.app.inject({ method: 'OPTIONS', url: path, headers })
    assert.deepEqual([preflight.statusCode, preflight.headers['access-control-allow-origin']], [405, undefined])
  })
}
