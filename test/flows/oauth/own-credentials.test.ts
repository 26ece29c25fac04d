import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Connection, connect, type SignedIn, signIn } from '#test/oauth.ts'
import { startTestService, type TestService } from '#test/service.ts'

const rest = { resource: 'https://stint.test/rest/v2' }

let service: TestService
let user: SignedIn
before(async () => {
  service = await startTestService()
  user = await signIn(service)
})
after(() => service.close())

const call = async (method: string, path: string, token: string) => (await service.call(method, path, { token })).status
const works = async ({ access_token }: Pick<Connection, 'access_token'>) =>
  (await call('GET', '/contracts', access_token)) === 200

/** An app that was allowed these scopes, with its permission's id. */
async function appWith(...scopes: string[]) {
  const connection = await connect(service, user, { ...rest, scope: scopes.join(' ') }, { scopes })
  const { body } = await service.call('GET', '/oauth-grants')
  const grant = body.data.find(({ client_id }: { client_id: string }) => client_id === connection.client_id)
  return { ...connection, path: `/oauth-grants/${grant.id}` }
}

test('an app without the scope sees and ends no credential of its user but itself', async () => {
  const manager = await appWith('tokens:write', 'contracts:read')
  const [reader, other] = [await appWith('contracts:read'), await appWith('contracts:read')]
  const { body: own } = await service.call('POST', '/api-tokens', {
    token: manager.access_token,
    body: { name: 'Laptop', type: 'personal', scopes: ['contracts:read'] },
  })
  const refused: [string, string][] = [
    ['GET', '/api-tokens'],
    ['GET', `/api-tokens/${own.id}`],
    ['DELETE', `/api-tokens/${own.id}`],
    ['GET', '/oauth-grants'],
    ['DELETE', other.path],
  ]
  for (const [method, path] of refused)
    assert.equal(await call(method, path, reader.access_token), 403, `${method} ${path}`)
  assert.deepEqual([await works({ access_token: own.token }), await works(other)], [true, true])
  assert.equal(await call('DELETE', reader.path, reader.access_token), 204)
  assert.ok(!(await works(reader)))
  assert.equal(await call('DELETE', `/api-tokens/${own.id}`, manager.access_token), 204)
})
