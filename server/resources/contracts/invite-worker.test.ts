import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from '#db/database.ts'
import { cases, serviceOfCases } from '#test/cases.ts'
import { clock_start, contractIn, eachState } from '#test/contract-states.ts'
import { type TestService, useTestService } from '#test/service.ts'

let service: TestService
before(async () => {
  service = await serviceOfCases()
  await service.clock.set(clock_start)
})

const sent = { body: { status: 'pending' }, emits: ['contract.invitation.sent'] }
const over = { answers: '409 invalid_state' } as const

cases('contracts.invite', {
  ...eachState('the worker is invited to a pending contract it has not signed; an open invitation is replaced', {
    pending: sent,
    invited: sent,
    client_signed: sent,
    worker_signed: { answers: '409 already_signed' },
    active: over,
    terminating: over,
    completed: over,
    terminated: over,
    cancelled: over,
    rejected: over,
  }),
})

test('address and language default to the worker’s, and the invitation lives 14 days', async () => {
  const { id } = await contractIn(service, 'pending')
  await service.takeEvents()
  const { body } = await service.call('POST', `/contracts/${id}/invite`)
  const expires_at = '2026-06-29T09:00:00.000Z'
  assert.deepEqual(body.invitation, { email: body.worker_email, locale: 'en', sent_at: clock_start, expires_at })
  const [event] = await service.takeEvents()
  assert.partialDeepStrictEqual(event?.resource[0], {
    contract_id: id,
    invitation_email: body.worker_email,
    expires_at,
  })
})

test('address, language and message can be chosen', async () => {
  const { id } = await contractIn(service, 'pending')
  const wished = { email: 'jonas.private@example.net', locale: 'pt-BR', message: 'Welcome!' }
  const { body } = await service.call('POST', `/contracts/${id}/invite`, { body: wished })
  assert.partialDeepStrictEqual(body.invitation, { email: wished.email, locale: 'pt-BR' })
  assert.equal('message' in body.invitation, false)
})

test('a language tag is taken in any case and kept in its canonical spelling', async () => {
  const { id } = await contractIn(service, 'pending')
  const { body } = await service.call('POST', `/contracts/${id}/invite`, { body: { locale: 'en-us' } })
  assert.equal(body.invitation?.locale, 'en-US', JSON.stringify(body))
})

for (const [field, value] of [
  ['email', 'not an address'],
  ['email', null],
  ['locale', 'english please'],
  ['locale', 'en_US'],
  ['message', 'x'.repeat(2_001)],
  ['subject', 'unknown field'],
] as const) {
  test(`${field} ${JSON.stringify(value)?.slice(0, 20)} is refused`, async () => {
    const { id } = await contractIn(service, 'pending')
    const { status, body } = await service.call('POST', `/contracts/${id}/invite`, { body: { [field]: value } })
    assert.equal(status, 400)
    assert.equal(body.errors[0].pointer, `/${field}`)
  })
}

test('no row, event or log line holds the token of the link in clear', async () => {
  const { id } = await contractIn(service, 'invited')
  const { body } = await service.call('GET', `/contracts/${id}/invitation-link`)
  const token = new URL(body.url).hash.slice(1)
  const row = await service.database.database.transaction({ role: 'owner' }, (tx) =>
    tx.row<{ found: boolean }>(sql`
      select exists (select from contracts c where position(${token} in c::text) > 0
                       or position(convert_to(${token}, 'utf8') in c.invitation_sealed) > 0)
          or exists (select from events e where position(${token} in e::text) > 0) as found`),
  )
  assert.equal(row?.found, false)
  assert.equal(service.logged.join('').includes(token), false)
})

test('an invitation that is not taken up expires after 14 days', async (t) => {
  const service = await useTestService(t)
  await service.clock.set(clock_start)
  const { id } = await contractIn(service, 'invited')
  await service.takeEvents()
  await service.clock.advance(14 * 86_400_000 - 1)
  await service.timers.runDue()
  assert.notEqual((await service.call('GET', `/contracts/${id}`)).body.invitation, null)
  await service.clock.advance(1)
  await service.timers.runDue()
  assert.equal((await service.call('GET', `/contracts/${id}`)).body.invitation, null)
  const expired = (await service.takeEvents()).filter(({ resource }) => resource[0]?.contract_id === id)
  assert.deepEqual(
    expired.map(({ event_type }) => event_type),
    ['contract.invitation.expired'],
  )
  assert.equal(expired[0]?.resource[0]?.expires_at, '2026-06-29T09:00:00.000Z')
})
