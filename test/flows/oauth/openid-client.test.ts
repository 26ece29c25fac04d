import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { exportJWK, generateKeyPair } from 'jose'
import * as client from 'openid-client'
import { type HttpsService, startHttpsService } from '#test/https-service.ts'
import { allow, signIn } from '#test/oauth.ts'

let service: HttpsService
before(async () => {
  service = await startHttpsService()
})
after(() => service.close())

const redirect_uri = 'http://127.0.0.1:49152/callback'
const registration = {
  client_name: 'Independent',
  redirect_uris: ['http://127.0.0.1/callback'],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
}
const options = () => ({ algorithm: 'oauth2' as const, [client.customFetch]: service.fetch as never })

test('openid-client: from discovery and registration to a call, refresh and revocation', async () => {
  await service.clock.set(new Date().toISOString())
  const user = await signIn(service)
  const keys = await generateKeyPair('ES256')
  const jwks = { keys: [{ ...(await exportJWK(keys.publicKey)), kid: 'one' }] }
  const config = await client.dynamicClientRegistration(
    new URL(service.origin),
    { ...registration, token_endpoint_auth_method: 'private_key_jwt', jwks },
    client.PrivateKeyJwt({ key: keys.privateKey, kid: 'one' }),
    options(),
  )
  const resource = `${service.origin}/rest/v2`
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const expectedState = client.randomState()
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri,
    scope: 'contracts:read',
    resource,
    state: expectedState,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  })
  const sent = await service.fetch(url, { redirect: 'manual' })
  const request_id = sent.headers.get('location')?.split('/').at(-1) ?? assert.fail(await sent.text())
  const returned = await allow(service, request_id, user.cookie)
  const first = await client.authorizationCodeGrant(config, returned, { pkceCodeVerifier, expectedState })
  assert.equal(first.scope, 'contracts:read')
  const second = await client.refreshTokenGrant(config, first.refresh_token ?? '')
  const list = new URL(`${resource}/contracts`)
  const answered = await client.fetchProtectedResource(config, second.access_token, list, 'GET')
  assert.equal(answered.status, 200)
  assert.equal((await client.tokenIntrospection(config, second.access_token)).active, true)
  await client.tokenRevocation(config, second.refresh_token ?? '')
  assert.deepEqual(await client.tokenIntrospection(config, second.access_token), { active: false })
})

test('openid-client: a managed client gets a token for its organization, also for the tools', async () => {
  const body = { name: 'Nightly export', grant_types: ['client_credentials'], scopes: ['contracts:read'] }
  const { body: made } = await service.call('POST', '/oauth-clients', { body })
  const auth = client.ClientSecretBasic(made.client_secret)
  const config = await client.discovery(new URL(service.origin), made.client_id, undefined, auth, options())
  const tokens = await client.clientCredentialsGrant(config, { resource: `${service.origin}/mcp` })
  assert.deepEqual([tokens.scope, tokens.refresh_token], ['contracts:read', undefined])
  await assert.rejects(client.clientCredentialsGrant(config, { scope: 'contracts:write' }), { error: 'invalid_scope' })
  await assert.rejects(client.clientCredentialsGrant(config, { resource: service.origin }), { error: 'invalid_target' })
})
