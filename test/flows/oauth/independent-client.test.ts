import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { exportJWK } from 'jose'
import * as oauth from 'oauth4webapi'
import { type ClientHost, startClientHost } from '#test/client-host.ts'
import { createContract } from '#test/factories.ts'
import { type HttpsService, startHttpsService } from '#test/https-service.ts'
import { allow, type SignedIn, signIn } from '#test/oauth.ts'
import { answer, type Receiver } from '#test/receiver.ts'
import { verifies } from '#test/verifies.ts'

let clients: ClientHost
let host: Receiver
let service: HttpsService
before(async () => {
  clients = await startClientHost()
  host = clients.host
  service = await startHttpsService(clients.settings)
  await createContract(service)
})
after(async () => {
  await service.close()
  await clients.close()
})

const redirect_uri = 'http://127.0.0.1:49152/callback'
const registration = {
  client_name: 'Independent',
  redirect_uris: ['http://127.0.0.1/callback'],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
}
const options = () => ({ [oauth.customFetch]: service.fetch as never })

/** From the address of a resource to its authorization server, checked as the library checks it. */
async function discover(resource: string): Promise<oauth.AuthorizationServer> {
  const url = new URL(resource)
  const { authorization_servers } = await oauth.processResourceDiscoveryResponse(
    url,
    await oauth.resourceDiscoveryRequest(url, options()),
  )
  assert.deepEqual(authorization_servers, [service.origin])
  const issuer = new URL(service.origin)
  return oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...options() }),
  )
}

async function register(as: oauth.AuthorizationServer, fields: Record<string, unknown>): Promise<oauth.Client> {
  const response = await oauth.dynamicClientRegistrationRequest(as, { ...registration, ...fields }, options())
  return oauth.processDynamicClientRegistrationResponse(response)
}

/** The browser's part: authorization request, consent, and back with parameters that the library checks (`iss`, `state`). */
async function codeFor(as: oauth.AuthorizationServer, client: oauth.Client, user: SignedIn, resource: string) {
  const verifier = oauth.generateRandomCodeVerifier()
  const state = oauth.generateRandomState()
  const url = new URL(as.authorization_endpoint ?? '')
  const query = {
    client_id: client.client_id,
    redirect_uri,
    response_type: 'code',
    scope: 'contracts:read',
    state,
    resource,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  const sent = await service.fetch(url, { redirect: 'manual' })
  const request_id = /\/console\/authorize\/([\w-]{43})$/.exec(sent.headers.get('location') ?? '')?.[1]
  assert.ok(request_id, await sent.text())
  const returned = await allow(service, request_id, user.cookie)
  return { verifier, parameters: oauth.validateAuthResponse(as, client, returned, state) }
}

/** A client goes by what the metadata say of an endpoint. */
function assertAdvertised(
  as: oauth.AuthorizationServer,
  endpoint: string,
  { token_endpoint_auth_method }: oauth.Client,
) {
  const methods = as[`${endpoint}_endpoint_auth_methods_supported`]
  assert.ok(Array.isArray(methods) && methods.includes(token_endpoint_auth_method ?? ''), `${endpoint}: ${methods}`)
}

/** Code, call, refresh, introspection where the client may ask, revocation. */
async function wholeFlow(as: oauth.AuthorizationServer, client: oauth.Client, auth: oauth.ClientAuth): Promise<void> {
  // The library signs by the clock of this computer.
  await service.clock.set(new Date().toISOString())
  const user = await signIn(service)
  const resource = `${service.origin}/rest/v2`
  const { verifier, parameters } = await codeFor(as, client, user, resource)
  const first = await oauth.processAuthorizationCodeResponse(
    as,
    client,
    await oauth.authorizationCodeGrantRequest(as, client, auth, parameters, redirect_uri, verifier, options()),
  )
  const { refresh_token = '' } = first
  assert.deepEqual([first.scope, first.expires_in, first.token_type], ['contracts:read', 3_600, 'bearer'])
  const second = await oauth.processRefreshTokenResponse(
    as,
    client,
    await oauth.refreshTokenGrantRequest(as, client, auth, refresh_token, options()),
  )
  assert.notEqual(second.refresh_token, refresh_token)
  const list = new URL(`${resource}/contracts`)
  const call = (token = second.access_token) =>
    oauth.protectedResourceRequest(token, 'GET', list, undefined, undefined, options())
  verifies('4.6.token').deepEqual([(await call(first.access_token)).status, (await call()).status], [200, 200])
  for (const endpoint of ['token', 'revocation']) assertAdvertised(as, endpoint, client)
  if (client.token_endpoint_auth_method !== 'none') {
    assertAdvertised(as, 'introspection', client)
    const introspected = await oauth.processIntrospectionResponse(
      as,
      client,
      await oauth.introspectionRequest(as, client, auth, second.access_token, options()),
    )
    assert.deepEqual([introspected.active, introspected.client_id], [true, client.client_id])
  }
  const revocation = await oauth.revocationRequest(as, client, auth, second.refresh_token ?? '', options())
  await oauth.processRevocationResponse(revocation)
  await assert.rejects(call(), oauth.WWWAuthenticateChallengeError)
}

test('oauth4webapi: a public client discovers, registers, connects, refreshes and revokes', async () => {
  const as = await discover(`${service.origin}/mcp`)
  assert.deepEqual((await discover(`${service.origin}/rest/v2`)).issuer, as.issuer)
  const client = await register(as, { token_endpoint_auth_method: 'none' })
  const { client_id, client_id_issued_at, ...echoed } = client
  assert.ok(client_id && client_id_issued_at)
  const sent = { ...registration, token_endpoint_auth_method: 'none' }
  verifies('4.6.registration', '9.registration').deepEqual(echoed, sent)
  await wholeFlow(as, client, oauth.None())
})

for (const [method, authOf] of [
  ['client_secret_basic', oauth.ClientSecretBasic],
  ['client_secret_post', oauth.ClientSecretPost],
] as const) {
  test(`oauth4webapi: a client with ${method} goes the whole way`, async () => {
    const as = await discover(`${service.origin}/mcp`)
    const client = await register(as, { token_endpoint_auth_method: method })
    assert.equal(typeof client.client_secret, 'string')
    await wholeFlow(as, client, authOf(String(client.client_secret)))
  })
}

for (const alg of ['RS256', 'PS256', 'ES256', 'Ed25519'] as const) {
  test(`oauth4webapi: a client with private_key_jwt and a key for ${alg} goes the whole way`, async () => {
    const as = await discover(`${service.origin}/mcp`)
    const keys = await oauth.generateKeyPair(alg, { extractable: true })
    const jwks = { keys: [{ ...(await exportJWK(keys.publicKey)), kid: alg }] }
    const client = await register(as, { token_endpoint_auth_method: 'private_key_jwt', jwks })
    await wholeFlow(as, client, oauth.PrivateKeyJwt({ key: keys.privateKey, kid: alg }))
  })
}

test('oauth4webapi: a client that is described by a document signs with the keys at its jwks_uri', async () => {
  const as = await discover(`${service.origin}/mcp`)
  const keys = await oauth.generateKeyPair('RS256', { extractable: true })
  const client_id = `https://localhost:${host.port}/client.json`
  const jwks_uri = `https://localhost:${host.port}/jwks.json`
  const document = { ...registration, client_id, jwks_uri, token_endpoint_auth_method: 'private_key_jwt' }
  const json = (value: unknown) =>
    answer({ headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) })
  host.script(json(document), json({ keys: [{ ...(await exportJWK(keys.publicKey)), kid: 'one' }] }))
  await wholeFlow(as, document, oauth.PrivateKeyJwt({ key: keys.privateKey, kid: 'one' }))
  assert.deepEqual(
    host.requests.map(({ path }) => path),
    ['/client.json', '/jwks.json'],
  )
})

test('oauth4webapi: a managed client acts for its organization with client credentials', async () => {
  const as = await discover(`${service.origin}/rest/v2`)
  const body = { name: 'Nightly export', grant_types: ['client_credentials'], scopes: ['contracts:read'] }
  const { body: made } = await service.call('POST', '/oauth-clients', { body })
  const client = { client_id: made.client_id }
  const auth = oauth.ClientSecretBasic(made.client_secret)
  const tokens = await oauth.processClientCredentialsResponse(
    as,
    client,
    await oauth.clientCredentialsGrantRequest(as, client, auth, {}, options()),
  )
  assert.deepEqual([tokens.scope, tokens.refresh_token], ['contracts:read', undefined])
  const list = new URL(`${service.origin}/rest/v2/contracts`)
  const answered = await oauth.protectedResourceRequest(
    tokens.access_token,
    'GET',
    list,
    undefined,
    undefined,
    options(),
  )
  assert.equal(((await answered.json()) as { total_count: number }).total_count, 1)
})
