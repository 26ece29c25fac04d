import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { clock_start, contractIn } from '#test/contract-states.ts'
import { startTestService, type TestService, useTestService } from '#test/service.ts'

let service: TestService
before(async () => {
  service = await startTestService()
  await service.clock.set(clock_start)
})
after(() => service.close())

const linkOf = (id: string, at = service) => at.call('GET', `/contracts/${id}/invitation-link`)

test('the link of the open invitation is readable as often as asked, and never cached', async () => {
  const { id } = await contractIn(service, 'invited')
  const first = await linkOf(id)
  assert.match(first.body.url, /^https:\/\/stint\.test\/invite#[A-Za-z0-9_-]{43}$/)
  assert.equal(first.body.expires_at, '2026-06-29T09:00:00.000Z')
  assert.equal(first.headers['cache-control'], 'no-store')
  assert.deepEqual((await linkOf(id)).body, first.body)
})

test('a new invitation has a new link', async () => {
  const { id } = await contractIn(service, 'invited')
  const { url } = (await linkOf(id)).body
  await service.call('POST', `/contracts/${id}/invite`)
  assert.notEqual((await linkOf(id)).body.url, url)
})

for (const state of ['pending', 'client_signed', 'active', 'cancelled'] as const) {
  test(`a contract that is ${state} has no open invitation`, async () => {
    const { id } = await contractIn(service, state)
    const { status, body } = await linkOf(id)
    assert.equal(status, 409)
    assert.equal(body.code, 'no_open_invitation')
  })
}

test('an expired invitation has no link, also before its timer has fired', async (t) => {
  const service = await useTestService(t)
  await service.clock.set(clock_start)
  const { id } = await contractIn(service, 'invited')
  await service.clock.advance(14 * 86_400_000)
  assert.equal((await linkOf(id, service)).body.code, 'no_open_invitation')
})

test('reading the link takes the right to write contracts', async () => {
  const { id } = await contractIn(service, 'invited')
  const token = await service.createToken(service.organization.id, { scopes: ['contracts:read'] })
  const { status } = await service.call('GET', `/contracts/${id}/invitation-link`, { token })
  assert.equal(status, 403)
})
