import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newId } from '#core/values.ts'
import { authorize, connect, consent, pkce, register, requestIdOf, type SignedIn, signIn } from '#test/oauth.ts'
import { startTestService, type TestService } from '#test/service.ts'

const rest = { resource: 'https://stint.test/rest/v2' }

let service: TestService
let user: SignedIn
before(async () => {
  service = await startTestService()
  user = await signIn(service)
})
after(() => service.close())

const createToken = (token: string, headers: Record<string, string> = {}) =>
  service.call('POST', '/api-tokens', { token, body: { name: 'Nightly export', scopes: ['contracts:read'] }, headers })

test('tenant.handle: grants, tokens and cursors of another organization are as if unknown', async () => {
  const elsewhere = await service.createOrganization({ name: 'Elsewhere' })
  const connection = await connect(service, user, rest)
  const [{ id }] = (await service.call('GET', '/oauth-grants')).body.data
  const { body: foreign } = await service.call('DELETE', `/oauth-grants/${id}`, { token: elsewhere.token })
  const { body: unknown } = await service.call('DELETE', `/oauth-grants/${newId(0)}`, { token: elsewhere.token })
  assert.deepEqual({ ...foreign, request_id: '' }, { ...unknown, request_id: '' })
  assert.deepEqual((await service.call('GET', '/oauth-grants', { token: elsewhere.token })).body.data, [])
  await connect(service, user, rest)
  const { cursor } = (await service.call('GET', '/oauth-grants?limit=1')).body
  assert.equal((await service.call('GET', `/oauth-grants?cursor=${cursor}`, { token: elsewhere.token })).status, 400)
  assert.equal((await service.call('GET', '/contracts', { token: connection.access_token })).status, 200)
})

const otherHandles: [name: string, work: (elsewhere: { token: string }) => Promise<void>][] = [
  [
    'an API token',
    async ({ token }) => {
      const { id } = (await createToken(service.organization.token)).body
      for (const [method, path] of [
        ['GET', ''],
        ['DELETE', ''],
        ['POST', '/rotate'],
      ] as const) {
        const refused = await Promise.all(
          [id, newId(0)].map((handle) => service.call(method, `/api-tokens/${handle}${path}`, { token })),
        )
        assert.deepEqual(
          refused.map(({ status, body }) => [status, body.code, body.detail]),
          Array(2).fill([404, 'not_found', refused[1]?.body.detail]),
        )
      }
    },
  ],
  [
    'an idempotency key',
    async ({ token }) => {
      const key = { 'idempotency-key': 'nightly' }
      const [own, theirs] = [await createToken(service.organization.token, key), await createToken(token, key)]
      assert.deepEqual([own.status, theirs.status], [201, 201])
      assert.notEqual(own.body.token, theirs.body.token)
      assert.equal(theirs.headers['idempotent-replayed'], undefined)
    },
  ],
  [
    'a request on the consent page',
    async () => {
      const { client_id } = await register(service)
      const request_id = requestIdOf(await authorize(service, client_id, pkce().challenge))
      await consent(service, 'GET', request_id, user)
      const other = await signIn(service)
      const refused = await Promise.all(
        [request_id, 'x'.repeat(43)].map((handle) => consent(service, 'GET', handle, other)),
      )
      assert.deepEqual(
        refused.map(({ status, body }) => [status, body.detail]),
        Array(2).fill([404, refused[1]?.body.detail]),
      )
    },
  ],
]
for (const [name, work] of otherHandles) {
  test(`tenant.handle: ${name} of another organization or user is as if unknown`, async () =>
    work(await service.createOrganization({ name: 'Elsewhere' })))
}
