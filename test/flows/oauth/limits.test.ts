import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newToken } from '#identity/token-format.ts'
import { connect, encoded, type Overrides, register, signIn } from '#test/oauth.ts'
import { startTestService, type TestService } from '#test/service.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

async function send(
  form: Overrides,
  remoteAddress: string,
  headers: Record<string, string> = {},
  url: '/oauth/token' | '/oauth/revoke' | '/oauth/introspect' = '/oauth/token',
) {
  const answer = await service.app.inject({
    method: 'POST',
    url,
    remoteAddress,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: encoded(form),
  })
  return { status: answer.statusCode, error: answer.json().error, retry_after: answer.headers['retry-after'] }
}

test('60 refused tokens in ten minutes stop further ones of a client at one network, and no good one', async () => {
  const { client_id, refresh_token } = await connect(service, await signIn(service))
  const other = (await register(service)).client_id
  const guess = (id: string, address: string) =>
    send({ grant_type: 'refresh_token', client_id: id, refresh_token: newToken('refresh', false) }, address)
  for (let guesses = 0; guesses < 60; guesses += 1) {
    const { status, error } = await guess(client_id, '192.0.2.1')
    assert.deepEqual([status, error], [400, 'invalid_grant'])
  }
  const { status, error, retry_after } = await guess(client_id, '192.0.2.1')
  assert.deepEqual([status, error], [429, 'temporarily_unavailable'])
  assert.ok(Number(retry_after) > 0)
  assert.equal((await guess(other, '192.0.2.1')).status, 400)
  assert.equal((await guess(client_id, '192.0.2.2')).status, 400)
  assert.equal((await send({ grant_type: 'refresh_token', client_id, refresh_token }, '192.0.2.1')).status, 200)
  await service.clock.advance(600_000)
  assert.equal((await guess(client_id, '192.0.2.1')).status, 400)
})

test('600 failures in ten minutes stop further ones of a network, whichever clients it invents and whichever endpoint it asks', async () => {
  const endpoints = ['/oauth/token', '/oauth/revoke', '/oauth/introspect'] as const
  const invented = (n: number, address = '198.51.100.1') => {
    const form = { grant_type: 'refresh_token', client_id: `cli_${n}`, refresh_token: 'x', token: 'x' }
    return send(form, address, {}, endpoints[n % endpoints.length])
  }
  for (let failures = 0; failures < 600; failures += 1) {
    const { status, error } = await invented(failures)
    assert.deepEqual([status, error], [401, 'invalid_client'], String(failures))
  }
  for (const n of [601, 602, 603]) {
    const { status, error, retry_after } = await invented(n)
    assert.deepEqual([status, error], [429, 'temporarily_unavailable'])
    assert.ok(Number(retry_after) > 0)
  }
  assert.equal((await invented(604, '198.51.100.2')).status, 401)
  await service.clock.advance(600_000)
  assert.equal((await invented(605)).status, 401)
})

test('600 refused requests in a minute stop further ones of a public client at one network; one with a secret is counted as a whole', async () => {
  const open = (await register(service)).client_id
  const secret = await register(service, { token_endpoint_auth_method: 'client_secret_basic' })
  const basic = { authorization: `Basic ${btoa(`${secret.client_id}:${secret.client_secret}`)}` }
  // Refused for a reason that is no guess, so that only requests count.
  const wrong = { grant_type: 'client_credentials' }
  const byOpen = (address: string) => send({ ...wrong, client_id: open }, address)
  const bySecret = (address: string) => send(wrong, address, basic)
  for (let requests = 0; requests < 600; requests += 1) {
    assert.equal((await byOpen('192.0.2.3')).error, 'unauthorized_client')
    assert.equal((await bySecret('192.0.2.3')).error, 'unauthorized_client')
  }
  const statuses = [await byOpen('192.0.2.3'), await byOpen('192.0.2.4'), await bySecret('192.0.2.4')]
  assert.deepEqual(
    statuses.map(({ status }) => status),
    [429, 400, 429],
  )
})
