import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as client from 'openid-client'
import { type HttpsService, startHttpsService } from '#test/https-service.ts'
import { allow, signIn } from '#test/oauth.ts'

const redirect_uri = 'http://127.0.0.1:49152/callback'

let service: HttpsService
before(async () => {
  service = await startHttpsService()
})
after(() => service.close())

const discovery = () => ({ algorithm: 'oauth2' as const, [client.customFetch]: service.fetch as never })

/** The browser's part, with the answer that the library is to check. */
async function returned(configuration: client.Configuration, parameters: Record<string, string>): Promise<URL> {
  const { cookie } = await signIn(service)
  const sent = await service.fetch(client.buildAuthorizationUrl(configuration, parameters), { redirect: 'manual' })
  const request_id = /\/console\/authorize\/([\w-]{43})$/.exec(sent.headers.get('location') ?? '')?.[1]
  assert.ok(request_id, await sent.text())
  return allow(service, request_id, cookie)
}

test('openid-client: registration, code flow with iss, call, refresh, reuse and revocation', async () => {
  const metadata = {
    client_name: 'Independent',
    redirect_uris: ['http://127.0.0.1/callback'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'client_secret_post',
  }
  const server = new URL(service.origin)
  const configuration = await client.dynamicClientRegistration(server, metadata, client.ClientSecretPost(), discovery())
  const [pkceCodeVerifier, expectedState] = [client.randomPKCECodeVerifier(), client.randomState()]
  const resource = `${service.origin}/rest/v2`
  const url = await returned(configuration, {
    redirect_uri,
    scope: 'contracts:read',
    resource,
    state: expectedState,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  })
  const checks = { pkceCodeVerifier, expectedState }
  const first = await client.authorizationCodeGrant(configuration, url, checks)
  assert.deepEqual([first.scope, first.expires_in], ['contracts:read', 3_600])
  const call = async (token: string) => {
    const list = new URL(`${resource}/contracts`)
    return (await client.fetchProtectedResource(configuration, token, list, 'GET')).status
  }
  assert.equal(await call(first.access_token), 200)
  const second = await client.refreshTokenGrant(configuration, first.refresh_token ?? '')
  assert.equal(await call(second.access_token), 200)
  const introspected = await client.tokenIntrospection(configuration, second.access_token)
  assert.deepEqual([introspected.active, introspected.aud], [true, resource])
  await assert.rejects(client.refreshTokenGrant(configuration, first.refresh_token ?? ''), { error: 'invalid_grant' })
  await client.tokenRevocation(configuration, second.refresh_token ?? '')
  await assert.rejects(call(second.access_token), client.WWWAuthenticateChallengeError)
  await assert.rejects(client.authorizationCodeGrant(configuration, url, checks), { error: 'invalid_grant' })
})

test('openid-client: an answer of another issuer is noticed', async () => {
  const metadata = {
    client_name: 'Independent',
    redirect_uris: ['http://127.0.0.1/callback'],
    grant_types: ['authorization_code'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }
  const server = new URL(service.origin)
  const configuration = await client.dynamicClientRegistration(server, metadata, client.None(), discovery())
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const url = await returned(configuration, {
    redirect_uri,
    scope: 'contracts:read',
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  })
  const forged = new URL(url)
  forged.searchParams.set('iss', 'https://evil.example')
  await assert.rejects(client.authorizationCodeGrant(configuration, forged, { pkceCodeVerifier }))
  assert.ok((await client.authorizationCodeGrant(configuration, url, { pkceCodeVerifier })).access_token)
})
