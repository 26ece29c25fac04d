import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { raw, sql } from '#db/database.ts'
import { authorize, connect, obtainCode, pkce, redeem, refresh, register, signIn } from '#test/oauth.ts'
import { startTestService, type TestService } from '#test/service.ts'

const day_ms = 86_400_000
const rest = { resource: 'https://stint.test/rest/v2' }

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const rowsIn = (table: string) =>
  service.database.database.transaction({ role: 'owner' }, async (tx) => {
    const row = await tx.row<{ rows: number }>(sql`select count(*)::int as rows from ${raw(table)}`)
    return row?.rows ?? 0
  })
const tables = ['oauth_requests', 'oauth_codes', 'oauth_refresh_tokens', 'oauth_grants', 'oauth_clients']
const counts = async () => Object.fromEntries(await Promise.all(tables.map(async (name) => [name, await rowsIn(name)])))

test('what ended is removed when its time is over, and nothing that lives', async () => {
  const user = await signIn(service)
  const used = await connect(service, user, rest)
  const { client_id } = await register(service)
  await authorize(service, client_id, pkce().challenge)
  const never = await obtainCode(service, client_id, user)
  await service.cleanUp.run()
  assert.deepEqual(await counts(), {
    oauth_requests: 3,
    oauth_codes: 2,
    oauth_refresh_tokens: 1,
    oauth_grants: 2,
    oauth_clients: 2,
  })
  await service.clock.advance(1.1 * day_ms)
  await service.takeEvents()
  await service.cleanUp.run()
  // The grant whose code nobody fetched has ended; codes and requests are gone.
  assert.deepEqual(
    (await service.takeEvents()).map(({ event_type }) => event_type),
    ['oauth-grant.revoked'],
  )
  assert.deepEqual(await counts(), {
    oauth_requests: 0,
    oauth_codes: 0,
    oauth_refresh_tokens: 1,
    oauth_grants: 2,
    oauth_clients: 2,
  })
  assert.equal((await redeem(service, never)).body.error, 'invalid_grant')
  await service.clock.advance(28 * day_ms)
  const next = await refresh(service, used.client_id, used.refresh_token)
  assert.equal(next.status, 200)
  await service.clock.advance(29 * day_ms)
  await service.cleanUp.run()
  // One client was used 29 days ago; the other never, and nothing of it lives.
  assert.equal((await counts()).oauth_clients, 1)
  assert.equal((await refresh(service, used.client_id, next.body.refresh_token)).status, 200)
  await service.clock.advance(91 * day_ms)
  await service.cleanUp.run()
  await service.clock.advance(61 * day_ms)
  await service.cleanUp.run()
  assert.deepEqual(await counts(), {
    oauth_requests: 0,
    oauth_codes: 0,
    oauth_refresh_tokens: 0,
    oauth_grants: 0,
    oauth_clients: 0,
  })
})

test('a grant that nobody used for 30 days ends, with what was created with it', async () => {
  const user = await signIn(service)
  const { access_token, client_id, refresh_token } = await connect(
    service,
    user,
    { ...rest, scope: 'tokens:write contracts:read' },
    { scopes: ['tokens:write', 'contracts:read'] },
  )
  const made = await service.call('POST', '/api-tokens', {
    token: access_token,
    body: { name: 'child', scopes: ['contracts:read'] },
  })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const works = async () => (await service.call('GET', '/contracts', { token: made.body.token })).status === 200
  assert.equal(made.body.expires_at, new Date(service.clock.now() + 365 * day_ms).toISOString())
  await service.clock.advance(30 * day_ms)
  await service.cleanUp.run()
  assert.ok(await works())
  await service.clock.advance(1)
  await service.cleanUp.run()
  assert.ok(!(await works()))
  // Its client registered itself and did nothing else: it is gone too, and registers again.
  assert.equal((await refresh(service, client_id, refresh_token)).body.error, 'invalid_client')
})

test('the digest of a token is dropped 90 days after its end; its row stays', async () => {
  const { body } = await service.call('POST', '/api-tokens', { body: { name: 'old', scopes: ['contracts:read'] } })
  await service.call('DELETE', `/api-tokens/${body.id}`)
  const digest = () =>
    service.database.database.transaction({ role: 'owner' }, (tx) =>
      tx.row<{ digest: Buffer | null }>(sql`select digest from access_tokens where id = ${body.id}`),
    )
  await service.clock.advance(90 * day_ms)
  await service.cleanUp.run()
  assert.ok((await digest())?.digest)
  await service.clock.advance(1)
  await service.cleanUp.run()
  assert.deepEqual(await digest(), { digest: null })
  assert.equal((await service.call('GET', `/api-tokens/${body.id}`)).status, 200)
})
