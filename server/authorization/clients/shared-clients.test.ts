import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { obtainCode, redeem, refresh, register, signIn } from '#test/oauth.ts'
import { startTestService, type TestService } from '#test/service.ts'
import { keepDocumentClient } from './client.store.ts'
import type { ClientMetadata } from './client.ts'

const rest = { resource: 'https://stint.test/rest/v2' }

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const call = (method: 'GET' | 'PATCH' | 'POST' | 'DELETE', path: string, token: string, body?: object) =>
  service.call(method, `/oauth-clients${path}`, { token, ...(body && { body }) })
const decide = (client_id: string, verdict: string, token: string) => call('PATCH', `/${client_id}`, token, { verdict })

/** Lets a client act for a member of an organization. */
async function connectTo(client_id: string, organization_id: string): Promise<{ refresh_token: string }> {
  const code = await obtainCode(service, client_id, await signIn(service, { organization_id }), rest)
  const { status, body } = await redeem(service, code)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

test('tenant.handle: a client that only others use is as if unknown, until the organization decides about it', async () => {
  const { client_id } = await register(service)
  const { token } = await service.createOrganization()
  await connectTo(client_id, service.organization.id)
  for (const answer of [
    await call('GET', `/${client_id}`, token),
    await call('DELETE', `/${client_id}`, token),
    await call('POST', `/${client_id}/secret`, token, {}),
  ]) {
    assert.equal(`${answer.status} ${answer.body.code}`, '404 not_found')
  }
  const { status, body } = await decide(client_id, 'blocked', token)
  assert.deepEqual([status, body.verdict, body.last_used_at], [200, 'blocked', null])
  assert.equal((await call('GET', `/${client_id}`, token)).body.verdict, 'blocked')
  assert.equal((await decide(client_id, 'none', token)).body.verdict, 'none')
  assert.equal((await call('GET', `/${client_id}`, token)).status, 404)
})

test('the last use of a client of others is that of the own organization', async () => {
  const { client_id } = await register(service)
  const other = await service.createOrganization()
  const shown = async (token: string) => {
    const { body } = await call('GET', `/${client_id}`, token)
    const listed = (await call('GET', '', token)).body.data.find(({ id }: { id: string }) => id === client_id)
    assert.equal(listed.last_used_at, body.last_used_at)
    return body.last_used_at
  }
  const now = () => new Date(service.clock.now()).toISOString()
  const { refresh_token } = await connectTo(client_id, service.organization.id)
  const first = now()
  await decide(client_id, 'verified', other.token)
  assert.deepEqual([await shown(service.organization.token), await shown(other.token)], [first, null])
  await service.clock.advance(7_200_000)
  await connectTo(client_id, other.id)
  const second = now()
  assert.deepEqual([await shown(service.organization.token), await shown(other.token)], [first, second])
  await service.clock.advance(7_200_000)
  assert.equal((await refresh(service, client_id, refresh_token)).status, 200)
  assert.deepEqual([await shown(service.organization.token), await shown(other.token)], [now(), second])
})

test('a document that is read again for anybody changes nothing that organizations see, unless it says something else', async () => {
  const client_id = 'https://app.example/client.json'
  const document: ClientMetadata = {
    name: 'App Example',
    description: null,
    redirect_uris: ['https://app.example/callback'],
    grant_types: ['authorization_code', 'refresh_token'],
    auth_methods: ['private_key_jwt'],
    application_type: null,
    code_challenge_method: null,
    client_uri: null,
    logo_uri: null,
    scopes: null,
    jwks: { keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'AA' }] },
    jwks_uri: null,
  }
  const read = (changes: Partial<ClientMetadata> = {}) =>
    service.database.database.transaction({ role: 'lookup' }, (tx) =>
      keepDocumentClient(tx, { ...document, ...changes, client_id }, 300),
    )
  const { token } = service.organization
  const seen = async () => (await call('GET', `/${encodeURIComponent(client_id)}`, token)).body
  await read()
  await decide(encodeURIComponent(client_id), 'verified', token)
  const first = await seen()
  await service.clock.advance(3_600_000)
  await read()
  assert.deepEqual(await seen(), first)
  await read({ redirect_uris: ['https://app.example/other'] })
  const changed = await seen()
  assert.deepEqual(changed.redirect_uris, ['https://app.example/other'])
  assert.equal(changed.updated_at, new Date(service.clock.now()).toISOString())
})
