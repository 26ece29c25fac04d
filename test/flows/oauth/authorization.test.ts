import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { connect, refresh, signIn } from '#test/oauth.ts'
import { startTestService, type TestService } from '#test/service.ts'
import { verifies } from '#test/verifies.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const rest = { resource: 'https://stint.test/rest/v2' }

test('a client gets from nothing to a call of the REST API, and refreshes', async () => {
  const user = await signIn(service)
  const { client_id, ...tokens } = await connect(service, user, rest)
  assert.match(tokens.access_token, /^stint_oat_/)
  const called = await service.call('GET', '/contracts', { token: tokens.access_token })
  verifies('5.1.oauth', '2.5.bearer').equal(called.status, 200)
  assert.equal((await service.call('GET', '/people', { token: tokens.access_token })).status, 403)
  const next = await refresh(service, client_id, tokens.refresh_token)
  assert.equal(next.status, 200, JSON.stringify(next.body))
  assert.equal((await service.call('GET', '/contracts', { token: next.body.access_token })).status, 200)
})
