import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { type Case, cases, serviceOfCases } from '#test/cases.ts'
import { clock_start, contractIn } from '#test/contract-states.ts'
import { type TestService, useTestService } from '#test/service.ts'

let service: TestService
before(async () => {
  service = await serviceOfCases()
  await service.clock.set(clock_start)
})

const linkOf = (id: string, at = service) => at.call('GET', `/contracts/${id}/invitation-link`)

test('the link of the open invitation is readable as often as asked, and never cached', async () => {
  const { id } = await contractIn(service, 'invited')
  const first = await linkOf(id)
  assert.match(first.body.url, /^https:\/\/stint\.test\/console\/invite#[A-Za-z0-9_-]{43}$/)
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

const none: Record<string, Case> = Object.fromEntries(
  (['pending', 'client_signed', 'active', 'cancelled'] as const).map((state) => [
    `a contract that is ${state} has no open invitation`,
    { given: (t) => contractIn(t, state), answers: '409 no_open_invitation' } satisfies Case,
  ]),
)

cases('contracts.get_invitation_link', {
  'the link of an open invitation is shown': {
    given: (t) => contractIn(t, 'invited'),
    body: { expires_at: '2026-06-29T09:00:00.000Z' },
    headers: { 'cache-control': 'no-store' },
  },
  'reading the link takes the right to write contracts': {
    as: 'reader',
    given: (t) => contractIn(t, 'invited'),
    answers: '403 insufficient_scope',
  },
  ...none,
})

test('an expired invitation has no link, also before its timer has fired', async (t) => {
  const service = await useTestService(t)
  await service.clock.set(clock_start)
  const { id } = await contractIn(service, 'invited')
  await service.clock.advance(14 * 86_400_000)
  assert.equal((await linkOf(id, service)).body.code, 'no_open_invitation')
})
