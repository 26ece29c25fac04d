import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cases } from '#test/cases.ts'
import { type Body, memberToken } from '#test/factories.ts'
import { answer } from '#test/receiver.ts'
import { type TestService, useTestService } from '#test/service.ts'
import { startWebhookBench } from '#test/webhook-bench.ts'

/** Two requests that succeed and one that is refused, noted. */
const calls = async (t: TestService): Promise<Body> => {
  await t.call('GET', '/teams')
  await t.call('GET', '/departments')
  await t.call('GET', '/teams/none')
  await t.requests.flush()
  return {}
}

const none = {
  active: 0,
  disabled: 0,
  failing: 0,
  pending: 0,
  held: 0,
  oldest_pending_at: null,
  succeeded: 0,
  failed: 0,
}
const refused = { operation: 'teams.get', status: 404, error_code: 'not_found', requests: 1 }

cases(
  'overview.get',
  {
    'a developer sees webhooks, tokens, and requests by their end': {
      as: 'developer',
      body: {
        webhooks: none,
        api_tokens: { expiring: 0, unused: 0 },
        requests: { succeeded: 2, refused: 1, failed: 0, errors: [refused] },
      },
    },
    'a viewer sees webhooks only': { as: 'viewer', body: { webhooks: none, api_tokens: null, requests: null } },
    'finance sees nothing of it': { as: 'finance', body: { webhooks: null, api_tokens: null, requests: null } },
    'requests are forgotten after a day': {
      as: ({ token }) => token,
      given: async (t) => {
        await calls(t)
        await t.clock.advance(26 * 3_600_000)
        return { token: await memberToken(t, 'admin') }
      },
      body: { requests: { succeeded: 0, refused: 0, failed: 0, errors: [] } },
    },
  },
  { given: calls },
)

test('deliveries of the day are counted by their end, with what still waits', async (t) => {
  const bench = await startWebhookBench()
  t.after(() => bench.close())
  const { service, receiver } = bench
  const { id } = await bench.subscribe()
  await bench.cause()
  await service.dispatcher.runDue()
  receiver.script(answer({ status: 500 }))
  await service.clock.advance(1)
  await bench.cause()
  await service.dispatcher.runDue()
  const { webhooks } = (await service.call('GET', '/overview')).body
  assert.partialDeepStrictEqual(webhooks, { active: 1, disabled: 0, pending: 1, held: 0, succeeded: 1, failed: 0 })
  assert.ok(webhooks.oldest_pending_at)
  await service.call('PATCH', `/webhooks/${id}`, { body: { status: 'disabled' } })
  assert.partialDeepStrictEqual((await service.call('GET', '/overview')).body.webhooks, { active: 0, disabled: 1 })
})

test('tokens that end soon and those that nobody uses are counted', async (t) => {
  const service = await useTestService(t)
  const make = async (name: string, days: number) => {
    const expires_at = new Date(service.clock.now() + days * 86_400_000).toISOString()
    const { status } = await service.call('POST', '/api-tokens', {
      body: { name, scopes: ['people:read'], expires_at },
    })
    assert.equal(status, 201)
  }
  await make('Soon', 5)
  await make('Later', 100)
  // The token of the calls is the third.
  assert.deepEqual((await service.call('GET', '/overview')).body.api_tokens, { live: 3, expiring: 1, unused: 0 })
  await service.clock.advance(91 * 86_400_000)
  const token = await memberToken(service, 'owner')
  const { api_tokens } = (await service.call('GET', '/overview', { token })).body
  assert.deepEqual(api_tokens, { live: 3, expiring: 1, unused: 2 })
})
