import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { obtainCode, postForm, redeem, redirect_uri, signIn } from '#test/oauth.ts'
import { startTestService, type TestAnswer, type TestService } from '#test/service.ts'

const rest = { resource: 'https://stint.test/rest/v2', scope: 'tokens:write contracts:read' }
const scopes = ['tokens:write', 'contracts:read']

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

/** A client that acts for users and for its organization, whose maker has no end. */
async function created(): Promise<{ client_id: string; client_secret: string }> {
  const body = {
    name: 'Payroll bridge',
    grant_types: ['authorization_code', 'client_credentials'],
    token_endpoint_auth_method: 'client_secret_post',
    redirect_uris: [redirect_uri],
    resources: ['rest'],
    scopes,
  }
  const answer = await service.call('POST', '/oauth-clients', { body })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body
}

const actingForItself = ({ client_id, client_secret }: { client_id: string; client_secret: string }) =>
  postForm(service, '/oauth/token', { grant_type: 'client_credentials', client_id, client_secret })

/** The client with a permission that an owner gave it for everything it can be given. */
async function allowed(): Promise<{ client_id: string; client_secret: string; access_token: string }> {
  const client = await created()
  const code = await obtainCode(service, client.client_id, await signIn(service), rest, { scopes })
  const { status, body } = await redeem(service, code, { client_secret: client.client_secret })
  assert.equal(status, 200, JSON.stringify(body))
  return { ...client, access_token: body.access_token }
}

const grantOf = async (client_id: string) =>
  (await service.call('GET', '/oauth-grants')).body.data.find(
    (grant: { client_id: string; user_id: string | null }) => grant.client_id === client_id && grant.user_id,
  )

const turned: [name: string, turn: (client_id: string, token: string) => Promise<TestAnswer>][] = [
  [
    'learns a new secret',
    (client_id, token) => service.call('POST', `/oauth-clients/${client_id}/secret`, { token, body: {} }),
  ],
  [
    'turns it to another address',
    (client_id, token) =>
      service.call('PATCH', `/oauth-clients/${client_id}`, {
        token,
        body: { redirect_uris: ['https://evil.example/cb'] },
      }),
  ],
]
for (const [name, turn] of turned) {
  test(`rights: a user’s permission that ${name} of its own client binds the client to its end`, async () => {
    const { client_id, client_secret, access_token } = await allowed()
    const { status, body } = await turn(client_id, access_token)
    assert.ok(status < 300, JSON.stringify(body))
    const grant = await grantOf(client_id)
    assert.deepEqual([body.expires_at, body.created_with], [grant.ends_at, grant.id])
    const secret = body.client_secret ?? client_secret
    assert.equal((await actingForItself({ client_id, client_secret: secret })).status, 200)
    assert.equal((await service.call('DELETE', `/oauth-grants/${grant.id}`)).status, 204)
    assert.equal((await actingForItself({ client_id, client_secret: secret })).body.error, 'invalid_client')
  })
}

test('a client that acts for itself changes its secret and stays as it was bound', async () => {
  const client = await created()
  const { access_token: token } = (await actingForItself(client)).body
  const { body: former } = await service.call('GET', `/oauth-clients/${client.client_id}`)
  const { status, body } = await service.call('POST', `/oauth-clients/${client.client_id}/secret`, { token, body: {} })
  assert.equal(status, 201, JSON.stringify(body))
  assert.deepEqual([body.expires_at, body.created_with], [former.expires_at, former.created_with])
  assert.equal((await actingForItself({ ...client, client_secret: body.client_secret })).status, 200)
})
