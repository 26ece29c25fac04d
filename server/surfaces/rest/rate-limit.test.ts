import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '#core/problems.ts'
import { createRateLimit } from '#core/rate-limit.ts'
import { DatabaseUnavailable } from '#db/errors.ts'
import { connect, refresh, signIn } from '#test/oauth.ts'
import { useTestService } from '#test/service.ts'
import { post, request } from '#test/tool-client.ts'
import { createHttpServer } from '../http-server.ts'
import { mountRest } from './rest.ts'

const window_s = 60

function limitOf(requests_max: number) {
  let now_ms = 0
  const limit = createRateLimit('requests', { requests_max, window_s, now: () => now_ms })
  const wait = (by_ms: number) => {
    now_ms += by_ms
  }
  return { limit, wait }
}

const isLimited = (error: unknown) => error instanceof Problem && error.definition.code === 'rate_limited'

test('so many requests pass and the next one is told how long to wait', () => {
  const { limit, wait } = limitOf(2)
  assert.deepEqual(limit.take('a'), { 'RateLimit-Policy': '"requests";q=2;w=60', RateLimit: '"requests";r=1;t=60' })
  wait(30_000)
  assert.equal(limit.take('a').RateLimit, '"requests";r=0;t=30')
  assert.throws(
    () => limit.take('a'),
    (error) => isLimited(error) && (error as Problem).details.headers?.['Retry-After'] === '30',
  )
})

test('a new window begins when the old one ends', () => {
  const { limit, wait } = limitOf(1)
  limit.take('a')
  wait(window_s * 1_000 - 1)
  assert.throws(() => limit.take('a'), isLimited)
  wait(1)
  assert.equal(limit.take('a').RateLimit, '"requests";r=0;t=60')
})

test('keys are counted apart', () => {
  const { limit } = limitOf(1)
  limit.take('a')
  assert.doesNotThrow(() => limit.take('b'))
})

test('a look does not count, and refuses when nothing is left', () => {
  const { limit } = limitOf(1)
  for (let looks = 0; looks < 5; looks += 1) limit.check('a')
  limit.take('a')
  assert.throws(() => limit.check('a'), isLimited)
})

test('memory stays bounded: the key counted longest ago is forgotten', () => {
  const { limit } = limitOf(1)
  limit.take('first')
  for (let index = 0; index < 50_000; index += 1) limit.take(`key ${index}`)
  assert.doesNotThrow(() => limit.take('first'))
})

test('a credential beyond its requests answers 429 with the time to wait, another one is served', async (t) => {
  const service = await useTestService(t, { STINT_RATE_LIMIT_REQUESTS: '2' })
  const other = await service.createToken(service.organization.id)
  const answers = [await service.call('GET', '/organizations'), await service.call('GET', '/organizations')]
  const refused = await service.call('GET', '/organizations')
  assert.deepEqual(
    [...answers, refused].map(({ status, body }) => [status, body.code]),
    [
      [200, undefined],
      [200, undefined],
      [429, 'rate_limited'],
    ],
  )
  assert.match(String(refused.headers['retry-after']), /^\d+$/)
  assert.equal((await service.call('GET', '/organizations', { token: other })).status, 200)
  await service.clock.advance(61_000)
  assert.equal((await service.call('GET', '/organizations')).status, 200)
})

const tools_call = request('tools/call', { name: 'list_contracts', arguments: {} })

for (const resource of ['rest/v2', 'mcp']) {
  test(`the tokens of one grant are counted together at /${resource}: a fresh one brings no fresh window`, async (t) => {
    const service = await useTestService(t, { STINT_RATE_LIMIT_REQUESTS: '3' })
    const user = await signIn(service)
    const wished = { resource: `https://stint.test/${resource}` }
    const statusWith = async (token: string) =>
      (resource === 'mcp'
        ? await post(service, tools_call, { token })
        : await service.call('GET', '/contracts', { token })
      ).status
    const { client_id, access_token, refresh_token } = await connect(service, user, wished)
    const statuses: number[] = []
    for (let requests = 0; requests < 4; requests += 1) statuses.push(await statusWith(access_token))
    const { body: fresh } = await refresh(service, client_id, refresh_token)
    statuses.push(await statusWith(fresh.access_token))
    assert.deepEqual(statuses, [200, 200, 200, 429, 429])
    const other = await connect(service, user, wished)
    assert.equal(await statusWith(other.access_token), 200)
    await service.clock.advance(61_000)
    assert.equal(await statusWith(fresh.access_token), 200)
  })
}

test('beyond its refused credentials an address is told to wait with each further one, and a good one is served', async (t) => {
  const service = await useTestService(t, { STINT_RATE_LIMIT_FAILURES: '3' })
  const statuses: number[] = []
  for (let turn = 0; turn < 5; turn += 1)
    statuses.push((await service.call('GET', '/organizations', { token: 'no' })).status)
  assert.deepEqual(statuses, [401, 401, 401, 429, 429])
  assert.equal((await service.call('GET', '/organizations')).status, 200)
})

test('looks at well-behaved callers push no counted one out', () => {
  const { limit } = limitOf(1)
  limit.take('counted')
  for (let looks = 0; looks < 60_000; looks += 1) limit.check(String(looks))
  assert.throws(() => limit.check('counted'), isLimited)
})

test('refused credentials are counted for the network of an IPv6 address, which one caller has to itself', async (t) => {
  const service = await useTestService(t, { STINT_RATE_LIMIT_FAILURES: '2' })
  const statuses: number[] = []
  for (const remoteAddress of ['2001:db8::1', '2001:db8::2', '2001:db8::3', '2001:db8:0:1::1']) {
    const url = '/rest/v2/organizations'
    const answer = await service.app.inject({ url, remoteAddress, headers: { authorization: 'Bearer wrong' } })
    statuses.push(answer.statusCode)
  }
  assert.deepEqual(statuses, [401, 401, 429, 401])
})

test('while the database is away callers are told so, and none is counted as one with a refused credential', async (t) => {
  const service = await useTestService(t)
  const now = () => 0
  const addresses = { base_url: '', problem_base: '', resource_metadata: '' }
  const app = createHttpServer({ addresses, hsts_max_age_s: 0, now })
  t.after(() => app.close())
  const rule = { requests_max: 1, window_s, now }
  mountRest(app, {
    runtime: service.runtime,
    addresses,
    name: 'rest',
    authenticate: () => Promise.reject(new DatabaseUnavailable('away')),
    limits: { requests: createRateLimit('requests', rule), failures: createRateLimit('failures', rule) },
  })
  for (let requests = 0; requests < 3; requests += 1) {
    const answer = await app.inject({ url: '/organizations', headers: { authorization: 'Bearer x' } })
    assert.equal(answer.statusCode, 503)
  }
})
